/**
 * The page of a person's accounts without scripts, `/connect`, and `/connect/done`, where ways from a chat's link end; those that
 * began in the console end in it.
 *
 * It shows what one may connect and how that is, so that it can be mended before a call fails. It shows no token and no key.
 */
import {
  mayHaveAccounts,
  AccountName,
  Fault,
  permits,
  type CredentialId,
  type OrganizationId,
  type UserId,
} from '@toolway/contract'
import { Hono } from 'hono'
import { roleIn } from '../../call/callers/role.ts'
import type { Snapshot } from '../../call/snapshot.ts'
import {
  listAccountStates,
  preferAccount,
  renameAccount,
  stateOf,
  type AccountStateRow,
} from '../../credentials/account-states.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { Db } from '../../db/db.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'
import type { ConnectRequestLinks } from '../../oauth/outgoing/flows/connect-links.ts'
import type { CredentialKeeping } from '../../oauth/outgoing/ports.ts'
import type { Targets } from '../../oauth/outgoing/flows/target.ts'
import { WHYS } from '../../oauth/outgoing/flows/way-back.ts'
import { recordChange } from '../../records/change.ts'
import {
  accountsPage,
  donePage,
  type Outcome,
  type ShownAccount,
  type ShownConnection,
} from '../pages/accounts-page.ts'
import { pageOf } from '../pages/page.ts'
import { comesFromElsewhere, formOf, leadOn, type Env, type PageContext } from '../pages/page-request.ts'
import { INTEGRATIONS } from './callback-door.ts'
import { DONE } from './connect-door.ts'
import type { Visitor, Visitors } from './visitor.ts'

export interface AccountsDoorParts {
  readonly db: Pick<Db, 'organization'>
  readonly accounts: Pick<Accounts, 'find'>
  readonly links: Pick<ConnectRequestLinks, 'link'>
  readonly targets: Pick<Targets, 'takesAccounts'>
  readonly keeping: Pick<CredentialKeeping, 'end'>
  readonly visitors: Visitors
  all(): readonly Snapshot[]
  prefix(): string
  readonly now: () => number
}

/** An organization in which the visitor stands, and how far. */
interface Home {
  readonly snapshot: Snapshot
  /** Undefined for who is no member: the credentials of nobody's own. */
  readonly userId: UserId | undefined
  readonly mayShare: boolean
}

const ACCOUNTS = '/connect/accounts'

export function createAccountsDoor(parts: AccountsDoorParts): Hono<Env> {
  const { visitors, prefix } = parts
  const app = new Hono<Env>()

  app.get('/connect', async (c) => {
    const visitor = await visitors.find(c)
    if (visitor === undefined) return visitors.ask(c)
    const connections = await connectionsOf(parts, visitor.principal)
    const action = `${prefix()}${ACCOUNTS}`
    return pageOf({
      title: 'Your accounts',
      body: accountsPage({ connections, csrf: visitor.csrf, action }),
    })
  })
  // The old address of the source system (ledger S2-QRK-01).
  app.get('/settings/mcp', (c) => c.redirect(`${prefix()}${INTEGRATIONS}${new URL(c.req.url).search}`, 308))

  app.get(DONE, async (c) => {
    const visitor = await visitors.find(c)
    // Led here by the authorization server's site, the browser keeps back who it is; asked by us, it says.
    if (visitor === undefined && comesFromElsewhere(c)) return leadOn(`${prefix()}${DONE}${new URL(c.req.url).search}`)
    const known = visitor === undefined ? [] : await connectionsOf(parts, visitor.principal)
    const outcome = outcomeIn(c, known) ?? { kind: 'error', error: 'missing_code', why: undefined }
    return pageOf({
      title: outcome.kind === 'connected' ? 'Done' : 'That did not work',
      body: donePage(outcome),
      status: outcome.kind === 'connected' ? 200 : 400,
    })
  })

  app.post(`${ACCOUNTS}/:id`, async (c) => {
    const form = await formOf(c)
    const visitor = await visitors.find(c)
    if (visitor === undefined) return visitors.ask(c)
    visitor.check(form.get('csrf'))
    await change(parts, visitor, c.req.param('id') as CredentialId, form)
    return c.redirect(`${prefix()}/connect`, 303)
  })
  return app
}

/** Reads the outcome of an ended flow from the query of this page. Values that do not have the expected form are not shown. */
function outcomeIn(c: PageContext, connections: readonly ShownConnection[]): Outcome | undefined {
  const [connected, error, why] = [c.req.query('connected'), c.req.query('error'), c.req.query('why')]
  if (error !== undefined) {
    // RFC 6749, section 4.1.2.1: printable, without quotes.
    const said = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(error) ? error : 'nothing that can be shown'
    const sentence = why !== undefined && Object.hasOwn(WHYS, why) ? WHYS[why as keyof typeof WHYS] : undefined
    return { kind: 'error', error: said, why: sentence === undefined ? undefined : `Why: ${sentence}.` }
  }
  if (connected === undefined) return undefined
  return { kind: 'connected', title: connections.find(({ id }) => id === connected)?.title }
}

function homesOf({ all, accounts }: AccountsDoorParts, principal: Principal): Home[] {
  return all().flatMap((snapshot) => {
    const { organization, members } = snapshot
    if (!organization.active || (principal.organizationId ?? organization.id) !== organization.id) return []
    const role = roleIn(accounts, principal, members)
    if (role === undefined) return []
    const userId = principal.userId !== undefined && members.has(principal.userId) ? principal.userId : undefined
    return [{ snapshot, userId, mayShare: permits(role, 'connector_update') }]
  })
}

