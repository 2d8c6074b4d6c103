/** How a connection is at a glance: what it offers, where it is, who relies on it, and what it warned of lately. */
import { kindOf } from '@toolway/contract'
import { Code, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { findEndpoint, listAlerts, type Alert, type Connection } from '@toolway/contract/admin'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { localized } from '../../../texts/gateway-words.ts'
import { texts } from '../../../texts/texts.ts'
import { CopyField } from '../../../ui/copy.tsx'
import { TextLink } from '../../../ui/links.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Section } from '../../../ui/section.tsx'
import { When } from '../../../ui/when.tsx'
import { Facts } from './connection-facts.tsx'
import { ConnectionHistory } from './connection-history.tsx'
import { ConnectionReliance } from './connection-reliance.tsx'
import { usePath } from './connection-ways.tsx'
import { LeftOut, Repaired, RepairedAnswers } from './left-out.tsx'

const t = texts.connection.overview

export function ConnectionOverview({ connection }: { connection: Connection }) {
  return (
    <Stack gap="lg">
      <ConnectionHistory connection={connection} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Offers connection={connection} />
        <Reached connection={connection} />
      </SimpleGrid>
      {kindOf(connection.connector).tellsLeftOut !== true && connection.left_out.length > 0 && (
        <LeftOut connection={connection} hint={t.leftOutHint} />
      )}
      {connection.repaired.length > 0 && <Repaired connection={connection} />}
      {connection.oauth_repaired.length > 0 && <RepairedAnswers connection={connection} />}
      <Endpoint connection={connection} />
      <ConnectionReliance connection={connection} />
      <Alerts connection={connection} />
    </Stack>
  )
}

const useEndpoint = (connection: Connection) =>
  useQuery(ask('connections', findEndpoint, { path: usePath(connection) }))

function Offers({ connection }: { connection: Connection }) {
  const { fetched_at: fetched, stale_reason: stale, left_out: leftOut } = connection
  const { data } = useEndpoint(connection)
  const mayRules = useMay('policy_manage')
  const kind = kindOf(connection.connector)
  const server = data?.server
  return (
    <Facts
      title={t.offers}
      facts={[
        [t.tools, connection.tools],
        [t.resources, data?.resources ?? '–'],
        [t.prompts, data?.prompts ?? '–'],
        [t.asked, <When key="asked" at={fetched} never={t.never} />],
        stale !== null && [t.stale, localized(stale)],
        server != null && [t.server, `${server.name} ${server.version}`.trim()],
        kind.speaksMcp && [t.speaks, data?.revision ?? t.unknown],
        leftOut.length > 0 && [
          t.leftOut,
          kind.tellsLeftOut === true ? t.leftOutCount({ count: leftOut.length }) : leftOut.length,
        ],
      ]}
    >
      <Group gap="md">
        <TextLink to="/playground" search={{ connection: connection.alias }}>
          {t.tryIt}
        </TextLink>
        {mayRules ? (
          <TextLink to="/rules" search={{ tab: 'access', selected: `connection:${connection.alias}` }}>
            {texts.access.who}
          </TextLink>
        ) : null}
      </Group>
    </Facts>
  )
}

function Reached({ connection }: { connection: Connection }) {
  const { url, command, args, auth, timeout, revision, header_names: headers, environment_names: names } = connection
  const { network, allow_hosts: allowed, allow_paths: shared } = connection
  const [hosts, paths] = [allowed ?? [], shared ?? []]
  return (
    <Facts
      title={t.reached}
      facts={[
        url !== null && [t.address, <Code key="url">{url}</Code>],
        connection.private && [t.private, t.privateYes],
        command !== null && [t.command, <Code key="command">{[command, ...(args ?? [])].join(' ')}</Code>],
        network !== null && [t.network, texts.connection.access.networks[network]],
        hosts.length > 0 && [t.allowHosts, hosts.join(', ')],
        paths.length > 0 && [t.allowPaths, <Code key="paths">{paths.join(' ')}</Code>],
        auth !== null && [t.auth, texts.connection.auths[auth.kind]],
        headers.length > 0 && [t.headers, headers.join(', ')],
        names.length > 0 && [t.environment, names.join(', ')],
        [t.timeout, t.seconds({ seconds: timeout })],
        kindOf(connection.connector).speaksMcp ? [t.pinned, revision === 'auto' ? t.auto : revision] : undefined,
        [t.made, <When key="made" at={connection.created_at} />],
        [t.changed, <When key="changed" at={connection.updated_at} />],
      ]}
    />
  )
}

function Endpoint({ connection }: { connection: Connection }) {
  const { data } = useEndpoint(connection)
  if (data === undefined) return null
  return (
    <Section title={t.endpoint} hint={t.endpointHint}>
      <CopyField value={`${window.location.origin}${data.path}`} label={t.endpointLabel} copyLabel={t.copyEndpoint} />
    </Section>
  )
}

function Alerts({ connection }: { connection: Connection }) {
  const { organization } = usePath(connection)
  const alerts = useQuery(
    ask('alerts', listAlerts, { path: { organization }, query: { connection_id: connection.id, limit: 10 } }),
  )
  return (
    <Section title={t.alerts}>
      <Loaded query={alerts} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.noAlerts}
            </Text>
          ) : (
            <List size="sm" spacing={6}>
              {items.map((alert) => (
                <List.Item key={alert.id}>
                  {wordsOf(alert)}{' '}
                  <Text span size="sm" c="dimmed">
                    <When at={alert.created_at} />
                  </Text>
                </List.Item>
              ))}
            </List>
          )
        }
      </Loaded>
    </Section>
  )
}

/** With the names of the tools, or of the account, that it is about. */
function wordsOf({ kind, detail: { tools, account, verdict } }: Alert): string {
  const words = texts.alerts
  const named = (Array.isArray(tools) ? tools : [account]).flatMap((value: unknown) => {
    const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'tool') : value
    return typeof name === 'string' && name !== '' ? [name] : []
  })
  const decided = typeof verdict === 'string' && kind === 'tool.settled' ? words.verdicts[verdict] : undefined
  return words.about({
    words: words.kinds[kind] ?? kind,
    names: named.slice(0, 3).join(', '),
    more: Math.max(0, named.length - 3),
    verdict: decided,
  })
}
