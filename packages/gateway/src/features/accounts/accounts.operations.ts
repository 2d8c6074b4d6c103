/** The operations on accounts of connections. A key goes in and never comes out; what one may not see is not there. */
import { Fault, authOf, permits, type ConnectionId, type Role, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { AuditAction, Operation } from '@toolway/contract/admin'
import type { ConnectionRow } from '../../connections/connections.ts'
import {
  chooseDefault,
  listAccounts,
  pageOfAccounts,
  renameAccount,
  type AccountRow,
} from '../../credentials/credentials.ts'
import type { OrgSql } from '../../db/db.ts'
import { factsOf } from '../../oauth/outgoing/credentials/connection-facts.ts'
import { keyCredential, type NewCredential } from '../../oauth/outgoing/ports.ts'
import { inPlace, placeOf, toAccount } from './account-form.ts'
import { brokeredFor, listBrokered, removeBrokered } from './brokered.operations.ts'
import { ownAccountOperations } from './own.operations.ts'
import { listCallers } from '../../records/callers.ts'
import { openTarget } from './connect.operations.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { pageFrom, pageOfRows, startOf } from '../../lib/page.ts'
import { namesOf } from '../../operations/names-of.ts'
import { serveOrganization, type AccountParts, type OrganizationRequest, type Served } from './serve.operations.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'
import type { Change } from '../../records/change.ts'

const RELIANCE_DAYS = 30
const MOST_CALLERS = 200

type AccountRequest = Pick<OrganizationRequest<Operation>, 'parts' | 'organization' | 'params' | 'role' | 'principal'>

const administers = (role: Role): boolean => permits(role, 'connector_update')

const connectionOf = ({ parts, organization, params }: AccountRequest): ConnectionRow =>
  findConnectionOf(parts, organization.id, params['connection'] ?? '')

/** Those that one may see. */
const visibleAccounts = (
  sql: OrgSql,
  { parts, role, principal }: AccountRequest,
  row: ConnectionRow,
): Promise<AccountRow[]> =>
  listAccounts(
    sql,
    { connectionId: row.id, provider: factsOf(parts.vault, row).provider },
    administers(role) ? undefined : (principal.userId ?? null),
  )

/** The one that is to be changed: one's own, or as an administrator any. Throws `thing.unknown` and `role.forbidden`. */
async function changeable(sql: OrgSql, request: AccountRequest, id: string, row: ConnectionRow): Promise<AccountRow> {
  const found = (await visibleAccounts(sql, request, row)).find((item) => item.id === id)
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'account' })
  if (found.user_id === null || found.user_id !== request.principal.userId) refuseOthers(request.role)
  return found
}

function refuseOthers(role: Role): void {
  if (!administers(role)) throw roleForbidden(role, 'connector_update')
}

/** Returns the user who will own the key; undefined for the organization. */
function ownerOf({ role, principal }: AccountRequest, owner: 'member' | 'organization'): UserId | undefined {
  if (owner === 'organization') {
    refuseOthers(role)
    return undefined
  }
  if (principal.userId === undefined)
    throw new Fault('body.shape', { place: '/owner', problem: 'must be organization: you are not a member' })
  return principal.userId
}

function refuseUnfit(
  { vault }: Pick<AccountParts, 'vault'>,
  row: ConnectionRow,
  owner: 'member' | 'organization',
): void {
  const { auth } = factsOf(vault, row)
  if (auth.kind !== 'key')
    throw new Fault('body.shape', {
      place: '/key',
      problem: 'is not accepted by this connection: its auth.kind is not key',
    })
  if (!auth.owners.includes(owner))
    throw new Fault('body.shape', { place: '/owner', problem: `cannot be ${owner} for this connection` })
}

const changeOf =
  (action: AuditAction, row: ConnectionRow) =>
  (done: AccountRow): Change => ({
    action,
    resource: 'credential',
    id: done.id,
    detail: { connection: row.id, account: done.account, user: done.user_id, is_default: done.is_default },
  })

const add = serveOrganization(shapes.addAccountKey, async (request) => {
  const { parts, organization, body, read } = request
  const row = connectionOf(request)
  const userId = ownerOf(request, body.owner)
  refuseUnfit(parts, row, body.owner)
  const keyPlace = {
    organizationId: organization.id,
    connectionId: row.id,
    userId,
    account: body.account,
    replaces: body.replaces,
  }
  const id = body.check ? await keepChecked(request, keyPlace, body.key) : await keepKey(request, keyPlace, body.key)
  const account = (await read((sql) => visibleAccounts(sql, request, row))).find((item) => item.id === id)
  if (account === undefined) throw new Error('an account that was kept is not there')
  return toAccount(account)
})