async function connectionsOf(parts: AccountsDoorParts, principal: Principal): Promise<ShownConnection[]> {
  const shown = await Promise.all(
    homesOf(parts, principal).map(async (home) => {
      const { id } = home.snapshot.organization
      const rows = await parts.db.organization(id, (sql) => listAccountStates(sql, home.userId))
      return home.snapshot.connections
        .filter((connection) => parts.targets.takesAccounts(connection))
        .flatMap((connection) => shownConnection(parts, home, connection, rows) ?? [])
    }),
  )
  return shown.flat()
}

/** Undefined for what needs nobody: its server has never asked for an account. */
function shownConnection(
  parts: AccountsDoorParts,
  home: Home,
  connection: ConnectionRow,
  rows: readonly AccountStateRow[],
): ShownConnection | undefined {
  const { settings, id, title, alias } = connection
  if (!mayHaveAccounts(settings)) return undefined
  const { auth } = settings
  const serves = (row: AccountStateRow) =>
    row.connection_id === id || (row.connection_id === null && row.provider === auth.provider)
  const own = rows.filter(serves)
  if (auth.kind === 'auto' && own.length === 0 && connection.status !== 'needs_auth') return undefined
  const linkFor = (userId: UserId | undefined, account: string | undefined) =>
    parts.links.link({ organizationId: home.snapshot.organization.id, connectionId: id, userId, account, scopes: [] })
      .url
  const [one, mine, shared] = [
    auth.accounts === 'one',
    auth.owners.includes('member'),
    auth.owners.includes('organization'),
  ]
  const has = (owner: UserId | null) => own.some((row) => row.user_id === owner)
  const { userId } = home
  return {
    id,
    title: title === alias ? alias : `${title} (${alias})`,
    server: new URL(settings.url).host,
    organization: home.snapshot.organization.name,
    many: !one,
    accounts: own.map((row) => shownAccount(parts, home, row, linkFor)),
    problem: connection.status === 'needs_auth' && own.length === 0 ? 'Its server asks for an account.' : undefined,
    mine: mine && userId !== undefined && (!one || !has(userId)) ? linkFor(userId, undefined) : undefined,
    shared: shared && home.mayShare && (!one || !has(null)) ? linkFor(undefined, undefined) : undefined,
  }
}

function shownAccount(
  { now }: AccountsDoorParts,
  home: Home,
  row: AccountStateRow,
  linkFor: (userId: UserId | undefined, account: string | undefined) => string,
): ShownAccount {
  const theirs = row.user_id === null ? home.mayShare : row.user_id === home.userId
  const state = stateOf(row, now())
  return {
    id: row.id,
    account: row.account,
    name: row.provider_username ?? undefined,
    owner: row.user_id === null ? 'organization' : 'you',
    state,
    why: row.problem ?? undefined,
    until: state === 'expiring' || state === 'expired' ? (row.expires_at ?? undefined) : undefined,
    isDefault: row.is_default,
    theirs,
    // One for all connections to a vendor is connected where that vendor is.
    again:
      state !== 'healthy' && theirs && row.connection_id !== null
        ? linkFor(row.user_id ?? undefined, row.account)
        : undefined,
  }
}

/** Rename it, take it where none is named, or end it: the owner's to do. Throws `thing.unknown`, `thing.taken`, `flow.unfit`. */
async function change(parts: AccountsDoorParts, visitor: Visitor, id: CredentialId, form: URLSearchParams) {
  const found = await findOwn(parts, visitor.principal, id)
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'account' })
  const { organizationId, row } = found
  if (form.get('change') === 'end') {
    if (row.connection_id === null) throw new Fault('thing.unknown', { thing: 'account' })
    const { actor } = visitor
    await parts.keeping.end({ organizationId, connectionId: row.connection_id, userId: row.user_id, id, actor })
    return
  }
  const named = form.get('change') === 'rename' ? (form.get('account') ?? '').trim() : undefined
  if (named !== undefined && !AccountName.safeParse(named).success)
    throw new Fault('body.shape', { place: '/account', problem: 'must be small letters, digits, _ and -, 31 at most' })
  await parts.db.organization(organizationId, async (sql) => {
    if (named === undefined) await preferAccount(sql, id)
    else if (!(await renameAccount(sql, id, named))) throw new Fault('thing.taken', { thing: 'account', name: named })
    await recordChange(sql, visitor.actor, organizationId, {
      action: named === undefined ? 'credential.prefer' : 'credential.rename',
      resource: 'credential',
      id,
      detail: { connection: row.connection_id, was: row.account, account: named ?? row.account },
    })
  })
}

async function findOwn(
  parts: AccountsDoorParts,
  principal: Principal,
  id: CredentialId,
): Promise<{ organizationId: OrganizationId; row: AccountStateRow } | undefined> {
  for (const { snapshot, userId, mayShare } of homesOf(parts, principal)) {
    const organizationId = snapshot.organization.id
    const rows = await parts.db.organization(organizationId, (sql) => listAccountStates(sql, userId))
    const row = rows.find((one) => one.id === id)
    if (row !== undefined && (row.user_id === null ? mayShare : row.user_id === userId)) return { organizationId, row }
  }
  return undefined
}
