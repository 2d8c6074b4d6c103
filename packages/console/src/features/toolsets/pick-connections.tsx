/** Whole connections in or out, and the patterns that a selection comes to. */
import { Button, Chip, Code, Group, Stack, Text } from '@mantine/core'
import type { ToolsetSettings } from '@toolway/contract'
import { pickConnections } from '@toolway/contract/admin'
import { useState } from 'react'
import { useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { texts } from '../../texts/texts.ts'
import { count } from '../../ui/times.ts'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { selectionOf, type SelectionChanges } from './use-selection.ts'

/** Connections of one page: few enough to be looked over. */
const CHIPS = 20

interface ConnectionsProps {
  readonly settings: ToolsetSettings
  readonly change: SelectionChanges
}

export function Connections({ settings, change }: ConnectionsProps) {
  const organization = useOrganization()
  const [search, setSearch] = useState('')
  const body = { selection: selectionOf(settings), limit: CHIPS, ...(search === '' ? {} : { search }) }
  const { data, onMore } = usePages('tools', pickConnections, { path: { organization }, body })
  const t = texts.toolsets.pick
  const items = data?.items ?? []
  const total = data?.total ?? 0
  return (
    <Stack gap="xs">
      {total > CHIPS || search !== '' ? (
        <TypedSearch label={t.searchConnections} value={search} onSearch={setSearch} maw={460} />
      ) : null}
      <Group gap="xs" role="group" aria-label={t.connections}>
        {items.map(({ alias, tools, selected }) => (
          <Chip
            key={alias}
            variant="outline"
            checked={selected === tools}
            disabled={change.busy}
            onChange={(take) => change.many({ take, connection: alias })}
          >
            {t.ofConnection({ alias, inside: count(selected), all: count(tools) })}
          </Chip>
        ))}
        {items.length < total ? (
          <Button size="compact-sm" variant="default" disabled={onMore === undefined} onClick={onMore}>
            {t.moreConnections({ number: count(total - items.length) })}
          </Button>
        ) : null}
      </Group>
    </Stack>
  )
}

const MANY = 12

export function Patterns({ settings: { connections, include, exclude } }: { settings: ToolsetSettings }) {
  const t = texts.toolsets.pick
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {t.patternsHint}
      </Text>
      {connections === undefined ? null : <Line label={texts.toolsets.pick.connections} patterns={connections} />}
      <Line label={t.include} patterns={include} />
      {exclude.length === 0 ? null : <Line label={t.exclude} patterns={exclude} />}
    </Stack>
  )
}

function Line({ label, patterns }: { label: string; patterns: readonly string[] }) {
  return (
    <Group gap={6}>
      <Text size="sm">{label}:</Text>
      {patterns.slice(0, MANY).map((pattern) => (
        <Code key={pattern} className="breakable">
          {pattern}
        </Code>
      ))}
      {patterns.length === 0 ? <Text size="sm">–</Text> : null}
      {patterns.length > MANY ? <Text size="sm">{`+ ${count(patterns.length - MANY)}`}</Text> : null}
    </Group>
  )
}
