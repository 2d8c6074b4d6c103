/**
 * Removes records past their retention. The rest is still a chain that can be verified: it begins at a signed checkpoint, and
 * records are removed only up to a checkpoint.
 */
import { newId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import type { Actor } from './change.ts'
import { fingerprintOf, isSigned, listCheckpoints } from './chain/checkpoints.ts'
import { removePayloadsBefore } from './payloads.ts'

export interface Pruning {
  readonly actor: Actor
  readonly organization: string
  readonly before: Date
  /** Fingerprints of the keys whose checkpoints may be a beginning. */
  readonly signers: readonly string[]
}

/** A checkpoint that no key of ours signed: somebody wrote into the database. Nothing is removed. */
export class ForeignCheckpoint extends Error {
  readonly organization: string
  readonly seq: number
  constructor(organization: string, seq: number) {
    super(`the checkpoint of ${organization} at record ${seq} is not signed by this installation: nothing was removed`)
    this.organization = organization
    this.seq = seq
  }
}

const Chained = z.object({ organization_id: z.string() })
const Count = z.object({ count: z.number() })

export async function listChained(sql: SystemSql): Promise<string[]> {
  const found = await sql(Chained)`select organization_id from record_chains order by organization_id`
  return found.map(({ organization_id: id }) => id)
}

/** Throws ForeignCheckpoint. */
export async function refuseForeign(sql: SystemSql, organization: string, signers: readonly string[]): Promise<void> {
  const own = new Set(signers)
  for (const checkpoint of await listCheckpoints(sql, organization, 0, Number.MAX_SAFE_INTEGER))
    if (!isSigned(checkpoint) || !own.has(fingerprintOf(checkpoint.public_key)))
      throw new ForeignCheckpoint(organization, checkpoint.seq)
}

/**
 * How many records went: what is older than `before`, up to the last checkpoint that has none but such records before it. Leaves
 * its own record. Throws ForeignCheckpoint.
 */
export async function prune(sql: SystemSql, { actor, organization, before, signers }: Pruning): Promise<number> {
  await refuseForeign(sql, organization, signers)
  await removePayloadsBefore(sql, organization, before)
  const [done] = await sql(Count)`
    select prune_records(${organization}, ${before}, ${newId('rec')}, ${new Date()}, ${actor.id}, ${actor.keyId ?? null},
                         ${actor.type}, ${actor.correlationId}, ${actor.address ?? null},
                         ${actor.userAgent ?? null})::float8 as count`
  return done?.count ?? 0
}
