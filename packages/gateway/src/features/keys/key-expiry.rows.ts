/** When a key ends. */
import type { KeyId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

const Until = z.object({ expires_at: z.date().nullable() })

/** Undefined: never, or there is no such key. */
export async function expiryOf(sql: OrgSql | SystemSql, keyId: KeyId): Promise<Date | undefined> {
  const [own] = await sql(Until)`select expires_at from keys where id = ${keyId}`
  return own?.expires_at ?? undefined
}
