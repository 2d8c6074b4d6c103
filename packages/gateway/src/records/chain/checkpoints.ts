/**
 * Checkpoints: a number and a hash of a chain, signed (Ed25519, RFC 8032), so that write access to the database is not enough to
 * change the chain unnoticed. Installations that ship logs have each checkpoint elsewhere, too.
 */
import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

/** The signed content, and the key that signed it. Hashes in hexadecimal; signature and key (SubjectPublicKeyInfo) in base64. */
export const Checkpoint = z.object({
  organization_id: z.string(),
  seq: z.number(),
  hash: z.string(),
  at: z.string(),
  key_id: z.string(),
  public_key: z.string(),
  signature: z.string(),
})
export type Checkpoint = z.output<typeof Checkpoint>

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

type Head = Pick<Checkpoint, 'organization_id' | 'seq' | 'hash'>

const signedText = ({
  organization_id: organization,
  seq,
  hash,
  at,
}: Omit<Checkpoint, 'key_id' | 'public_key' | 'signature'>) =>
  Buffer.from(`toolway records checkpoint 1\n${organization}\n${seq}\n${hash}\n${at}\n`)

const spkiOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' })

export function signCheckpoint(head: Head, key: SigningKey, at: Date): Checkpoint {
  const statement = { ...head, at: at.toISOString() }
  return {
    ...statement,
    key_id: key.id,
    public_key: spkiOf(key.publicKey).toString('base64'),
    signature: sign(null, signedText(statement), key.privateKey).toString('base64'),
  }
}

/** Whether its own key signed it; whose key that is, is for `fingerprintOf` and whoever asks. */
export function isSigned(checkpoint: Checkpoint): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(checkpoint.public_key, 'base64'), format: 'der', type: 'spki' })
    return (
      key.asymmetricKeyType === 'ed25519' &&
      verify(null, signedText(checkpoint), key, Buffer.from(checkpoint.signature, 'base64'))
    )
  } catch {
    return false
  }
}

/** SHA-256 of a public key (SubjectPublicKeyInfo), in hexadecimal. */
export const fingerprintOf = (publicKey: string | KeyObject): string =>
  createHash('sha256')
    .update(typeof publicKey === 'string' ? Buffer.from(publicKey, 'base64') : spkiOf(publicKey))
    .digest('hex')

const HeadRow = z.object({ organization_id: z.string(), seq: z.number(), hash: z.string() })
const Stored = z.object({ seq: z.number() })

/** Chains in which something came since their last checkpoint. Undefined: of every organization. */
export const listUnsigned = (sql: SystemSql | OrgSql, organization: string | undefined): Promise<Head[]> =>
  sql(HeadRow)`
    select c.organization_id, c.seq::float8 as seq, encode(c.hash, 'hex') as hash
      from record_chains c
     where (${organization ?? null}::text is null or c.organization_id = ${organization ?? null})
       and c.seq > coalesce((select max(k.seq) from record_checkpoints k where k.organization_id = c.organization_id),
                            c.anchor_seq)
     order by c.organization_id`

/** False when another gateway was first. */
export async function storeCheckpoint(sql: SystemSql, item: Checkpoint): Promise<boolean> {
  const stored = await sql(Stored)`
    insert into record_checkpoints (organization_id, seq, hash, at, key_id, public_key, signature)
    values (${item.organization_id}, ${item.seq}, decode(${item.hash}, 'hex'), ${item.at}, ${item.key_id},
            decode(${item.public_key}, 'base64'), decode(${item.signature}, 'base64'))
    on conflict do nothing
    returning seq::float8 as seq`
  return stored.length > 0
}

/** Those from one number to another, in order; as text `at` is what was signed. */
export const listCheckpoints = (sql: OrgSql | SystemSql, organization: string, from: number, to: number) =>
  sql(Checkpoint)`
    select organization_id, seq::float8 as seq, encode(hash, 'hex') as hash,
           to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, key_id,
           translate(encode(public_key, 'base64'), E'\n', '') as public_key,
           translate(encode(signature, 'base64'), E'\n', '') as signature
      from record_checkpoints
     where organization_id = ${organization} and seq >= ${from} and seq <= ${to}
     order by record_checkpoints.seq`

const Held = z.object({ hash: z.string().nullable(), anchor: z.number(), anchor_hash: z.string() })

/**
 * Whether the chain still contains the record of a checkpoint. Records that were pruned since are validly gone where a key of
 * this gateway signed the position at which the chain now begins.
 */
export async function chainContains(
  sql: SystemSql,
  { organization_id: organization, seq, hash }: Head,
  signers: readonly string[],
) {
  const [found] = await sql(Held)`
    select encode((select r.hash from records r where r.organization_id = c.organization_id and r.seq = ${seq}), 'hex') as hash,
           c.anchor_seq::float8 as anchor, encode(c.anchor_hash, 'hex') as anchor_hash
      from record_chains c where c.organization_id = ${organization}`
  if (found === undefined || found.anchor < seq) return found?.hash === hash
  if (found.anchor === seq) return found.anchor_hash === hash
  const [begins] = await listCheckpoints(sql, organization, found.anchor, found.anchor)
  return begins?.hash === found.anchor_hash && isSigned(begins) && signers.includes(fingerprintOf(begins.public_key))
}
