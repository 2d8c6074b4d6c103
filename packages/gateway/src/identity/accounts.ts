/**
 * Active accounts and platform administrators, in memory: read for every token and every member's key, at each request.
 *
 * It is loaded at the start, and again when the database reports changed users: those that a notice names, or all. An account it does
 * not hold is no account.
 */
import type { UserId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import { part } from '../db/sql-part.ts'

export const AccountRow = z.object({
  id: z.string().transform((id) => id as UserId),
  email: z.string(),
  active: z.boolean(),
  platform_admin: z.boolean(),
  epoch: z.int(),
  /** Whether they have a passkey or an authenticator app. */
  second_factor: z.boolean(),
  /** The installation requires one of whoever signs in with a password of ours. */
  must_have_second_factor: z.boolean(),
})
export type AccountRow = z.output<typeof AccountRow>

/** Undefined: all. */
export type Named = ReadonlySet<UserId> | undefined

/** `required`: the installation requires a second factor of local accounts. */
export function listAccounts(sql: SystemSql, named: Named, required: boolean): Promise<AccountRow[]> {
  const columns = part`
    id, email, active, platform_admin, epoch, second_factor,
    provider = 'local' and ${required}::boolean as must_have_second_factor`
  return named === undefined
    ? sql(AccountRow)`select ${columns} from users`
    : sql(AccountRow)`select ${columns} from users where id = any(${[...named]}::text[])`
}

export interface Accounts {
  /** Undefined for who is not, or not any more, active. */
  find(id: UserId): AccountRow | undefined
  /** By the address as it is written anywhere; who is not active is told too, so that nobody is taken for a stranger. */
  findByEmail(email: string): AccountRow | undefined
  /**
   * Reads these anew, or all. Resolves with whether an account may have lost something by it, in this load or one that shared it: who
   * was not here before has nothing to lose.
   */
  load(ids?: Iterable<UserId>): Promise<boolean>
}

interface Load {
  named: Set<UserId> | undefined
  readonly loaded: Promise<boolean>
}

export function createAccounts({ list }: { list(named: Named): Promise<readonly AccountRow[]> }): Accounts {
  const accounts = createHeldAccounts()
  let loading: Promise<unknown> = Promise.resolve()
  /** A load that has not begun: whoever wants some of them meanwhile shares it. */
  let next: Load | undefined
  /** After a failure, it is not known who was to be read. */
  let missed = false

  // One after the other, so that an older answer never replaces a newer one.
  function plan(named: Set<UserId> | undefined): Load {
    const run = async () => {
      next = undefined
      const wanted = missed ? undefined : load.named
      missed = true
      const touched = accounts.place(wanted, await list(wanted))
      missed = false
      return touched
    }
    const load: Load = { named, loaded: loading.then(run) }
    loading = load.loaded.catch(() => {})
    return load
  }

  return {
    find: accounts.find,
    findByEmail: accounts.findByEmail,
    load(ids) {
      if (next === undefined) next = plan(ids === undefined ? undefined : new Set(ids))
      else if (ids === undefined) next.named = undefined
      else for (const id of ids) next.named?.add(id)
      return next.loaded
    },
  }
}

function createHeldAccounts() {
  let byId = new Map<UserId, AccountRow>()
  let byEmail = new Map<string, AccountRow>()

  function remove(id: UserId): void {
    const email = byId.get(id)?.email ?? ''
    byId.delete(id)
    // Another account may have the address by now.
    if (byEmail.get(email)?.id === id) byEmail.delete(email)
  }
  const add = (row: AccountRow): void => {
    byId.set(row.id, row)
    byEmail.set(row.email, row)
  }
  const findActive = (id: UserId): AccountRow | undefined => {
    const found = byId.get(id)
    return found?.active === true ? found : undefined
  }

  return {
    find: findActive,
    findByEmail: (email: string) => byEmail.get(email.trim().toLowerCase()),
    /** Whether one that was active is among those that were read. */
    place(named: Named, rows: readonly AccountRow[]): boolean {
      if (named === undefined) {
        byId = new Map()
        byEmail = new Map()
        for (const row of rows) add(row)
        return true
      }
      const touched = [...named].some((id) => findActive(id) !== undefined)
      for (const id of named) remove(id)
      for (const row of rows) add(row)
      return touched
    },
  }
}
