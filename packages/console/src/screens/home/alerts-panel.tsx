/** Alerts for the organization's users: accounts that expire or are lost, tools held for review, rules that cannot be read. */
import { Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listAlerts, type Alert } from '@toolway/contract/admin'
import { useOrganization } from '../../data/me.ts'
import { useNamesOf } from '../../data/names.ts'
import { ask } from '../../data/queries.ts'
import { downConnections } from '../../data/waiting.ts'
import { texts } from '../../texts/texts.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { When } from '../../ui/when.tsx'

const MOST = 6

export function AlertsPanel() {
  const organization = useOrganization()
  const alerts = useQuery(ask('alerts', listAlerts, { path: { organization }, query: { limit: MOST } }))
  const nameOf = useNamesOf(alerts.data?.items.map(({ connection_id: id }) => id) ?? [])
  const down = useQuery(downConnections(organization)).data?.total ?? 0
  const t = texts.home.alerts
  return (
    <Panel title={t.title} hint={t.hint}>
      {down === 0 ? null : <Down count={down} />}
      <Loaded query={alerts} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{down === 0 ? t.none : t.noneBefore}</Text>
          ) : (
            <Stack gap="sm">
              {items.map((alert) => (
                <One key={alert.id} alert={alert} nameOf={nameOf} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** An outage that lasts needs somebody, however old its alert is. */
const Down = ({ count }: { count: number }) => (
  <Group gap="sm" wrap="nowrap">
    <Box c="var(--mantine-color-error)" style={{ display: 'inline-flex' }}>
      <Icon name="alert-triangle" />
    </Box>
    <TextLink to="/connections" search={{ state: 'error' }}>
      {texts.home.alerts.down({ number: count })}
    </TextLink>
  </Group>
)

const ICONS: Readonly<Record<string, IconName>> = {
  'connection.down': 'alert-triangle',
  'connection.up': 'circle-check',
  'credential.expiring': 'clock',
  'credential.lost': 'alert-triangle',
  'credential.back': 'circle-check',
  'tool.settled': 'circle-check',
  'approval.granted': 'circle-check',
  'approval.requested': 'hand-stop',
  'approval.denied': 'circle-x',
  'webhook.off': 'webhook',
  'records.waiting': 'alert-triangle',
  'records.stored': 'circle-check',
  'stream.behind': 'alert-triangle',
  'stream.current': 'circle-check',
  'stream.gap': 'alert-triangle',
  'password.emergency': 'alert-triangle',
  'factor.reset': 'alert-triangle',
}

function One({ alert, nameOf }: { alert: Alert; nameOf: (id: string) => string }) {
  const { kind, connection_id: id, created_at: at, detail } = alert
  const t = texts.home.alerts
  const runsOut = kind === 'credential.expiring' ? detail['expires_at'] : undefined
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Box c="dimmed" pt={2}>
        <Icon name={ICONS[kind] ?? 'bell'} />
      </Box>
      <Box style={{ flex: 1, minWidth: 0 }}>
        <Text className="breakable">{texts.alerts.kinds[kind] ?? kind}</Text>
        {id === null || nameOf(id) === id ? null : (
          <div>
            <TextLink to={`/connections/${id}`}>{nameOf(id)}</TextLink>
          </div>
        )}
        <Text size="sm" c="dimmed" component="div">
          <When at={at} />
          {typeof runsOut === 'string' ? (
            <>
              {t.runsOut} <When at={runsOut} />
            </>
          ) : null}
        </Text>
      </Box>
    </Group>
  )
}
