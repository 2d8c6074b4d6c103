/** One of many tools, found by typing; what it does to the world stands beside its name. */
import { Group, Select, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { Listing } from '../../parts/call/tools.ts'
import { texts } from '../../texts/texts.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'

export interface ToolChoiceProps {
  readonly listing: Listing
  readonly chosen: string | undefined
  readonly onChoose: (name: string | undefined) => void
}

/** A list that is longer is no list to read. */
const MOST = 100

export function ToolChoice({ listing: { tools, rest }, chosen, onChoose }: ToolChoiceProps) {
  const effects = useMemo(() => new Map(tools.map((tool) => [tool.name, tool])), [tools])
  const data = useMemo(() => tools.map(({ name }) => name), [tools])
  const t = texts.playground
  const words = { none: t.more, coming: t.coming, left: t.left }
  const isAbsent = chosen !== undefined && !effects.has(chosen)
  // It may be on a page that is not here.
  const isUnknown = isAbsent && rest === 'none'
  return (
    <Select
      label={t.tool}
      placeholder={t.findTool}
      description={
        rest === 'none' && tools.length <= MOST ? undefined : words[rest]({ shown: MOST, all: tools.length })
      }
      data={data}
      value={isAbsent ? null : (chosen ?? null)}
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