type KeyPlace = Pick<NewCredential, 'organizationId' | 'userId' | 'account' | 'replaces'> & {
  readonly connectionId: ConnectionId
}
type Giving = Pick<OrganizationRequest<Operation>, 'parts' | 'actor' | 'principal'>

/** Throws what the server says to the key. */
function keepChecked({ parts, actor, principal }: Giving, keyPlace: KeyPlace, key: string) {
  const target = openTarget(parts, principal, { ...keyPlace, scopes: [] })
  return parts.connect.keepKey({ target, account: keyPlace.account, replaces: keyPlace.replaces, key, actor })
}

const keepKey = ({ parts, actor }: Giving, keyPlace: KeyPlace, key: string) =>
  parts.credentials.keep(keyCredential({ ...keyPlace, actor }, { key }))

const change = serveOrganization(shapes.changeAccount, async (request) => {
  const { body, params } = request
  const row = connectionOf(request)
  const done = await request.change(changeOf('credential.change', row), async (sql) => {
    const { id } = await changeable(sql, request, params['account'] ?? '', row)
    if (body.account !== undefined && (await renameAccount(sql, id, body.account)) === false)
      throw new Fault('thing.taken', { thing: 'account', name: body.account })
    if (body.is_default === true) await chooseDefault(sql, id)
    return changeable(sql, request, id, row)
  })
  return toAccount(done)
})

const remove = serveOrganization(shapes.removeAccount, async (request) => {
  const { parts, organization, actor, params, read } = request
  const row = connectionOf(request)
  const brokered = brokeredFor(request, row)
  if (brokered !== undefined) return removeBrokered(request, row, brokered)
  const { id } = await read((sql) => changeable(sql, request, params['account'] ?? '', row))
  const { ended, problems } = await parts.credentials.end({
    organizationId: organization.id,
    connectionId: row.id,
    id,
    actor,
  })
  return { ended: [...ended], problems: [...problems] }
})

const reliance = serveOrganization(shapes.listReliance, async (request) => {
  const row = connectionOf(request)
  const [callers, accounts, nameOf] = await request.read(async (sql) => {
    const found = await listCallers(sql, { connection: row.alias, days: RELIANCE_DAYS, limit: MOST_CALLERS })
    const ids = found.flatMap(({ principal, key_id: key }) => [principal, key])
    return [found, await visibleAccounts(sql, request, row), await namesOf(sql, request.parts, ids)] as const
  })
  return {
    days: RELIANCE_DAYS,
    callers: callers.map(({ last_at: at, ...caller }) => ({
      ...{ ...caller, name: nameOf(caller.principal) ?? nameOf(caller.key_id) },
      last_at: at.toISOString(),
    })),
    accounts: accounts.map(toAccount),
  }
})

type PageRequest = AccountRequest & Pick<OrganizationRequest<typeof shapes.listAccounts>, 'read' | 'query'>

/** The accounts of connections that one may see, a page of them. */
async function page<Item>(
  request: PageRequest,
  connections: readonly ConnectionRow[],
  to: (row: AccountRow & { readonly connection: string }) => Item,
) {
  const { query, role, principal } = request
  const userId = administers(role) ? undefined : (principal.userId ?? null)
  const from = startOf(query, 'accounts', 4)
  const places = connections.map((row) => placeOf(request.parts, row))
  const { rows, total } = await request.read((sql) => pageOfAccounts(sql, places, { userId, from }))
  const keyOf = ({ connection, owner, account, id }: (typeof rows)[number]) => [connection, owner, account, id]
  return pageOfRows(rows, { query, order: 'accounts', total, keyOf }, to)
}

const listAll = serveOrganization(shapes.listAllAccounts, async (request) => {
  const { parts, organization } = request
  const connections = parts.snapshots.find({ id: organization.id })?.connections ?? []
  const withAccounts = connections.filter(({ settings }) => authOf(settings) !== undefined)
  return page(request, withAccounts, (row) => inPlace(row, (id) => parts.accounts.find(id)?.email))
})

export const accountOperations: readonly Served[] = [
  serveOrganization(shapes.listAccounts, async (request) => {
    const row = connectionOf(request)
    const brokered = brokeredFor(request, row)
    if (brokered !== undefined)
      return pageFrom(await listBrokered(request, brokered), request.query, (account) => account)
    return page(request, [row], toAccount)
  }),
  listAll,
  ...ownAccountOperations,
  add,
  reliance,
  change,
  remove,
]
