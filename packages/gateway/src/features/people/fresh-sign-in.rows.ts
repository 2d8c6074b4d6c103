/** How long ago a person signed in. */
import type { FamilyId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

const Id = z.object({ id: z.string() })

/** Whether that sign-in is the person's, goes on, and began in the last minutes. */
export async function signedInWithin(
  sql: SystemSql,
  signInId: FamilyId,
  user: UserId,
  minutes: number,
): Promise<boolean> {
  const rows = await sql(Id)`
      select id from sign_ins
       where id = ${signInId} and user_id = ${user} and ended_at is null
         and created_at > now() - make_interval(mins => ${minutes})`
  return rows.length > 0
}
