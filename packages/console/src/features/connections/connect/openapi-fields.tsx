/** A preview of an OpenAPI document: its tools by effect, the selected tags, and the authentication of its server. */
import { Chip, Group, Stack, Text, TextInput } from '@mantine/core'
import { previewOpenApi, type OpenApiPreview } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMay, useOrganization } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { texts } from '../../../texts/texts.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { isGiven, withProposed, type AuthType, type Draft } from './draft.ts'
import { Effects } from './effects.tsx'
import type { AuthFieldsProps } from './auth-fields.ts'
import { documentOf } from './keep-draft.ts'
import { WayIn } from './way-in.tsx'

const t = texts.connect.openapi

export function OpenApiFields(props: AuthFieldsProps) {
  const { draft, onChange } = props
  const organization = useOrganization()
  const isPlatform = useMay('tenant_create', 'platform')
  const body = documentOf({ ...draft, base: '' }, isPlatform)
  const preview = useQuery({
    ...ask('catalog', previewOpenApi, { path: { organization }, body }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
  })
  return (
    <Stack gap="lg">
      {isGiven(draft) ? null : (
        <TextInput
          label={t.address}
          type="url"
          value={draft.url}
          onChange={({ currentTarget }) => onChange({ url: currentTarget.value, tags: [], ...withProposed(draft, '') })}
        />
      )}
      <Loaded query={preview}>{(found) => <Preview {...props} preview={found} />}</Loaded>
    </Stack>
  )
}

function Preview({ preview, ...props }: AuthFieldsProps & { preview: OpenApiPreview }) {
  const { draft, onChange } = props
  const { title, version, url, security } = preview
  const documented = security.length > 0
  const ways = waysOf(preview)
  const [first = 'none'] = ways
  useEffect(() => {
    if (draft.auth === undefined) onChange({ auth: first, documented })
    else if (draft.proposed !== title) onChange(withProposed(draft, title))
  })
  return (
    <>
      <Stack gap="xs" role="status">
        <Text fw={600}>{t.found({ title, version })}</Text>
        <Effects counts={countsOf(preview, draft)} />
        {preview.counts.left_out === 0 ? null : (
          <Text size="sm" c="dimmed">
            {t.leftOut({ count: preview.counts.left_out })}
          </Text>
        )}
      </Stack>
      <Tags {...props} preview={preview} />
      {url !== null && draft.base === '' ? (
        <Text size="sm" c="dimmed" className="breakable">
          {t.calls({ url })}
        </Text>
      ) : (
        <TextInput
          label={t.base}
          description={t.baseHint}
          type="url"
          value={draft.base}
          required={url === null}
          onChange={({ currentTarget }) => onChange({ base: currentTarget.value })}
        />
      )}
      {documented ? <Text size="sm">{t.asks({ words: security.map(wordOf).join(', ') })}</Text> : null}
      <WayIn {...props} ways={ways} chosen={draft.auth ?? first} />
    </>
  )
}

type Security = OpenApiPreview['security'][number]

const wordOf = ({ name, kind, place }: Security): string => [name, place ?? kind].join(': ')

/** Returns the authentication methods to offer, first those that the document declares. */
function waysOf({ security }: OpenApiPreview): AuthType[] {
  if (security.length === 0) return ['none', 'api_key']
  return security.some(({ kind }) => kind === 'oauth') ? ['oauth', 'api_key', 'none'] : ['api_key', 'none']
}

/** Of the operations that are wanted. */
function countsOf({ operations }: OpenApiPreview, { tags }: Draft) {
  const chosen = tags.length === 0 ? operations : operations.filter(({ tag }) => tag !== null && tags.includes(tag))
  const of = (effect: string) => chosen.filter((item) => item.effect === effect).length
  return { read: of('read'), write: of('write'), destructive: of('destructive') }
}

function Tags({ draft, onChange, preview }: AuthFieldsProps & { preview: OpenApiPreview }) {
  const tags = [...new Set(preview.operations.flatMap(({ tag }) => tag ?? []))]
  if (tags.length < 2) return null
  const many = (tag: string) => preview.operations.filter((operation) => operation.tag === tag).length
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} id="tags">
        {t.tags}
      </Text>
      <Chip.Group multiple value={[...draft.tags]} onChange={(chosen) => onChange({ tags: chosen })}>
        <Group gap="xs" role="group" aria-labelledby="tags">
          {tags.map((tag) => (
            <Chip key={tag} value={tag} size="sm">
              {t.tag({ tag, count: many(tag) })}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Stack>
  )
}
