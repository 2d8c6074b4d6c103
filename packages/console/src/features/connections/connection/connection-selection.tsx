/**
 * The operations of a document that become tools, their effects where the document does not state them, and the place of a key.
 */
import { ActionIcon, Button, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { EFFECTS, type Effect } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import { useState } from 'react'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/section.tsx'
import { useKept, useTellDirty, type Kept } from './connection-stored.ts'
import { useSave } from './connection-save.tsx'
import { useWhyNot } from './connection-ways.tsx'

const t = texts.connection.selection
type OpenApi = NonNullable<Connection['openapi']>
interface Row {
  readonly id: number
  readonly pattern: string
  readonly effect: Effect
}

export function ConnectionSelection({ connection }: { connection: Connection }) {
  const { kept, setDirty } = useKept(connection)
  if (kept.openapi === null) return null
  return <Form key={kept.updated_at} connection={kept} openapi={kept.openapi} onDirty={setDirty} />
}

interface FormProps {
  readonly connection: Connection
  readonly openapi: OpenApi
  readonly onDirty: Kept['setDirty']
}

function Form({ connection, openapi, onDirty }: FormProps) {
  const { select, effects } = openapi
  const whyNot = useWhyNot(connection, 'connector_update')
  const [include, setInclude] = useState<string[]>([...(select.include ?? [])])
  const [exclude, setExclude] = useState<string[]>([...select.exclude])
  const [rows, setRows] = useState<readonly Row[]>(
    Object.entries(effects).map(([pattern, effect], id) => ({ id, pattern, effect })),
  )
  const { save, conflict } = useSave(connection, () => onDirty(false))
  const may = whyNot === undefined
  const change = () => ({
    openapi: {
      select: { ...(include.length === 0 ? {} : { include }), exclude },
      effects: Object.fromEntries(rows.flatMap(({ pattern, effect }) => (pattern === '' ? [] : [[pattern, effect]]))),
    },
  })
  const dirty = !same(change().openapi, { select, effects })
  useTellDirty(dirty, onDirty)
  return (
    <Section title={t.title} hint={t.hint}>
      {conflict}
      <TagsInput
        label={t.include}
        description={t.includeHint}
        value={include}
        onChange={setInclude}
        disabled={!may}
        clearable={false}
      />
      <TagsInput
        label={t.exclude}
        description={t.excludeHint}
        value={exclude}
        onChange={setExclude}
        disabled={!may}
        clearable={false}
      />
      <Effects rows={rows} may={may} onRows={setRows} />
      <Group>
        <Allowed may={may} why={whyNot ?? ''}>
          <Button disabled={!may || !dirty} loading={save.isPending} onClick={() => save.mutate(change())}>
            {t.save}
          </Button>
        </Allowed>
      </Group>
    </Section>
  )
}

interface EffectsProps {
  readonly rows: readonly Row[]
  readonly may: boolean
  readonly onRows: (rows: readonly Row[]) => void
}

function Effects({ rows, may, onRows }: EffectsProps) {
  const put = (id: number, change: Partial<Row>) =>
    onRows(rows.map((row) => (row.id === id ? { ...row, ...change } : row)))
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t.effects}
      </Text>
      <Text size="sm" c="dimmed">
        {t.effectsHint}
      </Text>
      {rows.map(({ id, pattern, effect }, at) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={t.pattern({ at: at + 1 })}
            value={pattern}
            disabled={!may}
            onChange={(event) => put(id, { pattern: event.currentTarget.value })}
            style={{ flex: 1 }}
          />
          <Select
            aria-label={t.effectOf({ at: at + 1 })}
            data={EFFECTS.map((value) => ({ value, label: texts.effects[value] }))}
            value={effect}
            allowDeselect={false}
            disabled={!may}
            onChange={(next) => put(id, { effect: next as Effect })}
            w={130}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.takeAway({ at: at + 1 })}
            disabled={!may}
            onClick={() => onRows(rows.filter((row) => row.id !== id))}
          >
            <Icon name="x" />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={!may}
          onClick={() =>
            onRows([...rows, { id: Math.max(0, ...rows.map((row) => row.id + 1)), pattern: '', effect: 'read' }])
          }
        >
          {t.addEffect}
        </Button>
      </Group>
    </Stack>
  )
}

const same = (first: unknown, other: unknown): boolean => JSON.stringify(first) === JSON.stringify(other)
