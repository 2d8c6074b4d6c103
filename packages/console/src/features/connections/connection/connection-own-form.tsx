/** The settings that only one kind of connection has, drawn from the fields that the kind describes. */
import { Button, Group, SimpleGrid } from '@mantine/core'
import { kindOf, ownMemberOf, type OwnMember, type SettingField, type SettingsForm } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import { useState } from 'react'
import { fieldWords, settingsTitle } from '../../../texts/field-words.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Section } from '../../../ui/section.tsx'
import { SettingControl } from '../../../ui/setting-control.tsx'
import { useKept, useTellDirty, type Kept } from './connection-stored.ts'
import { ownChange, type OwnSettings } from './connection-own-words.ts'
import { useSave } from './connection-save.tsx'
import { useWhyNot } from './connection-ways.tsx'

export function ConnectionOwnForm({ connection }: { connection: Connection }) {
  const { kept, setDirty } = useKept(connection)
  const form = kindOf(kept.connector).own?.form
  const member = ownMemberOf(kept.connector)
  const own = member === undefined ? null : kept[member]
  if (form === undefined || member === undefined || own === null) return null
  return <Form key={kept.updated_at} connection={kept} form={form} member={member} own={own} onDirty={setDirty} />
}

interface FormProps {
  readonly connection: Connection
  readonly form: SettingsForm
  readonly member: OwnMember
  readonly own: OwnSettings
  readonly onDirty: Kept['setDirty']
}

function Form({ connection, form, member, own, onDirty }: FormProps) {
  const whyNot = useWhyNot(connection, 'connector_update')
  const [draft, setDraft] = useState(own)
  const { save, conflict } = useSave(connection, () => onDirty(false))
  const disabled = whyNot !== undefined
  const title = settingsTitle(member)
  const change = ownChange(own, draft)
  const dirty = Object.keys(change).length > 0
  useTellDirty(dirty, onDirty)
  const draw = (field: SettingField) => (
    <SettingControl
      key={field.name}
      field={field}
      words={fieldWords(member, field.name)}
      value={draft[field.name]}
      disabled={disabled}
      onChange={(value) => setDraft({ ...draft, [field.name]: value })}
    />
  )
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        // The gateway checks it by the schema of the kind.
        save.mutate({ [member]: change })
      }}
    >
      <Section title={title} hint={whyNot}>
        {conflict}
        {rowsOf(form.fields).map((row) =>
          row.length === 1 ? (
            row.map(draw)
          ) : (
            <SimpleGrid key={row[0]?.name} cols={row.length === 2 ? { base: 1, md: 2 } : { base: 1, sm: 3 }}>
              {row.map(draw)}
            </SimpleGrid>
          ),
        )}
        <Group>
          <Allowed may={!disabled} why={whyNot ?? ''}>
            <Button type="submit" disabled={disabled || !dirty} loading={save.isPending}>
              {texts.connection.settings.save}
            </Button>
          </Allowed>
        </Group>
      </Section>
    </form>
  )
}

const NARROW = new Set<SettingField['control']>(['text', 'choice', 'number'])

/** Narrow controls that follow each other stand side by side, up to three. */
function rowsOf(fields: readonly SettingField[]): SettingField[][] {
  const rows: SettingField[][] = []
  for (const field of fields) {
    const row = rows.at(-1)
    const joins = row !== undefined && row.length < 3 && [...row, field].every(({ control }) => NARROW.has(control))
    if (joins) row.push(field)
    else rows.push([field])
  }
  return rows
}
