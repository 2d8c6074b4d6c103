/** The OpenAPI document of a connection: a newer one held against it, and which of its operations are tools. */
import { Alert, Button, Code, Group, List, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshOpenApi, type Connection, type OpenApiDrift } from '@toolway/contract/admin'
import { useState, type ReactNode } from 'react'
import { call } from '../../../data/call.ts'
import { Problem } from '../../../data/problem.ts'
import { FileButtons } from '../../../parts/document-files/file-buttons.tsx'
import type { Upload } from '../../../parts/document-files/upload.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { StateBadge } from '../../../ui/badges.tsx'
import { EffectBadge } from '../../../ui/effect-badge.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { Section } from '../../../ui/section.tsx'
import { ConnectionSelection } from './connection-selection.tsx'
import { askAgain, usePath, useWhyNot } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.openapi
type OpenApi = NonNullable<Connection['openapi']>

export function ConnectionOpenApi({ connection, openapi }: { connection: Connection; openapi: OpenApi }) {
  return (
    <Stack gap="lg">
      <Newer connection={connection} openapi={openapi} />
      <ConnectionSelection connection={connection} />
    </Stack>
  )
}

function Newer({ connection, openapi }: { connection: Connection; openapi: OpenApi }) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const whyNot = useWhyNot(connection, 'connector_update')
  /** What was opened; absent: it is fetched from its address. */
  const [input, setInput] = useState<Upload>()
  const look = useMutation({
    mutationFn: (opened: Upload | undefined) =>
      call(refreshOpenApi, { path, body: { ...sourceOf(opened), apply: false } }),
  })
  const keep = useMutation({
    mutationFn: () => call(refreshOpenApi, { path, body: { ...sourceOf(input), apply: true } }),
    onSuccess: ({ version }) => {
      sayDone(t.kept({ version: version.after }))
      look.reset()
      return askAgain(queries)
    },
    onError: sayProblem,
  })
  const open = (opened: Upload | undefined) => {
    setInput(opened)
    if (opened?.kind === 'refused') look.reset()
    else look.mutate(opened)
  }
  const may = whyNot === undefined
  return (
    <Section title={t.title} hint={openapi.document === null ? t.wasGiven : undefined}>
      {openapi.document === null ? null : <Code className="breakable">{openapi.document}</Code>}
      <Group gap="sm">
        {openapi.document === null ? null : (
          <Allowed may={may} why={whyNot ?? ''}>
            <Button
              leftSection={<Icon name="refresh" />}
              disabled={!may}
              loading={look.isPending && input === undefined}
              onClick={() => open(undefined)}
            >
              {t.look}
            </Button>
          </Allowed>
        )}
        <Allowed may={may} why={whyNot ?? ''}>
          <FileButtons accept=".json,.yaml,.yml,.zip" variant="default" disabled={!may} onUpload={open} />
        </Allowed>
      </Group>
      {input?.kind === 'refused' ? (
        <Text size="sm" c="red" role="alert">
          {texts.connect.what.refused[input.why]}
        </Text>
      ) : null}
      {look.error === null ? null : <Failed failure={Problem.of(look.error)} />}
      {look.data === undefined ? null : (
        <Stack gap="sm">
          <Text size="sm">{t.versions({ before: look.data.version.before, after: look.data.version.after })}</Text>
          {look.data.same ? (
            <Alert color="teal" icon={<Icon name="circle-check" />} title={t.same} role="status" />
          ) : (
            <>
              <Drift drift={look.data.drift} />
              <Group gap="sm">
                <Button loading={keep.isPending} onClick={() => keep.mutate()}>
                  {t.take}
                </Button>
                <Button variant="default" onClick={() => look.reset()}>
                  {t.leave}
                </Button>
              </Group>
            </>
          )}
        </Stack>
      )}
    </Section>
  )
}

const sourceOf = (opened: Upload | undefined) => {
  if (opened === undefined || opened.kind === 'refused') return {}
  return opened.kind === 'text' ? { document: opened.text } : { document_zip: opened.archive.base64 }
}

/** The changes in a newer document, tool by tool. */
function Drift({ drift: { added, removed, changed } }: { drift: OpenApiDrift }) {
  if (added.length + removed.length + changed.length === 0) return <Text size="sm">{t.noDrift}</Text>
  return (
    <Stack gap="sm">
      {added.length === 0 ? null : (
        <Part title={t.added({ count: added.length })}>
          {added.map(({ name, effect, held }) => (
            <List.Item key={name}>
              <Group gap="xs">
                <Code>{name}</Code> <EffectBadge effect={effect} />
                {held ? <StateBadge tone="warn">{t.wouldBeHeld}</StateBadge> : null}
              </Group>
            </List.Item>
          ))}
        </Part>
      )}
      {changed.length === 0 ? null : (
        <Part title={t.changed({ count: changed.length })}>
          {changed.map(({ name, what, arguments: args, effect, held }) => (
            <List.Item key={name}>
              <Group gap="xs">
                <Code>{name}</Code>
                <Text size="sm">{what.map((value) => t.what[value as keyof typeof t.what] ?? value).join(', ')}</Text>
                {args === 'narrower' ? <StateBadge tone="bad">{t.narrower}</StateBadge> : null}
                {effect === null ? null : (
                  <>
                    <EffectBadge effect={effect.before} />
                    <Icon name="arrow-right" size={14} label={t.becomes} />
                    <EffectBadge effect={effect.after} />
                  </>
                )}
                {held ? <StateBadge tone="warn">{t.wouldBeHeld}</StateBadge> : null}
              </Group>
            </List.Item>
          ))}
        </Part>
      )}
      {removed.length === 0 ? null : (
        <Part title={t.removed({ count: removed.length })}>
          {removed.map((name) => (
            <List.Item key={name}>
              <Code>{name}</Code>
            </List.Item>
          ))}
        </Part>
      )}
    </Stack>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Title order={3} mb={4}>
        {title}
      </Title>
      <List size="sm" spacing={4}>
        {children}
      </List>
    </div>
  )
}
