/** How much is called here, over a span of time, and what and whose it was. */
import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { findUsage, listUsageCallers, type Usage, type UsageCaller } from '@toolway/contract/admin'
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react'
import { loadSurely } from '../../data/load-surely.ts'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState, type SetUrlState } from '../../data/url-state.ts'
import { Uncounted } from '../../parts/figures/uncounted.tsx'
import { spanBefore } from '../../parts/figures/usage-figures.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'

import { Busy } from '../../ui/busy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Icon } from '../../ui/icon.tsx'
import { keepOrganization } from '../../ui/keep-organization.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { momentText } from '../../ui/moment-field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { sayDone } from '../../ui/say.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Figures } from './figures.tsx'
import { HeatMap } from './heat-map.tsx'
import { recordsSpan, spanOf, stepSpan, stepsSpan, rangeOfWord, zoomedFrom } from './span.ts'
import { UsageState } from './state.ts'
import { usageCsv } from './usage-csv.ts'
import { UsageFilters } from './usage-filters.tsx'
import { Used } from './most-used.tsx'

const usageDetails = texts.usageDetails

const Chart = lazy(() =>
  loadSurely(() => import('./usage-chart.tsx')).then(({ UsageChart }) => ({ default: UsageChart })),
)
const Latency = lazy(() =>
  loadSurely(() => import('./latency-chart.tsx')).then(({ LatencyChart }) => ({ default: LatencyChart })),
)

const RANGES = ['day', 'week', 'month'] as const
const CHART_PX = 240

export function UsageScreen() {
  const may = useMay('stats_view_own')
  const t = texts.usage
  if (may) return <Shown />
  return <Forbidden screen={texts.nav.usage} {...t.forbidden} />
}

function Shown() {
  const organization = useOrganization()
  const [state, set] = useUrlState(UsageState)
  const { range, from, to, connection, caller } = state
  const [now] = useState(() => new Date())
  const span = useMemo(() => spanOf({ range, from, to }, now), [range, from, to, now])
  const isSpan = span !== undefined
  const query = { ...(span ?? spanOf({ range: 'day' }, now)), connection, caller }
  const usage = useQuery({ ...ask('stats', findUsage, { path: { organization }, query }), enabled: isSpan })
  // The span before is over: no event changes it.
  const past = {
    ...query,
    ...spanBefore(query.from ?? '', query.to === undefined ? now.getTime() : Date.parse(query.to)),
  }
  const before = useQuery({ ...ask('past', findUsage, { path: { organization }, query: past }), enabled: isSpan })
  // What was asked for before is shown until the answer is here, and says so.
  const isOld = usage.isPlaceholderData
  const t = texts.usage
  const choose = (next: string) => {
    const change = { zoomed_from: undefined, from: undefined, to: undefined }
    if (next !== 'custom') return set({ ...change, range: next === 'day' ? undefined : (next as 'week') })
    set({ ...change, range: 'custom', from: momentText(new Date(query.from ?? now)), to: momentText(now) })
  }
  const reset = state.zoomed_from === undefined ? null : <ResetZoom word={state.zoomed_from} set={set} />
  return (
    <Screen
      title={texts.nav.usage}
      hint={t.hint}
      action={
        <Group gap="sm">
          <SegmentedControl
            aria-label={t.range}
            style={{ flexWrap: 'wrap' }}
            value={range}
            data={[
              ...RANGES.map((value) => ({ value, label: t.ranges[value] })),
              { value: 'custom', label: usageDetails.custom },
            ]}
            onChange={choose}
          />
          <ExportButton usage={isOld ? undefined : usage.data} filter={{ connection, caller }} />
        </Group>
      }
    >
      <UsageFilters state={state} usage={usage.data} isSpan={isSpan} set={set} />
      {isSpan ? (
        <Loaded query={usage}>
          {(found) => (
            <Stack gap="lg">
              <Uncounted number={found.uncounted} />
              {found.total.calls === 0 ? (
                // Without a number of calls, nobody knows yet whether there were any.
                found.uncounted === 0 ? (
                  <Nothing>{reset}</Nothing>
                ) : (
                  reset
                )
              ) : (
                <Busy busy={isOld} what={texts.nav.usage}>
                  <Found
                    usage={found}
                    before={before.isPlaceholderData || before.data?.uncounted !== 0 ? undefined : before.data.total}
                    state={state}
                    set={set}
                    reset={reset}
                  />
                </Busy>
              )}
            </Stack>
          )}
        </Loaded>
      ) : null}
    </Screen>
  )
}

const CALLERS_PAGE = 200
type Filter = Pick<UsageState, 'connection' | 'caller'>

