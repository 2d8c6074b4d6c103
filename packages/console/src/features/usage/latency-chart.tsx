/** Median and p95 latency by step, as lines. Loaded with the chart library, when it is seen. */
import '@mantine/charts/styles.css'
import { LineChart } from '@mantine/charts'
import { useReducedMotion } from '@mantine/hooks'
import type { Usage } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { duration, stepLabel } from '../../ui/times.ts'
import { Brush, Selection } from './brush.tsx'

export interface LatencyChartProps {
  readonly usage: Usage
  readonly height: number
  /** Steps were dragged over. */
  readonly onZoom: (first: number, last: number) => void
}

export function LatencyChart({ usage, height, onZoom }: LatencyChartProps) {
  const still = useReducedMotion()
  const t = texts.usage
  const { median_ms: median, p95_ms: p95 } = usage.total
  const time = (milliseconds: number | null) => (milliseconds === null ? '–' : duration(milliseconds))
  const label = t.latencySays({ median: time(median), p95: time(p95) })
  return (
    <Brush usage={usage} places="points" label={label} onZoom={onZoom}>
      <LineChart
        h={height}
        withLegend
        // A step without a call has no latency: the line goes on at the next one.
        connectNulls
        curveType="monotone"
        data={usage.steps.map((step) => ({
          at: stepLabel(step.at, usage.step),
          median: step.median_ms,
          p95: step.p95_ms,
        }))}
        dataKey="at"
        series={[
          { name: 'median', label: t.figures.median, color: 'blue.6' },
          { name: 'p95', label: t.figures.p95, color: 'grape.6' },
        ]}
        valueFormatter={(value) => duration(value)}
        tickLine="y"
        yAxisProps={{ width: 'auto' }}
        lineProps={{ isAnimationActive: !still }}
        // The last point is at the edge, and is drawn whole.
        lineChartProps={{ accessibilityLayer: false, margin: { left: 12, right: 8 } }}
      >
        <Selection />
      </LineChart>
    </Brush>
  )
}
