/**
 * One's own accounts at the services behind all connections of the organization, and the connections that still need one. Each row leads
 * to the accounts of its connection, where they are connected, renamed and disconnected.
 */
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listAllAccounts, listConnections, type AccountInPlace, type Connection } from '@toolway/contract/admin'
import { useMe, useOrganization } from '../../data/me.ts'
import { askAll } from '../../data/pages.ts'
import { ACCOUNT_TONES } from '../../parts/account/account-tones.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'

const t = texts.me
const states = texts.connection.accounts.states

/** A connection with one of one's accounts, or without any. */
interface Row {
  readonly connection: Pick<Connection, 'alias' | 'title'>
  readonly account: AccountInPlace | undefined
}

export function OwnAccounts() {
  const organization = useOrganization()
  const { user } = useMe()
  const path = { organization }
  const connections = useQuery(askAll('connections', listConnections, { path }))
  const found = useQuery({
    ...askAll('accounts', listAllAccounts, { path }),
    select: (page) => ({ ...page, items: rowsOf(connections.data?.items ?? [], page.items, user?.id) }),
  })
  const columns = [
    column<Row>(
      t.accountColumns.connection,
      ({ connection: { alias, title } }) => <TextLink {...accountsAt(alias)}>{title}</TextLink>,
      3,
    ),
    column<Row>(t.accountColumns.account, ({ account }) => <Named account={account} />, 3),
    column<Row>(t.accountColumns.state, ({ account }) => <State account={account} />, 2),
    column<Row>(
      t.accountColumns.action,
      ({ connection: { alias, title }, account }) => (
        <LinkButton {...accountsAt(alias)} size="xs" variant={needsUser(account) ? 'filled' : 'default'}>
          {account === undefined ? t.accountConnect({ title }) : needsUser(account) ? t.accountAgain : t.accountManage}
        </LinkButton>
      ),
      2,
      { plain: true },
    ),
  ]
  return (
    <Section title={t.accounts} hint={t.accountsHint} bare>
      <Table
        label={t.accounts}
        query={found}
        rowKey={({ connection, account }) => account?.id ?? connection.alias}
        empty={<Empty title={t.accountsNone} hint={t.accountsNoneHint} icon="key" />}
        columns={columns}
      />
    </Section>
  )
}

const accountsAt = (alias: string) => ({ to: `/connections/${alias}`, search: { tab: 'accounts' } })

const needsUser = (account: AccountInPlace | undefined) => account === undefined || account.state === 'lost'

/** Accounts that need their owner come first. */
function rowsOf(
  connections: readonly Connection[],
  accounts: readonly AccountInPlace[],
  user: string | undefined,
): Row[] {
  const own = accounts.filter(({ user_id: id }) => id !== null && id === user)
  const served = new Set(own.map(({ connection }) => connection))
  const titleOf = (alias: string) => connections.find((one) => one.alias === alias)?.title ?? alias
  const rows: Row[] = own.map((account) => ({
    connection: { alias: account.connection, title: titleOf(account.connection) },
    account,
  }))
  const lacking: Row[] = connections
    .filter((connection) => !served.has(connection.alias) && asksForAccount(connection))
    .map((connection) => ({ connection, account: undefined }))
  return [
    ...rows.filter(({ account }) => needsUser(account)),
    ...lacking,
    ...rows.filter(({ account }) => !needsUser(account)),
  ]
}

/** Its server wants an account, and a member may have one of their own. */
const asksForAccount = ({ auth, enabled, status }: Connection): boolean =>
  enabled &&
  auth !== null &&
  auth.owners.includes('member') &&
  (auth.kind === 'oauth' || auth.kind === 'key' || (auth.kind === 'auto' && status === 'needs_auth'))

function Named({ account }: Pick<Row, 'account'>) {
  if (account === undefined) return <Text size="sm">{t.accountMissing}</Text>
  return (
    <Stack gap={2}>
      <Text size="sm" className="breakable">
        {account.name ?? account.account}
      </Text>
      {account.name === null ? null : (
        <Text size="sm" c="dimmed">
          {account.account}
        </Text>
      )}
    </Stack>
  )
}

function State({ account }: Pick<Row, 'account'>) {
  if (account === undefined) return <StateBadge tone="warn">{t.accountNeeded}</StateBadge>
  const { state, expires_at: at } = account
  return (
    <Stack gap={4} align="flex-start">
      <StateBadge tone={ACCOUNT_TONES[state]}>{states[state]}</StateBadge>
      {state === 'expiring' ? (
        <Text size="sm" c="dimmed">
          <When at={at} never="" />
        </Text>
      ) : null}
    </Stack>
  )
}
