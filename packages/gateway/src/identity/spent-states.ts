/** States of sign-ins at a provider that have come back: each is good once, in whichever replica. */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

const Hash = z.object({ hash: z.instanceof(Buffer) })

/** Whether it was the first time. */
export async function spendState(sql: SystemSql, hash: Buffer, expiresAt: Date): Promise<boolean> {
  await sql(Hash)`delete from spent_states where expires_at < now()`
  const rows = await sql(Hash)`
    insert into spent_states (hash, expires_at) values (${hash}, ${expiresAt}) on conflict do nothing returning hash`
  return rows.length > 0
}
