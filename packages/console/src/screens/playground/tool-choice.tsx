/** One of many tools, found by typing; what it does to the world stands beside its name. */
import { Group, Select, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { ListedTool } from '../../parts/call/tools.ts'
import { texts } from '../../texts/texts.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'

export interface ToolChoiceProps {
  readonly tools: readonly ListedTool[]
  readonly chosen: string | undefined
  readonly onChoose: (name: string | undefined) => void
}

/** A list that is longer is no list to read. */
const MOST = 100

export function ToolChoice({ tools, chosen, onChoose }: ToolChoiceProps) {
  const effects = useMemo(() => new Map(tools.map((tool) => [tool.name, tool])), [tools])
  const data = useMemo(() => tools.map(({ name }) => name), [tools])
  const t = texts.playground
  const isUnknown = chosen !== undefined && !effects.has(chosen)
  return (
    <Select
      label={t.tool}
      placeholder={t.findTool}
      description={tools.length > MOST ? t.more({ shown: MOST, all: tools.length }) : undefined}
      data={data}
      value={isUnknown ? null : (chosen ?? null)}
      error={isUnknown ? texts.call.unknown({ tool: chosen }) : undefined}
      onChange={(name) => onChoose(name ?? undefined)}
      searchable
      selectFirstOptionOnChange
      limit={MOST}
      maxDropdownHeight={360}
      nothingFoundMessage={t.noTool}
      renderOption={({ option: { value } }) => (
        <Group justify="space-between" gap="xs" wrap="nowrap" w="100%">
          <Text size="sm" className="breakable">
            {value}
          </Text>
          <EffectBadge effect={effects.get(value)?.effect ?? 'write'} from={effects.get(value)?.effectFrom} />
        </Group>
      )}
    />
  )
}
