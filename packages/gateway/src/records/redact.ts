/** Taking values out of a record: with a reason, and in a way that keeps the chain whole. */
import { newId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import type { Actor } from './change.ts'
import type { Redactable } from '@toolway/contract/admin'
import { removePayload } from './payloads.ts'

const Count = z.object({ count: z.number() })

export interface Redaction {
  readonly id: string
  readonly fields: readonly Redactable[]
  readonly reason: string
}

/** How many values were taken out: none where there is no such record, or they are gone. Its payload goes too. Leaves its own record. */
export async function redactRecord(
  sql: SystemSql,
  actor: Actor,
  organization: string,
  { id, fields, reason }: Redaction,
): Promise<number> {
  const [done] = await sql(Count)`
    select redact_record(${organization}, ${id}, ${[...fields]}::text[], ${reason}, ${newId('rec')}, ${new Date()},
                         ${actor.id}, ${actor.keyId ?? null}, ${actor.type}, ${actor.correlationId},
                         ${actor.address ?? null}, ${actor.userAgent ?? null}) as count`
  // The payload may contain the redacted text, so it is removed as well.
  await removePayload(sql, organization, id)
  return done?.count ?? 0
}
