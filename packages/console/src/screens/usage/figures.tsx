/** The span in five numbers. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { Usage } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { count, duration } from '../../ui/times.ts'

export function Figures({ total }: { total: Usage['total'] }) {
  const t = texts.usage
  const share = (part: number) => t.share((100 * part) / total.calls)
  const time = (milliseconds: number | null) => (milliseconds === null ? '–' : duration(milliseconds))
  const all: readonly (readonly [label: string, value: string, hint: string])[] = [
    [t.figures.calls, count(total.calls), ''],
    [t.figures.failed, count(total.failed), share(total.failed)],
    [t.figures.refused, count(total.refused), share(total.refused)],
    [t.figures.median, time(total.median_ms), ''],
    [t.figures.p95, time(total.p95_ms), ''],
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
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
