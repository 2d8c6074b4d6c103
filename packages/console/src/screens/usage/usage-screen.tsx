/** How much is called here, over a span of time, and what and whose it was. */
import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { findUsage, type Usage } from '@toolway/contract/admin'
import { lazy, Suspense, useMemo, useState } from 'react'
import { z } from 'zod'
import { loadSurely } from '../../data/away.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Screen } from '../../ui/screen.tsx'
import { spanBefore } from '../../parts/figures/usage-figures.ts'
import { Figures } from './figures.tsx'
import { spanOf, type Range } from './span.ts'
import { Used } from './used.tsx'

const Chart = lazy(() =>
  loadSurely(() => import('./usage-chart.tsx')).then(({ UsageChart }) => ({ default: UsageChart })),
)
const Latency = lazy(() =>
  loadSurely(() => import('./latency-chart.tsx')).then(({ LatencyChart }) => ({ default: LatencyChart })),
)

const State = z.object({ range: z.enum(['day', 'week', 'month']).default('day') })
const RANGES = ['day', 'week', 'month'] as const
const CHART_PX = 240

export function UsageScreen() {
  const may = useMay('stats_view_own')
  const t = texts.usage
  if (may) return <Shown />
  return (
    <Screen title={texts.nav.usage}>
      <Empty title={t.forbidden.title} hint={t.forbidden.hint} icon="lock" />
    </Screen>
  )
}

function Shown() {
  const organization = useOrganization()
  const [{ range }, set] = useUrlState(State)
  const [now] = useState(() => new Date())
  const span = useMemo(() => spanOf(range, now), [range, now])
  const usage = useQuery(ask('stats', findUsage, { path: { organization }, query: span }))
  // The span before is over: no event changes it.
  const before = useQuery(
    ask('past', findUsage, {
      path: { organization },
      query: { ...spanBefore(span.from, now.getTime()), step: span.step },
    }),
  )
  const t = texts.usage
  return (
    <Screen
      title={texts.nav.usage}
      hint={t.hint}
      action={
        <SegmentedControl
          aria-label={t.range}
          value={range}
          data={RANGES.map((value) => ({ value, label: t.ranges[value] }))}
          onChange={(value) => set({ range: value === 'day' ? undefined : value })}
        />
      }
    >
      <Loaded query={usage}>
        {(found) =>
          found.total.calls === 0 ? <Nothing /> : <Found usage={found} before={before.data?.total} range={range} />
        }
      </Loaded>
    </Screen>
  )
}

function Found({ usage, before, range }: { usage: Usage; before: Usage['total'] | undefined; range: Range }) {
  const t = texts.usage
  const { calls, failed, refused } = usage.total
  return (
    <Stack gap="lg">
      <Figures usage={usage} before={before} />
      <Panel title={t.chart} hint={t.chartSays(calls, failed, refused)}>
        <Suspense fallback={<div aria-busy="true" style={{ height: CHART_PX }} />}>
          <Chart usage={usage} height={CHART_PX} />
        </Suspense>
      </Panel>
      <Panel title={t.latency} hint={t.latencyHint}>
        <Suspense fallback={<div aria-busy="true" style={{ height: CHART_PX }} />}>
          <Latency usage={usage} height={CHART_PX} />
        </Suspense>
      </Panel>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Used usage={usage} range={range} />
      </SimpleGrid>
      {usage.tools === null ? <Text c="dimmed">{t.onlyAdministrators}</Text> : null}
    </Stack>
  )
}

function Nothing() {
  const mayCall = useMay('tool_call')
  const t = texts.usage
  return (
    <Empty title={t.nothing.title} hint={t.nothing.hint} icon="chart-bar">
      {mayCall ? <LinkButton to="/playground">{t.call}</LinkButton> : null}
    </Empty>
  )
}
