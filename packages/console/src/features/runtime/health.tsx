/** Whether the gateway that answers serves, what it looks at to know, and how much there is in the installation. */
import { Alert, Stack, Text } from '@mantine/core'
import { findPlatformStats, type PlatformStats } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { health, type Health as Told } from '../../data/health.ts'
import { ask } from '../../data/queries.ts'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { Facts } from '../../ui/facts.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { count, size } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'
import { Gateways } from './gateways.tsx'
import { ReadAt } from './read-at.tsx'

const t = texts.runtime.health

export function Health() {
  const readiness = useQuery(health)
  const stats = useQuery(ask('runtime', findPlatformStats))
  return (
    <Stack gap="lg">
      <Section title={t.title}>
        <Loaded query={readiness}>{(answer) => <Readiness told={answer} />}</Loaded>
        <Loaded query={stats} lines={3}>
          {({ gateway }) => (
            <Facts
              facts={[
                [t.uptime, lasting(gateway.uptime_seconds)],
                [t.memory, size(gateway.memory_bytes)],
                [t.pooled, count(gateway.pooled)],
              ]}
            />
          )}
        </Loaded>
      </Section>
      <Gateways />
      <Section title={t.installation}>
        <Loaded query={stats}>{(all) => <Installation stats={all} />}</Loaded>
        <ReadAt data={stats.data} isRefetchError={stats.isRefetchError} />
      </Section>
    </Stack>
  )
}

interface Look {
  readonly color: string
  readonly icon: IconName
  readonly title: string
}

/** By what the gateway says of itself; everything else is a gateway that does not serve. */
const LOOKS: Readonly<Record<string, Look>> & { readonly stopped: Look } = {
  ready: { color: 'teal', icon: 'circle-check', title: t.ready },
  degraded: { color: 'yellow', icon: 'alert-triangle', title: t.degraded },
  stopped: { color: 'red', icon: 'alert-triangle', title: t.notReady },
}

function Readiness({ told: { status, problem, checks } }: { told: Told }) {
  const look = LOOKS[status] ?? LOOKS.stopped
  return (
    <Stack>
      <Alert color={look.color} icon={<Icon name={look.icon} />} title={look.title} role="status">
        {problem === undefined ? null : <Text size="sm">{localized(problem)}</Text>}
      </Alert>
      <Facts facts={Object.entries(checks).map(([name, value]) => [t.names[name] ?? name, t.values[value] ?? value])} />
    </Stack>
  )
}

function Installation({ stats }: { stats: PlatformStats }) {
  const { calls, connectors_by_status: states } = stats
  return (
    <Facts
      facts={[
        [t.organizations, count(stats.tenants)],
        [t.users, count(stats.users)],
        [t.connections, t.connectionsOn({ enabled: stats.connectors_enabled, all: stats.connectors })],
        [t.states, stateWords(states)],
        [t.tools, count(stats.tools)],
        [t.sessions, count(stats.sessions)],
        [t.keys, count(stats.keys)],
        [t.backup, stats.last_backup_at === null ? t.noBackup : <When key="backup" at={stats.last_backup_at} />],
        [t.calls, t.callsOf({ total: count(calls.total), failed: count(calls.failed), refused: count(calls.refused) })],
      ]}
    />
  )
}

const stateNames: Readonly<Record<string, string>> = t.stateNames

const stateWords = (states: Readonly<Record<string, number>>) =>
  Object.entries(states)
    .map(([state, many]) => `${stateNames[state] ?? state}: ${count(many)}`)
    .join(', ')

/** The two largest of its parts. */
function lasting(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  if (days > 0) return `${t.days({ count: days })} ${t.hours({ count: hours })}`
  return hours > 0
    ? `${t.hours({ count: hours })} ${t.minutes({ count: minutes % 60 })}`
    : t.minutes({ count: minutes })
}
