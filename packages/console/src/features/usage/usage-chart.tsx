/** Calls by step, as stacked bars. The library for it is loaded with this file, which is loaded when it is seen. */
import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { useReducedMotion } from '@mantine/hooks'
import type { Usage } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { count, shortCount, stepLabel } from '../../ui/times.ts'
import { Brush, Selection } from './brush.tsx'

export interface UsageChartProps {
  readonly usage: Usage
  readonly height: number
  /** A step was clicked. */
  readonly onOpen: (at: string) => void
  /** Steps were dragged over. */
  readonly onZoom: (first: number, last: number) => void
}

export function UsageChart({ usage, height, onOpen, onZoom }: UsageChartProps) {
  const still = useReducedMotion()
  const t = texts.usage
  const { calls, failed, refused } = usage.total
  return (
    <Brush usage={usage} places="bands" label={t.chartSays({ calls, failed, refused })} onZoom={onZoom}>
      <BarChart
        h={height}
        type="stacked"
        withLegend
        data={usage.steps.map((step) => ({
          at: stepLabel(step.at, usage.step),
          good: step.calls - step.failed - step.refused,
          failed: step.failed,
          refused: step.refused,
        }))}
        dataKey="at"
        series={[
          { name: 'good', label: t.good, color: 'blue.6' },
          { name: 'failed', label: t.failed, color: 'red.7' },
          { name: 'refused', label: t.refused, color: 'orange.6' },
        ]}
        tickLine="y"
        yAxisProps={{ allowDecimals: false, width: 'auto', tickFormatter: shortCount }}
        valueFormatter={(value) => count(value)}
        barProps={{
          isAnimationActive: !still,
          style: { cursor: 'pointer' },
          onClick(_, at) {
            const step = usage.steps[at]
            if (step !== undefined) onOpen(step.at)
          },
        }}
        // Labels are moved away from the axis by 10 px, which its width does not contain.
        barChartProps={{ accessibilityLayer: false, margin: { left: 12 } }}
      >
        <Selection />
      </BarChart>
    </Brush>
  )
}
