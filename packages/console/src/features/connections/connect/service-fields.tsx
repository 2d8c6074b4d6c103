/** The second step of a service such as n8n: its address, its key, and the settings of its kind. */
import { Stack, Text, TextInput } from '@mantine/core'
import { kindOf, type Connector } from '@toolway/contract'
import { OutsideLink } from '../../../parts/call/outside-link.tsx'
import { fieldWords } from '../../../texts/field-words.ts'
import { texts } from '../../../texts/texts.ts'
import { SettingControl } from '../../../ui/setting-control.tsx'
import type { AuthFieldsProps } from './auth-fields.ts'
import { connectorOf, withValues, hasAddress, problemOfAddress } from './draft.ts'
import { Values } from './values.tsx'

const t = texts.connect.auth

export function ServiceFields({ draft, onChange, entry }: AuthFieldsProps) {
  const connector = connectorOf(draft)
  const form = kindOf(connector).own?.form
  const problem = problemOfAddress(withValues(draft).url)
  return (
    <>
      {entry === undefined ? null : (
        <Text c="dimmed">
          {entry.about}{' '}
          {entry.documentation === null ? null : (
            <OutsideLink to={entry.documentation}>{texts.connect.native.reference({ title: entry.title })}</OutsideLink>
          )}
        </Text>
      )}
      {hasAddress(draft) ? (
        <TextInput
          label={t.address}
          type="url"
          value={draft.url}
          error={problem === undefined || problem === 'empty' ? undefined : t.problems[problem]}
          withAsterisk
          onChange={({ currentTarget }) => onChange({ url: currentTarget.value })}
        />
      ) : null}
      {draft.headers.length === 0 ? null : (
        <Values values={draft.headers} onChange={(headers) => onChange({ headers })} />
      )}
      <Stack gap="md">
        {form?.fields.map((field) => (
          <SettingControl
            key={field.name}
            field={field}
            words={fieldWords(connector, field.name)}
            value={draft.own[field.name] ?? unsaidOf(connector, field.name)}
            onChange={(value) => onChange({ own: { ...draft.own, [field.name]: value } })}
          />
        ))}
      </Stack>
    </>
  )
}

/** The value of a setting that nobody says. */
function unsaidOf(connector: Connector, name: string): unknown {
  const shape: Readonly<Record<string, { safeParse(value: unknown): { data?: unknown } }>> =
    kindOf(connector).settings.shape
  return shape[name]?.safeParse(undefined).data
}
