/** The accounts that a connection acts with, the state of each, and the actions to connect, rename or end one. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listAccounts, type Account, type Connection, type GatewayEvent } from '@toolway/contract/admin'
import { useCallback, useState } from 'react'
import { useEvents } from '../../../data/live.ts'
import { useArrivals } from '../../../data/oauth-redirect.ts'
import { useMay, useMe } from '../../../data/me.ts'
import { askAll } from '../../../data/pages.ts'
import { useUrlState } from '../../../data/url-state.ts'
import { ACCOUNT_TONES } from '../../../parts/account/account-tones.ts'
import { useOAuthRedirect, type OAuthRedirect } from '../../../parts/account/use-oauth-redirect.ts'
import { localized } from '../../../texts/gateway-words.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { StateBadge } from '../../../ui/badges.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { column, Table } from '../../../ui/table.tsx'
import { When } from '../../../ui/when.tsx'
import { AccountDialogs } from './connection-account-dialogs.tsx'
import { AccountState } from './connection-account-state.ts'
import { AccountMenu } from './connection-account-menu.tsx'
import { useNamesOf } from '../../../data/names.ts'
import { brokersAccounts, sentence } from './connection-states.ts'
import { askAgain, usePath } from './connection-ways.tsx'

const t = texts.connection.accounts

export function ConnectionAccounts({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const accounts = useQuery(askAll('accounts', listAccounts, { path }))
  const [, set] = useUrlState(AccountState)
  const linking = useLinking(connection)
  const nameOf = useNamesOf(accounts.data?.items.map(({ user_id: id }) => id) ?? [])
  const many = connection.auth?.accounts === 'many'
  const columns = [
    column<Account>(t.account, (account) => <Named account={account} many={many} />, 3),
    column<Account>(
      t.whose,
      ({ owner, user_id: user }) => (
        <Text size="sm">{owner === 'organization' || user === null ? t.everybody : nameOf(user)}</Text>
      ),
      2,
    ),
    column<Account>(t.state, (account) => <Health account={account} />, 3),
    column<Account>(t.expires, (account) => <Expiry account={account} />, 2),
    column<Account>(
      t.used,
      ({ used_at: at, kind }) => (
        <Text size="sm">
          <When at={at} never={kind === 'broker' ? '' : t.neverUsed} />
        </Text>
      ),
      2,
    ),
    column<Account>(
      t.actions,
      (account) => <AccountMenu connection={connection} account={account} linking={linking} />,
      1,
      { plain: true },
    ),
  ]
  return (
    <Stack gap="md">
      <Adding connection={connection} linking={linking} onKey={() => set({ dialog: 'key' }, 'push')} />
      <OnTheWay linking={linking} />
      <Table
        label={t.label}
        query={accounts}
        rowKey={({ id }) => id}
        empty={<Empty title={t.none} hint={t.noneHint({ kind: connection.auth?.kind ?? 'none' })} icon="key" />}
        columns={columns}
      />
      <AccountDialogs connection={connection} accounts={accounts.data?.items ?? []} />
    </Stack>
  )
}

/** The way of a person to an account and back, which is said here once when it led there. */
function useLinking({ id, alias, title, connector }: Connection): OAuthRedirect {
  const queries = useQueryClient()
  const oauthRedirect = useOAuthRedirect({ alias, id })
  const [expected, setExpected] = useState(false)
  useEvents(
    useCallback(
      (event: GatewayEvent) => {
        if (event.type !== 'integrations_changed' || event.id !== id || event.action !== 'connected') return
        if (expected) sayDone(t.connected({ title }))
        setExpected(false)
        void askAgain(queries)
      },
      [id, title, expected, queries],
    ),
  )
  // No event tells of an account that another server keeps.
  useArrivals(
    useCallback(() => {
      if (brokersAccounts(connector)) void askAgain(queries)
      return false
    }, [connector, queries]),
  )
  return {
    ...oauthRedirect,
    // The other window may still be on its way back: it is waited for, and no more said to be.
    state: expected ? oauthRedirect.state : 'here',
    depart(words) {
      setExpected(true)
      oauthRedirect.depart(words)
    },
  }
}

function Named({ account, many }: { account: Account; many: boolean }) {
  const { name, account: label, kind, is_default: isDefault } = account
  return (
    <Stack gap={2}>
      <Text fw={600} size="sm" className="breakable">
        {name ?? label}
      </Text>
      <Text size="sm" c="dimmed">
        {[name === null ? undefined : label, t.kinds[kind], many && isDefault ? t.default : undefined]
          .filter((word) => word !== undefined)
          .join(' · ')}
      </Text>
    </Stack>
  )
}

function Health({ account: { state, problem, problem_at: at, renewed_at: renewed, kind } }: { account: Account }) {
  return (
    <Stack gap={4} align="flex-start">
      <StateBadge tone={ACCOUNT_TONES[state]}>{t.states[state]}</StateBadge>
      {problem === null ? null : (
        <Text size="sm" className="breakable">
          {sentence(localized(problem))} <When at={at} never="" />
        </Text>
      )}
      {kind === 'oauth' && problem === null ? (
        <Text size="sm" c="dimmed">
          {t.renewed} <When at={renewed} />
        </Text>
      ) : null}
    </Stack>
  )
}

function Expiry({ account: { state, expires_at: at, renewable, kind } }: { account: Account }) {
  return (
    <Text size="sm" component="div">
      <When at={at} never={kind === 'broker' ? '' : t.neverExpires} />
      {renewable && state !== 'lost' ? (
        <Text size="sm" c="dimmed">
          {t.renewsItself}
        </Text>
      ) : null}
    </Text>
  )
}

function Adding({ connection, linking, onKey }: { connection: Connection; linking: OAuthRedirect; onKey: () => void }) {
  const { auth, connector } = connection
  const brokered = brokersAccounts(connector)
  const mayOwn = useMay('tool_call')
  const mayShare = useMay('connector_update')
  const { user } = useMe()
  const owners = brokered ? ['member'] : (auth?.owners ?? [])
  const own = owners.includes('member') && user !== null
  const shared = owners.includes('organization')
  if (auth?.kind === 'key')
    return (
      <Group>
        <Allowed may={mayOwn} why={texts.connection.notYours}>
          <Button leftSection={<Icon name="key" />} disabled={!mayOwn} onClick={onKey}>
            {t.addKey}
          </Button>
        </Allowed>
      </Group>
    )
  return (
    <Group gap="sm">
      {own ? (
        <Allowed may={mayOwn} why={texts.connection.notYours}>
          <Button
            leftSection={<Icon name="link" />}
            disabled={!mayOwn}
            onClick={() => linking.depart({ owner: 'member' })}
          >
            {t.connectOwn}
          </Button>
        </Allowed>
      ) : null}
      {shared ? (
        <Allowed may={mayShare} why={texts.connection.notYours}>
          <Button
            variant="default"
            leftSection={<Icon name="users" />}
            disabled={!mayShare}
            onClick={() => linking.depart({ owner: 'organization' })}
          >
            {t.connectShared}
          </Button>
        </Allowed>
      ) : null}
    </Group>
  )
}

function OnTheWay({ linking: { state, failure, end } }: { linking: OAuthRedirect }) {
  if (failure !== undefined) return <Failed failure={failure} />
  if (state !== 'away') return null
  return (
    <Alert color="blue" icon={<Icon name="clock" />} title={t.waiting} role="status">
      <Text size="sm" mb="xs">
        {t.waitingHint}
      </Text>
      <Button size="xs" variant="default" onClick={end}>
        {t.stopWaiting}
      </Button>
    </Alert>
  )
}
