/** The last 24 hours in four numbers, each beside that of the 24 hours before. */
import { SimpleGrid } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Usage } from '@toolway/contract/admin'
import { Figure } from '../../parts/figures/figure.tsx'
import { changeInPercent, successRate } from '../../parts/figures/usage-figures.ts'
import { texts } from '../../texts/texts.ts'
import { count, duration, percent } from '../../ui/times.ts'

export interface FiguresProps {
  readonly usage: Pick<UseQueryResult<Usage>, 'data' | 'error'>
  /** Of the 24 hours before; undefined while it is unknown. */
  readonly before: Usage['total'] | undefined
  readonly approvals: number | undefined
}

export function Figures({ usage, before, approvals }: FiguresProps) {
  const t = texts.home.figures
  const { data, error } = usage
  const total = data?.total
  const steps = data?.steps
  // It was asked for and could not be told: a dash instead of a skeleton.
  const unknown = error !== null && total === undefined ? null : undefined
  const change = (now: number | null | undefined, then: number | null | undefined) => {
    const by = changeInPercent(now, then)
    return by === null ? t.day : t.change({ percent: by })
  }
  const rate = total === undefined ? undefined : successRate(total)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure
        label={t.calls}
        value={total === undefined ? unknown : count(total.calls)}
        hint={change(total?.calls, before?.calls)}
        values={steps?.map(({ calls }) => calls)}
        to="/usage"
      />
      <Figure
        label={t.success}
        value={rate === undefined ? unknown : rate === null ? null : percent(rate)}
        hint={total === undefined ? t.day : t.ended({ failed: total.failed, refused: total.refused })}
        values={steps?.map((step) => successRate(step))}
        to="/usage"
      />
      <Figure
        label={t.p95}
        value={total === undefined ? unknown : total.p95_ms === null ? null : duration(total.p95_ms)}
        hint={change(total?.p95_ms, before?.p95_ms)}
        values={steps?.map(({ p95_ms: p95 }) => p95)}
        to="/usage"
      />
      <Figure
        label={t.approvals}
        value={approvals === undefined ? undefined : count(approvals)}
        hint={t.now}
        to="/approvals"
      />
    </SimpleGrid>
  )
}