/** Every caller of the span that is shown, not only those on the screen. */
async function allCallers(organization: string, { from, to, callers }: Usage, { connection, caller }: Filter) {
  if (caller !== undefined) return callers
  const all: UsageCaller[] = []
  for (;;) {
    const query = { from, to, connection, limit: CALLERS_PAGE, offset: all.length }
    const { items } = await call(listUsageCallers, { path: { organization }, query })
    all.push(...items)
    if (items.length < CALLERS_PAGE) return all
  }
}

function ExportButton({ usage, filter }: { usage: Usage | undefined; filter: Filter }) {
  const organization = useOrganization()
  const [saving, setSaving] = useState(false)
  const save = async () => {
    if (usage === undefined) return
    setSaving(true)
    try {
      const callers = usage.callers === null ? null : await allCallers(organization, usage, filter)
      const name = `toolway-usage-${usage.from.slice(0, 10)}.csv`
      saveFile(new Blob([usageCsv({ ...usage, callers })], { type: 'text/csv' }), name)
      sayDone(usageDetails.exported({ file: name }))
    } catch (thrown) {
      sayProblem(thrown)
    } finally {
      setSaving(false)
    }
  }
  return (
    <Button
      variant="default"
      disabled={usage === undefined}
      loading={saving}
      leftSection={<Icon name="download" size={16} />}
      onClick={() => void save()}
    >
      {usageDetails.csv}
    </Button>
  )
}

interface FoundProps {
  readonly usage: Usage
  readonly before: Usage['total'] | undefined
  readonly state: UsageState
  readonly set: SetUrlState<UsageState>
  /** The button that leads back from a zoom. */
  readonly reset: ReactNode
}

function Found({ usage, before, state, set, reset }: FoundProps) {
  const navigate = useNavigate()
  const mayRecords = useMay('audit_view_own')
  const t = texts.usage
  const { calls, failed, refused } = usage.total
  const { connection, caller } = state
  /** The back button takes a zoom back, too; the button for it leads to where the first of several began. */
  const zoom = (part: ReturnType<typeof stepSpan>) =>
    set({ ...part, zoomed_from: state.zoomed_from ?? zoomedFrom(state) }, 'push')
  const zoomTo = (first: number, last: number) => zoom(stepsSpan(usage, first, last))
  /** A day by the hour; an hour by its records. */
  const open = (at: string) => {
    const part = stepSpan(at, usage.step)
    if (usage.step === 'day') return zoom(part)
    if (!mayRecords) return
    const search = { ...part, connection, actor_id: caller }
    void navigate({
      to: '/records' as never,
      search: ((stored: Record<string, unknown>) => ({ ...keepOrganization(stored), ...search })) as never,
    })
  }
  return (
    <Stack gap="lg">
      <Figures usage={usage} before={before} />
      <Panel
        title={t.chart}
        hint={`${t.chartSays({ calls, failed, refused })}. ${usageDetails.zoom}`}
        action={
          <Group gap="xs">
            {reset}
            {mayRecords ? (
              <LinkButton
                to="/records"
                search={{ ...recordsSpan(state), action: 'tools/call', connection, actor_id: caller }}
                variant="default"
                size="xs"
              >
                {usageDetails.records}
              </LinkButton>
            ) : null}
          </Group>
        }
      >
        <Suspense fallback={<div aria-busy="true" style={{ height: CHART_PX }} />}>
          <Chart usage={usage} height={CHART_PX} onOpen={open} onZoom={zoomTo} />
        </Suspense>
        {usage.steps.length < 2 ? null : (
          <Text size="xs" c="dimmed">
            {usageDetails.drag}
          </Text>
        )}
      </Panel>
      <Panel title={t.latency} hint={t.latencyHint} action={reset}>
        <Suspense fallback={<div aria-busy="true" style={{ height: CHART_PX }} />}>
          <Latency usage={usage} height={CHART_PX} onZoom={zoomTo} />
        </Suspense>
      </Panel>
      {usage.tools === null || usage.tools.length === 0 ? null : (
        <Panel title={usageDetails.heat} hint={usageDetails.heatHint}>
          <HeatMap tools={usage.tools} usage={usage} />
        </Panel>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Used usage={usage} state={state} onFilter={set} />
      </SimpleGrid>
      {usage.tools === null ? <Text c="dimmed">{t.onlyAdministrators}</Text> : null}
    </Stack>
  )
}

/** Back to the span before a zoom. */
function ResetZoom({ word, set }: { word: string; set: SetUrlState<UsageState> }) {
  const change = { ...rangeOfWord(word), zoomed_from: undefined }
  return (
    <Button variant="default" size="xs" onClick={() => set(change)}>
      {usageDetails.resetZoom}
    </Button>
  )
}

function Nothing({ children }: { children: ReactNode }) {
  const mayCall = useMay('tool_call')
  const t = texts.usage
  return (
    <Empty title={t.nothing.title} hint={t.nothing.hint} icon="chart-bar">
      {mayCall ? <LinkButton to="/playground">{t.call}</LinkButton> : null}
      {children}
    </Empty>
  )
}
