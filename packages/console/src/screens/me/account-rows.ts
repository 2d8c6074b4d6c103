/**
 * The accounts that a member's calls use, a row for each, and a row for each connection that needs one: pure. Whether one is needed is the
 * gateway's word (`needs`); a connection that the organization's shared account serves needs none.
 */
import type { AccountInPlace, Connection } from '@toolway/contract/admin'

export type AccountRowKind = 'yours' | 'shared' | 'needed' | 'noApp'

export interface AccountRow {
  readonly kind: AccountRowKind
  readonly connection: Connection
  /** Absent for what is needed, and for what is shared and not shown. */
  readonly account: AccountInPlace | undefined
}

const ORDER: readonly AccountRowKind[] = ['needed', 'noApp', 'yours', 'shared']

/** Accounts that need their member come first. */
export function accountRowsOf(
  connections: readonly Connection[],
  accounts: readonly AccountInPlace[],
  user: string | undefined,
): AccountRow[] {
  const rows = connections.flatMap((connection): AccountRow[] => {
    const there = accounts.filter((one) => one.connection === connection.alias)
    const own = there.filter(({ user_id: id }) => id !== null && id === user)
    if (own.length > 0)
      return own.map((account) => ({ kind: isLost(account) ? 'needed' : 'yours', connection, account }))
    if (!connection.enabled || connection.auth === null) return []
    if (connection.needs === 'app') return [{ kind: 'noApp', connection, account: undefined }]
    if (connection.needs !== null && mayOwn(connection)) return [{ kind: 'needed', connection, account: undefined }]
    const shared = there.find(({ owner }) => owner === 'organization')
    return shared === undefined ? [] : [{ kind: 'shared', connection, account: shared }]
  })
  return rows.toSorted(
    (one, other) =>
      ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || one.connection.title.localeCompare(other.connection.title),
  )
}

const isLost = ({ state }: AccountInPlace): boolean => state === 'lost'

/** Whether a member may have an account of their own there. */
export const mayOwn = ({ auth }: Pick<Connection, 'auth'>): boolean => auth?.owners.includes('member') === true
