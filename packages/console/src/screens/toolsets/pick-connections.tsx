/** Whole connections in or out, and the patterns that a selection comes to. */
import { Chip, Code, Group, Stack, Text } from '@mantine/core'
import type { ToolsetSettings } from '@toolway/contract'
import type { OrganizationTool } from '@toolway/contract/admin'
import { useMemo } from 'react'
import { texts } from '../../texts/texts.ts'
import { count } from '../../ui/times.ts'
import { dropConnection, takeConnection, type Pickable, type Selected } from './selection.ts'

interface ConnectionsProps {
  readonly tools: readonly OrganizationTool[]
  readonly isIn: (tool: Pickable) => boolean
  readonly select: (change: (before: Selected, known: readonly OrganizationTool[]) => Selected) => void
}

export function Connections({ tools, isIn, select }: ConnectionsProps) {
  const byAlias = useMemo(() => {
    const found = new Map<string, { all: number; inside: number }>()
    for (const tool of tools) {
      const { all, inside } = found.get(tool.alias) ?? { all: 0, inside: 0 }
      found.set(tool.alias, { all: all + 1, inside: inside + (isIn(tool) ? 1 : 0) })
    }
    return [...found]
  }, [tools, isIn])
  const t = texts.toolsets.pick
  return (
    <Group gap="xs" role="group" aria-label={t.connections}>
      {byAlias.map(([alias, { all, inside }]) => (
        <Chip
          key={alias}
          variant="outline"
          checked={inside === all}
          onChange={(on) =>
            select((before, known) =>
              on ? takeConnection(before, alias, known) : dropConnection(before, alias, known),
            )
          }
        >
          {t.ofConnection({ alias, inside: count(inside), all: count(all) })}
        </Chip>
      ))}
    </Group>
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
