/** The runtime screen, with a tab each for programs, sessions, open connections, the log, and the health. */
import { Button, Tabs } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, type ComponentType } from 'react'
import { z } from 'zod'
import { useEvents } from '../../data/live.ts'
import { useMay } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Health } from './health.tsx'
import { Logs } from './logs.tsx'
import { Pool } from './pool.tsx'
import { Processes } from './processes.tsx'
import { Sessions } from './sessions.tsx'

const t = texts.runtime

const TABS = ['processes', 'sessions', 'pool', 'logs', 'health'] as const
type Tab = (typeof TABS)[number]

const PANELS: Readonly<Record<Tab, ComponentType>> = {
  processes: Processes,
  sessions: Sessions,
  pool: Pool,
  logs: Logs,
  health: Health,
}

const State = z.object({ tab: z.enum(TABS).default('processes') })
/** The address parameters of single tabs, which mean nothing in another tab. */
const LEFT = { tenant: undefined, offset: undefined, level: undefined, connection: undefined }

export function RuntimeScreen() {
  const [{ tab }, set] = useUrlState(State)
  const may: Readonly<Record<Tab, boolean>> = {
    processes: useMay('process_manage'),
    sessions: useMay('stats_view_global', 'platform'),
    pool: useMay('stats_view_global', 'platform'),
    logs: useMay('audit_view_global', 'platform'),
    health: useMay('stats_view_global', 'platform'),
  }
  const queries = useQueryClient()
  const refresh = useCallback(() => void queries.invalidateQueries({ queryKey: ['runtime'] }), [queries])
  // A client that is seen may have opened a session.
  useEvents(useCallback(({ type }) => type === 'client_seen' && refresh(), [refresh]))
  const Panel = PANELS[tab]
  return (
    <Screen
      title={texts.nav.runtime}
      hint={t.hint}
      action={
        <Button variant="default" leftSection={<Icon name="refresh" size={16} />} onClick={refresh}>
          {t.refresh}
        </Button>
      }
    >
      <Tabs value={tab} onChange={(next) => set({ ...LEFT, tab: (next ?? undefined) as Tab | undefined })}>
        <Tabs.List mb="lg">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>{may[tab] ? <Panel /> : may.processes ? <NotYours /> : <Forbidden />}</Tabs.Panel>
      </Tabs>
    </Screen>
  )
}

const Forbidden = () => <Empty title={t.forbidden} hint={t.forbiddenHint} icon="lock" />
const NotYours = () => <Empty title={t.notYours} hint={t.notYoursHint} icon="lock" />
