/** How are things here: what is connected and how it is, what was called, and what waits for somebody. Live, by events. */
import { SimpleGrid, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { findUsage, listConnections } from '@toolway/contract/admin'
import { useState } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { waitingApprovals } from '../../data/waiting.ts'
import { Uncounted } from '../../parts/figures/uncounted.tsx'
import { spanBefore } from '../../parts/figures/usage-figures.ts'
import { texts } from '../../texts/texts.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Screen } from '../../ui/screen.tsx'
import { AlertsPanel } from './alerts-panel.tsx'
import { ApprovalsPanel } from './approvals-panel.tsx'
import { CallsPanel } from './calls-panel.tsx'
import { ConnectionsPanel } from './connections-panel.tsx'
import { Figures } from './figures.tsx'
import { carriedOut, FirstSteps } from './first-steps.tsx'
import { Icon } from '../../ui/icon.tsx'

/** The rest is on the page of connections. */
const MOST_SHOWN = 6
const HOUR_MS = 3_600_000

export function HomeScreen() {
  const organization = useOrganization()
  const path = { organization }
  const may = useMay('connector_create')
  // Whole hours, the one that runs among them.
  const [from] = useState(() => new Date((Math.floor(Date.now() / HOUR_MS) - 23) * HOUR_MS).toISOString())
  const usage = useQuery({ ...ask('stats', findUsage, { path, query: { from } }), placeholderData: keepPreviousData })
  // It is over: no event changes it.
  const before = useQuery(ask('past', findUsage, { path, query: spanBefore(from, Date.parse(from) + 24 * HOUR_MS) }))
  const connections = useQuery(
    ask('connections', listConnections, { path, query: { sort: 'need', limit: MOST_SHOWN } }),
  )
  const approvals = useQuery(waitingApprovals(organization))
  const t = texts.home
  return (
    <Screen
      title={texts.nav.home}
      action={
        may ? (
          <LinkButton to="/connections/new" leftSection={<Icon name="plus" size={16} />}>
            {t.connect}
          </LinkButton>
        ) : (
          <LinkButton to="/accounts" leftSection={<Icon name="id-badge-2" size={16} />}>
            {texts.nav.accounts}
          </LinkButton>
        )
      }
    >
      <FirstSteps connected={connections.data?.total} called={carriedOut(usage.data)} />
      <Uncounted number={usage.data?.uncounted ?? 0} />
      <Figures
        usage={usage}
        before={before.data?.uncounted === 0 ? before.data.total : undefined}
        approvals={approvals.data?.total}
      />
      <ApprovalsPanel approvals={approvals} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Stack gap="lg">
          <CallsPanel usage={usage} />
          <AlertsPanel />
        </Stack>
        <ConnectionsPanel connections={connections} />
      </SimpleGrid>
    </Screen>
  )
}
