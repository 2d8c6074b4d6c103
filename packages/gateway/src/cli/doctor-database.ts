/**
 * What `toolway doctor` and a start say of a database that answers: whether its role may do too much, and whether it can be written
 * to. It reads and never writes.
 */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

const Row = z.object({ role: z.string(), all_powerful: z.boolean(), bypasses: z.boolean(), read_only: z.boolean() })

export interface DatabaseProblem {
  /** `role`: row-level security does not bind it. `read_only`: nothing can be written. */
  readonly kind: 'role' | 'read_only'
  readonly words: string
}

export async function databaseProblems(sql: SystemSql): Promise<DatabaseProblem[]> {
  const [found] = await sql(Row)`
    select rolname::text as role, rolsuper as all_powerful, rolbypassrls as bypasses,
           (pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on') as read_only
      from pg_roles where rolname = session_user`
  if (found === undefined) return []
  const { role, all_powerful: allPowerful, bypasses, read_only: readOnly } = found
  const attribute = allPowerful ? 'a superuser' : 'allowed to bypass row-level security'
  const mend = `\`alter role "${role}" nosuperuser nobypassrls\``
  return [
    ...(allPowerful || bypasses
      ? [
          {
            kind: 'role' as const,
            words: `its role ${role} is ${attribute}, so row-level security, which separates organizations, does not apply to it: use a role that owns the database and is neither (${mend}, or another role in DATABASE_URL)`,
          },
        ]
      : []),
    ...(readOnly
      ? [
          {
            kind: 'read_only' as const,
            words: 'it is read-only: set DATABASE_URL to the primary server, and check default_transaction_read_only',
          },
        ]
      : []),
  ]
}
