/**
 * The names of what ids stand for, joined where a list is made, so that no screen has to know all members and all connections to
 * show one page. Only for lists whose rows the caller may see: a name says no more about a row than its id does.
 */
import type { ConnectionId, UserId } from '@toolway/contract'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { listKeysNamed } from '../identity/keys/keys.ts'
import { listNamesOf } from '../organizations/members.ts'
import type { OperationBase } from './serve.ts'

export type NameOf = (id: string | null | undefined) => string | null

/** People by name and email, keys by name and member, connections by alias. Other ids, and what is gone, have no name: null. */
export async function namesOf(
  sql: OrgSql | SystemSql,
  parts: Pick<OperationBase, 'accounts' | 'snapshots'>,
  ids: readonly (string | null)[],
): Promise<NameOf> {
  const idsWithPrefix = (prefix: string) =>
    [...new Set(ids.filter((id) => id?.startsWith(prefix) === true))] as string[]
  const [people, keys] = [idsWithPrefix('usr_'), idsWithPrefix('key_')]
  const ofPeople = people.length === 0 ? [] : await listNamesOf(sql, people)
  const ofKeys = keys.length === 0 ? [] : await listKeysNamed(sql, keys)
  const names = new Map([
    ...ofPeople.map(({ id, name, email }) => [id, withEmail(name, email)] as const),
    ...ofKeys.map(({ id, name, email }) => [id, withEmail(name, email)] as const),
  ])
  return (id) => {
    if (id == null) return null
    if (id.startsWith('con_')) return aliasOf(parts, id as ConnectionId)
    // An organization does not see the accounts of former members, but what they did there.
    return names.get(id) ?? parts.accounts.find(id as UserId)?.email ?? null
  }
}

const withEmail = (name: string, email: string | null): string =>
  email === null || email === name ? name : name === '' ? email : `${name} (${email})`

function aliasOf({ snapshots }: Pick<OperationBase, 'snapshots'>, id: ConnectionId): string | null {
  for (const snapshot of snapshots.all()) {
    const found = snapshot.connection(id)
    if (found !== undefined) return found.alias
  }
  return null
}
