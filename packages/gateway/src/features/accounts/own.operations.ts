/**
 * The accounts that somebody's own calls use, a row for each, and a row for each connection that needs one. Whether one is needed is the
 * state of the connection for them (`features/connections/call-state.ts`); a connection that the organization's shared account serves
 * needs none.
 */
import { authOf, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { ConnectionRow } from '../../connections/connections.ts'
import { pageOfAccounts, type AccountRow } from '../../credentials/credentials.ts'
import { pageFrom } from '../../lib/page.ts'
import { type CallState, statesFor } from '../connections/index.ts'
import { serveOrganization, type Served } from './serve.operations.ts'
import { inPlace, placeOf, stateOf, type PlacedAccount } from './account-form.ts'

type Kind = shapes.OwnAccount['kind']

export interface OwnRow {
  readonly kind: Kind
  readonly row: OwnConnection
  readonly state: OwnState
  /** Undefined for what is needed and was never connected. */
  readonly account: PlacedAccount | undefined
}
type OwnState = Pick<CallState, 'status' | 'needs' | 'reason'>
export type OwnConnection = Pick<ConnectionRow, 'id' | 'alias' | 'title' | 'enabled' | 'settings'>

/** Rows that need their member come first. */
export function ownRowsOf(
  connections: readonly OwnConnection[],
  accounts: readonly PlacedAccount[],
  stateOfCalls: (row: OwnConnection) => OwnState,
): OwnRow[] {
  const there = Map.groupBy(accounts, ({ connection }) => connection)
  const rows = connections.flatMap((row): OwnRow[] => {
    const auth = authOf(row.settings)
    const [own, shared] = [isOwn, isShared].map((is) => (there.get(row.alias) ?? []).filter(is)) as [
      PlacedAccount[],
      PlacedAccount[],
    ]
    if (auth === undefined && own.length === 0) return []
    const state = stateOfCalls(row)
    const of = (kind: Kind, account?: PlacedAccount): OwnRow => ({ kind, row, state, account })
    if (own.length > 0) return own.map((account) => of(stateOf(account) === 'lost' ? 'needed' : 'yours', account))
    if (!row.enabled) return []
    if (state.needs === 'app') return [of('no_app')]
    if (state.needs !== null && auth?.owners.includes('member') === true) return [of('needed')]
    return shared.slice(0, 1).map((account) => of('shared', account))
  })
  const positionOf = ({ kind }: OwnRow) => shapes.OWN_ACCOUNT_KINDS.indexOf(kind)
  return rows.toSorted(
    (first, second) => positionOf(first) - positionOf(second) || first.row.title.localeCompare(second.row.title),
  )
}

const isOwn = ({ user_id: user }: AccountRow): boolean => user !== null
const isShared = ({ user_id: user }: AccountRow): boolean => user === null

/** Those of one member and the shared ones: at most a few of each connection, which are 2,000 where they are many. */
const EVERY_ROW = { after: [], offset: 0, rowLimit: 1_000_000 }

export const listOwn = serveOrganization(shapes.listOwnAccounts, async (request) => {
  const { parts, organization, principal, query, read } = request
  const { kind, search, ...paging } = query
  const sought = search?.trim().toLowerCase() ?? ''
  const connections = (parts.snapshots.find({ id: organization.id })?.connections ?? []).filter(
    ({ settings, alias, title }) =>
      authOf(settings) !== undefined && `${alias}\n${title}`.toLowerCase().includes(sought),
  )
  const states = await statesFor(request)
  const places = connections.map((row) => placeOf(parts, row))
  const mine = { userId: principal.userId ?? null, from: EVERY_ROW }
  const { rows: accounts } = await read((sql) => pageOfAccounts(sql, places, mine))
  const byId = new Map<string, ConnectionRow>(connections.map((row) => [row.id, row]))
  const rows = ownRowsOf(connections, accounts, ({ id }) => states.of(byId.get(id) as ConnectionRow))
  return {
    ...pageFrom(
      rows.filter((row) => kind === undefined || row.kind === kind),
      paging,
      (row) => toOwnAccount(row, (id) => parts.accounts.find(id)?.email),
    ),
    by_kind: Object.fromEntries([...Map.groupBy(rows, (row) => row.kind)].map(([of, found]) => [of, found.length])),
  }
})

export const toOwnAccount = (
  { kind, row, state, account }: OwnRow,
  emailOf: (id: UserId) => string | undefined,
): shapes.OwnAccount => ({
  kind,
  connection: {
    ...{ id: row.id, alias: row.alias, title: row.title, enabled: row.enabled },
    auth: authOf(row.settings) ?? null,
    needs: state.needs,
    // Of a connected one it is a hint about its sandbox, which is for those who may change that (`connections.ts`).
    status_reason: state.status === 'connected' ? null : state.reason,
  },
  account: account === undefined ? null : inPlace(account, emailOf),
})

export const ownAccountOperations: readonly Served[] = [listOwn]
