/** A span of time in six numbers, with their change since the span before. */
import { SimpleGrid } from '@mantine/core'
import type { Usage } from '@toolway/contract/admin'
import { Figure } from '../../parts/figures/figure.tsx'
import { changeInPercent, successRate } from '../../parts/figures/usage-figures.ts'
import { texts } from '../../texts/texts.ts'
import { count, duration, percent } from '../../ui/times.ts'

export interface FiguresProps {
  readonly usage: Usage
  /** Of the span before; undefined while it is unknown. */
  readonly before: Usage['total'] | undefined
}

export function Figures({ usage: { total, steps }, before }: FiguresProps) {
  const t = texts.usage
  const share = (part: number) =>
    t.share({
      percent: (100 * part) / total.calls,
      few: (100 * part) / total.calls > 0 && (100 * part) / total.calls < 1,
    })
  const time = (milliseconds: number | null) => (milliseconds === null ? null : duration(milliseconds))
  const change = (now: number | null, then: number | null | undefined) => {
    const by = changeInPercent(now, then)
    return by === null ? '' : t.change({ percent: by })
  }
  const rate = successRate(total)
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="md">
      <Figure
        label={t.figures.calls}
        value={count(total.calls)}
        hint={change(total.calls, before?.calls)}
        values={steps.map(({ calls }) => calls)}
      />
      <Figure
        label={t.figures.success}
        value={rate === null ? null : percent(rate)}
        hint={t.carriedOut}
        values={steps.map((step) => successRate(step))}
      />
      <Figure
        label={t.figures.failed}
        value={count(total.failed)}
        hint={share(total.failed)}
        values={steps.map(({ failed }) => failed)}
      />
      <Figure
        label={t.figures.refused}
        value={count(total.refused)}
        hint={share(total.refused)}
        values={steps.map(({ refused }) => refused)}
      />
      <Figure
        label={t.figures.median}
        value={time(total.median_ms)}
        hint={change(total.median_ms, before?.median_ms)}
        values={steps.map(({ median_ms: median }) => median)}
      />
      <Figure
        label={t.figures.p95}
        value={time(total.p95_ms)}
        hint={change(total.p95_ms, before?.p95_ms)}
        values={steps.map(({ p95_ms: p95 }) => p95)}
      />
    </SimpleGrid>
  )
}
