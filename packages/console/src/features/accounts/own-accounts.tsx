/**
 * The accounts that one's calls use at the services behind all connections: one's own, those that are shared, and what is still needed.
 * They are connected here; keys are entered, and accounts renamed and disconnected, on the page of their connection.
 */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { listOwnAccounts, type OwnAccount } from '@toolway/contract/admin'
import { useCallback } from 'react'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { useArrivals } from '../../data/oauth-redirect.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { ACCOUNT_TONES } from '../../parts/account/account-tones.ts'
import { useOAuthRedirect } from '../../parts/account/use-oauth-redirect.ts'
import { localizedOr } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { When } from '../../ui/when.tsx'

const t = texts.me
const states = texts.connection.accounts.states

type Kind = OwnAccount['kind']
const TONES: Readonly<Record<Kind, Tone>> = { yours: 'good', shared: 'good', needed: 'warn', no_app: 'off' }
const Shown = z.object({ q: z.string().default('') })

export function OwnAccounts() {
  const organization = useOrganization()
  const [{ q }, set] = useUrlState(Shown)
  const query = q === '' ? {} : { search: q }
  const found = usePages('accounts', listOwnAccounts, { path: { organization }, query })
  const queries = useQueryClient()
  useArrivals(
    useCallback(() => {
      for (const noun of ['accounts', 'connections']) void queries.invalidateQueries({ queryKey: [noun] })
      return false
    }, [queries]),
  )
  return (
    <Section title={t.accounts} bare>
      <TypedSearch
        label={t.accountsSearch}
        placeholder={t.accountsSearchHint}
        value={q}
        onSearch={(next) => set({ q: next })}
        mb="md"
      />
      <Table
        label={t.accounts}
        query={found}
        rowKey={({ connection, account }) => account?.id ?? connection.alias}
        empty={
          q === '' ? (
            <Empty title={t.accountsNone} hint={t.accountsNoneHint} icon="key" />
          ) : (
            <Empty title={texts.picker.nothing} hint={t.accountsSearchHint} icon="search" />
          )
        }
        onMore={found.onMore}
        columns={COLUMNS}
      />
    </Section>
  )
}

/** Titles may be equal; aliases are not. */
const Place = ({ alias, title }: OwnAccount['connection']) => (
  <Stack gap={2}>
    <TextLink {...accountsAt(alias)}>{title}</TextLink>
    {title === alias ? null : (
      <Text size="sm" c="dimmed" className="breakable">
        {alias}
      </Text>
    )}
  </Stack>
)

const COLUMNS = [
  column<OwnAccount>(t.accountColumns.connection, ({ connection }) => <Place {...connection} />, 3),
  column<OwnAccount>(t.accountColumns.account, (row) => <Named {...row} />, 3),
  column<OwnAccount>(t.accountColumns.state, (row) => <State {...row} />, 2),
  column<OwnAccount>(t.accountColumns.action, (row) => <Actions {...row} />, 3, { plain: true }),
]

const accountsAt = (alias: string) => ({ to: `/connections/${alias}`, search: { tab: 'accounts' } })

function Named({ kind, connection, account }: OwnAccount) {
  if (kind === 'no_app') return <Text size="sm">{t.accountNoApp}</Text>
  if (account === null) return <Text size="sm">{lackOf(connection)}</Text>
  const { name, account: label } = account
  return (
    <Stack gap={2}>
      <Text size="sm" className="breakable">
        {name ?? (kind === 'shared' ? t.accountShared : t.accountUnknown({ account: label }))}
      </Text>
      {name === null ? null : (
        <Text size="sm" c="dimmed">
          {kind === 'shared' ? t.accountShared : label}
        </Text>
      )}
    </Stack>
  )
}

/** In the words of the person who reads it; whatever else keeps the connection from serving is the gateway's sentence. */
function lackOf({ needs, status_reason: reason }: OwnAccount['connection']): string | null {
  if (needs === 'account') return t.accountLacking
  return needs === 'credential' ? t.accountAgain : localizedOr(reason)
}

function State({ kind, account }: OwnAccount) {
  const isWell = account === null || account.state === 'good'
  return (
    <Stack gap={4} align="flex-start">
      <StateBadge tone={TONES[kind]}>{t.accountKinds[kind]}</StateBadge>
      {isWell ? null : <StateBadge tone={ACCOUNT_TONES[account.state]}>{states[account.state]}</StateBadge>}
      {account?.state === 'expiring' ? (
        <Text size="sm" c="dimmed">
          <When at={account.expires_at} never="" />
        </Text>
      ) : null}
    </Stack>
  )
}

function Actions({ kind, connection, account }: OwnAccount) {
  const { alias, id, auth } = connection
  const { depart, failure, state } = useOAuthRedirect({ alias, id })
  if (kind === 'no_app' || auth?.owners.includes('member') !== true) return null
  const own = account?.owner === 'member' ? account : undefined
  const label = own === undefined ? (kind === 'shared' ? t.accountOwn : t.accountConnect) : undefined
  const again = own !== undefined && kind === 'needed'
  const another = own !== undefined && auth?.accounts === 'many'
  const toKey = { to: `/connections/${alias}`, search: { tab: 'accounts', dialog: 'key' } }
  const button = (words: string, onClick: () => void) => (
    <Button
      size="xs"
      variant={kind === 'needed' ? 'filled' : 'default'}
      loading={state === 'leaving'}
      aria-label={`${words}: ${connection.title} (${alias})`}
      onClick={onClick}
    >
      {words}
    </Button>
  )
  return (
    <Stack gap="xs" align="flex-start">
      <Group gap="xs">
        {auth?.kind === 'key' ? (
          own === undefined || another ? (
            <LinkButton {...toKey} size="xs" variant={kind === 'needed' ? 'filled' : 'default'}>
              {t.accountKey}
            </LinkButton>
          ) : null
        ) : (
          <>
            {label === undefined ? null : button(label, () => depart({ owner: 'member' }))}
            {again
              ? button(t.accountAgain, () => depart({ owner: 'member', account: own.account, replaces: own.id }))
              : null}
            {another ? button(t.accountAnother, () => depart({ owner: 'member' })) : null}
          </>
        )}
        {own === undefined ? null : (
          <LinkButton {...accountsAt(alias)} size="xs" variant="default">
            {t.accountManage}
          </LinkButton>
        )}
      </Group>
      {failure === undefined ? null : <Failed failure={failure} />}
    </Stack>
  )
}
