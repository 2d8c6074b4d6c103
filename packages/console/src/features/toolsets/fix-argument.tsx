/** The setting for one argument of a tool in a toolset: the client sets it, or the toolset fixes it. */
import { Paper, Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'
import type { SchemaField } from '../../ui/schema-fields.ts'
import { lockOf, readValue, withLock, writeValue, type Fixing, type Locked } from './locks.ts'
import type { Drafting } from './use-draft.ts'

interface FixArgumentProps {
  /** As rules know it. */
  readonly tool: string
  readonly field: SchemaField
  readonly drafting: Drafting
}

const OPEN = 'open'

export function FixArgument({ tool, field, drafting }: FixArgumentProps) {
  const { name, type, description, choices } = field
  const { draft, set } = drafting
  const locked = lockOf(draft.settings, tool, name)
  const t = texts.toolsets.edit
  const fix = (next: Locked | undefined) =>
    set(withLock(draft.settings, { tool, argument: name, reason: t.reason({ name }) }, next))
  return (
    <Paper withBorder p="sm">
      <Text ff="monospace" fw={600} size="sm" className="breakable">
        {name}{' '}
        <Text span size="sm" c="dimmed">
          {type}
        </Text>
      </Text>
      {description === undefined ? null : (
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
        <Select
          aria-label={t.asOf({ name })}
          value={locked?.as ?? OPEN}
          allowDeselect={false}
          data={Object.entries(t.as).map(([value, label]) => ({ value, label }))}
          onChange={(as) =>
            fix(
              as === null || as === OPEN ? undefined : { as: as as Fixing, value: locked?.value ?? firstValue(field) },
            )
          }
        />
        {locked === undefined ? null : choices.length > 0 && type === 'string' ? (
          <Select
            aria-label={t.valueOf({ name })}
            data={[...choices]}
            value={typeof locked.value === 'string' ? locked.value : null}
            allowDeselect={false}
            onChange={(value) => fix({ ...locked, value })}
          />
        ) : (
          <Value key={locked.as} field={field} locked={locked} onChange={(value) => fix({ ...locked, value })} />
        )}
      </SimpleGrid>
    </Paper>
  )
}

interface ValueProps {
  readonly field: SchemaField
  readonly locked: Locked
  readonly onChange: (value: Locked['value']) => void
}

/** A text that is not a value of the type is not applied, and is marked as invalid. */
function Value({ field: { name, type }, locked, onChange }: ValueProps) {
  const [text, setText] = useState(writeValue(locked.value))
  const t = texts.toolsets.edit
  const wrong = readValue(text, type) === undefined
  return (
    <TextInput
      aria-label={t.valueOf({ name })}
      placeholder={t.value}
      value={text}
      error={wrong ? t.valueWrong({ type }) : undefined}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        const value = readValue(currentTarget.value, type)
        if (value !== undefined) onChange(value)
      }}
    />
  )
}

/** Something of the type to begin with. */
function firstValue({ type, choices, otherwise, least }: SchemaField): Locked['value'] {
  if (otherwise !== undefined) return JSON.parse(otherwise) as Locked['value']
  if (choices[0] !== undefined && type === 'string') return choices[0]
  if (type === 'integer' || type === 'number') return least ?? 0
  if (type === 'boolean') return false
  if (type.startsWith('array')) return []
  return type === 'object' ? {} : ''
}
