/** All connections together in four numbers. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { ServiceLevel } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { count } from '../../ui/times.ts'
import { isMissed, percentRoundedDown, time } from './level-words.ts'

const t = texts.serviceLevels

export function LevelFigures({ level, target }: { level: ServiceLevel; target: number }) {
  const all: readonly (readonly [label: string, value: string, hint: string])[] = [
    [t.figures.availability, percentRoundedDown(level.availability), isMissed(level, target) ? t.missed : ''],
    [t.figures.p95, time(level.p95_ms), ''],
    [t.figures.budget, percentRoundedDown(level.budget_left, 0), ''],
    [t.figures.calls, count(level.calls), t.failed({ failed: count(level.failed) })],
  ]
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
      {all.map(([label, value, hint]) => (
        <Paper key={label} withBorder p="md">
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text fz={24} fw={650}>
            {value}
          </Text>
          <Text size="xs" c="dimmed">
            {hint}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
