/** Service levels: availability, 95th percentile and error budget of each connection, against the target of the organization. */
import { SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { findServiceLevels, type LevelWindow, type ServiceLevels } from '@toolway/contract/admin'
import { z } from 'zod'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Uncounted } from '../../parts/figures/uncounted.tsx'
import { LevelFigures } from './level-figures.tsx'
import { LevelTable } from './level-table.tsx'
import { TargetChoice } from './target-choice.tsx'

const t = texts.serviceLevels

const WINDOWS = ['hour', 'day', 'month'] as const satisfies readonly LevelWindow[]
const State = z.object({ window: z.enum(WINDOWS).default('month') })

export function ServiceLevelsScreen() {
  const may = useMay('stats_view_own')
  if (may) return <Shown />
  return <Forbidden screen={t.title} {...t.forbidden} />
}

function Shown() {
  const organization = useOrganization()
  const [{ window }, set] = useUrlState(State)
  const levels = useQuery(ask('stats', findServiceLevels, { path: { organization } }))
  return (
    <Screen
      title={t.title}
      hint={t.hint}
      action={
        <SegmentedControl
          aria-label={t.window}
          value={window}
          data={WINDOWS.map((value) => ({ value, label: t.windows[value] }))}
          onChange={(value) => set({ window: value === 'month' ? undefined : value })}
        />
      }
    >
      <Loaded query={levels}>
        {(found) => (found.connections.length === 0 ? <Nothing /> : <Found levels={found} window={window} />)}
      </Loaded>
    </Screen>
  )
}

function Found({ levels, window }: { levels: ServiceLevels; window: LevelWindow }) {
  return (
    <Stack gap="lg">
      <Uncounted number={levels.uncounted} hint={t.unknown} />
      <TargetChoice target={levels.target} />
      <LevelFigures level={levels.total[window]} target={levels.target} />
      <Panel title={t.connections}>
        <LevelTable levels={levels} window={window} />
      </Panel>
    </Stack>
  )
}

function Nothing() {
  const mayConnect = useMay('connector_create')
  return (
    <Empty title={t.nothing.title} hint={t.nothing.hint} icon="chart-bar">
      {mayConnect ? <LinkButton to="/connect">{t.connect}</LinkButton> : null}
    </Empty>
  )
}
