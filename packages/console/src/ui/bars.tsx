/**
 * A few numbers over time as bars, drawn by hand: the first screen has no room for a library. Their content is also given in a
 * sentence, for screen readers.
 */
import { Box, Group, Text } from '@mantine/core'

export interface Bar {
  readonly key: string
  readonly value: number
  /** The part of it that went wrong, drawn from the ground. */
  readonly bad: number
  /** All that is known of it, beside the pointer. */
  readonly title: string
}

export interface BarsProps {
  readonly bars: readonly Bar[]
  /** The content of the chart, in a sentence. */
  readonly label: string
  /** The labels below the first bar and the last. */
  readonly ends: readonly [string, string]
  readonly height?: number
}

/** Visible, however small it is beside the others. */
const LEAST_PERCENT = 3

export function Bars({ bars, label, ends, height = 96 }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const share = (value: number) => (value === 0 ? 0 : Math.max(LEAST_PERCENT, (100 * value) / most))
  return (
    <Box>
      <Box role="img" aria-label={label} style={{ display: 'flex', alignItems: 'stretch', gap: 2, height }}>
        {bars.map(({ key, value, bad, title }) => (
          <div key={key} className="bar" title={title}>
            <div className="bar-good" style={{ height: `${share(value) - (bad === 0 ? 0 : share(bad))}%` }} />
            {bad === 0 ? null : <div className="bar-bad" style={{ height: `${share(bad)}%` }} />}
          </div>
        ))}
      </Box>
      <Group justify="space-between" mt={4}>
        {ends.map((end) => (
          <Text key={end} size="xs" c="dimmed">
            {end}
          </Text>
        ))}
      </Group>
    </Box>
  )
}
