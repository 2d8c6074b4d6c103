/**
 * Active accounts and platform administrators, in memory: read for every token and every member's key, at each request.
 *
 * It is loaded at the start and again when the database reports changed users; an account it does not hold is no account.
 */
import type { UserId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

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

/** `required`: the installation requires a second factor of local accounts. */
export const listAccounts = (sql: SystemSql, required: boolean) => sql(AccountRow)`
  select id, email, active, platform_admin, epoch, second_factor,
         provider = 'local' and ${required}::boolean as must_have_second_factor
    from users`

export interface Accounts {
  /** Undefined for who is not, or not any more, active. */
  find(id: UserId): AccountRow | undefined
  /** By the address as it is written anywhere; who is not active is told too, so that nobody is taken for a stranger. */
  findByEmail(email: string): AccountRow | undefined
  load(): Promise<void>
}

export function createAccounts({ list }: { list(): Promise<readonly AccountRow[]> }): Accounts {
  let accounts = new Map<UserId, AccountRow>()
  let byEmail = new Map<string, AccountRow>()
  let loading: Promise<void> = Promise.resolve()
  /** A load that has not begun: whoever wants one meanwhile shares it. */
  let next: Promise<void> | undefined
  return {
    find: (id) => accounts.get(id),
    findByEmail: (email) => byEmail.get(email.trim().toLowerCase()),
    load() {
      if (next !== undefined) return next
      // One after the other, so that an older answer never replaces a newer one.
      const run = async () => {
        next = undefined
        const rows = await list()
        accounts = new Map(rows.filter(({ active }) => active).map((row) => [row.id, row]))
        byEmail = new Map(rows.map((row) => [row.email, row]))
      }
      next = loading.then(run)
      loading = next.catch(() => {})
      return next
    },
  }
}
