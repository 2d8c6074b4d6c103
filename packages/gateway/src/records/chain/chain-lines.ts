/**
 * A chain as lines, for exports and for checking: where it begins, its records with their proofs, its checkpoints where they
 * belong, where it ends. It is read a page at a time, so that memory does not grow with it.
 */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { Checkpoint, listCheckpoints } from './checkpoints.ts'
import { ChainRow, proven, ProvenRecord, startOf } from './leaf.ts'

const Begin = z.strictObject({
  type: z.literal('chain'),
  format: z.string(),
  organization_id: z.string(),
  after: z.strictObject({ seq: z.number(), hash: z.string() }),
  exported_at: z.string(),
})
const End = z.strictObject({
  type: z.literal('end'),
  organization_id: z.string(),
  seq: z.number(),
  hash: z.string(),
  records: z.number(),
})
/** A line that holds a field too many is none: nothing unproven may stand in a record. */
export const ChainLine = z.discriminatedUnion('type', [
  Begin,
  ProvenRecord.extend({ type: z.literal('record') }),
  z.strictObject({ ...Checkpoint.shape, type: z.literal('checkpoint') }),
  End,
])
export type ChainLine = z.output<typeof ChainLine>

/** Of the lines; another one is another way to hash. */
export const FORMAT = 'toolway records 1'

const PAGE = 1_000

/** One short transaction at a time, in which one organization's records are seen. */
export type Look = <T>(work: (sql: OrgSql | SystemSql) => Promise<T>) => Promise<T>

export interface ChainParts {
  readonly look: Look
  readonly organization: string
  readonly now: Date
  /** Begin behind this number; undefined: with the first record that is kept. */
  readonly after?: number | undefined
}

/** Ends with the record that was the last one when it began. */
export async function* chainLines({ look, organization, now, after }: ChainParts): AsyncGenerator<ChainLine> {
  const bounds = await look((sql) => findBounds(sql, organization, after))
  const start = bounds.start ?? startOf(organization)
  let [seq, hash, records] = [bounds.after, start, 0]
  yield {
    type: 'chain',
    format: FORMAT,
    organization_id: organization,
    after: { seq, hash },
    exported_at: now.toISOString(),
  }
  // The one that proves where a pruned chain begins.
  for (const one of await look((sql) => listCheckpoints(sql, organization, seq, seq)))
    yield { type: 'checkpoint', ...one }
  while (seq < bounds.head) {
    const [rows, checkpoints] = await look(async (sql) => {
      const page = await listChain(sql, organization, seq, bounds.head)
      const last = page.at(-1)?.seq ?? bounds.head
      return [page, await listCheckpoints(sql, organization, seq + 1, last)] as const
    })
    if (rows.length === 0) {
      // The end is gone: a checkpoint that speaks of it shows that.
      for (const one of checkpoints) yield { type: 'checkpoint', ...one }
      break
    }
    const signed = new Map(checkpoints.map((one) => [one.seq, one]))
    for (const row of rows) {
      yield { type: 'record', ...proven(row) }
      const one = signed.get(row.seq)
      signed.delete(row.seq)
      if (one !== undefined) yield { type: 'checkpoint', ...one }
    }
    // Of records that are not there.
    for (const one of signed.values()) yield { type: 'checkpoint', ...one }
    const last = rows.at(-1)
    if (last !== undefined) [seq, hash, records] = [last.seq, last.hash, records + rows.length]
  }
  for (const one of await look((sql) => listBeyond(sql, organization))) yield { type: 'checkpoint', ...one }
  yield { type: 'end', organization_id: organization, seq: bounds.head, hash: bounds.hash ?? hash, records }
}

/** Checkpoints of what is no longer said to be there. */
async function listBeyond(sql: OrgSql | SystemSql, organization: string): Promise<Checkpoint[]> {
  const [found] = await sql(Head)`
    select coalesce((select seq from record_chains where organization_id = ${organization}), 0)::float8 as head`
  return listCheckpoints(sql, organization, (found?.head ?? 0) + 1, Number.MAX_SAFE_INTEGER)
}

const Head = z.object({ head: z.number() })
const Bounds = z.object({
  head: z.number(),
  hash: z.string(),
  anchor: z.number(),
  anchor_hash: z.string(),
  before: z.string().nullable(),
})

async function findBounds(sql: OrgSql | SystemSql, organization: string, after: number | undefined) {
  const [found] = await sql(Bounds)`
    select c.seq::float8 as head, encode(c.hash, 'hex') as hash, c.anchor_seq::float8 as anchor,
           encode(c.anchor_hash, 'hex') as anchor_hash,
           (select encode(r.hash, 'hex') from records r
             where r.organization_id = c.organization_id and r.seq = ${after ?? null}::bigint) as before
      from record_chains c where c.organization_id = ${organization}`
  if (found === undefined) return { head: 0, hash: undefined, after: 0, start: undefined }
  const { head, hash, anchor, anchor_hash: anchorHash, before } = found
  return after === undefined || after <= anchor || before === null
    ? { head, hash, after: anchor, start: anchorHash }
    : { head, hash, after, start: before }
}

const listChain = (sql: OrgSql | SystemSql, organization: string, after: number, head: number) => sql(ChainRow)`
  select seq::float8 as seq, id, organization_id,
         to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, kind, key_id, toolset, connection, method,
         era_client, era_upstream, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, actor_type,
         resource_type, principal, client, target, resource_id, ip_address, user_agent, detail::text as detail,
         encode(hash, 'hex') as hash, encode(salt, 'hex') as salt, redacted
    from records
   where organization_id = ${organization} and seq > ${after} and seq <= ${head}
   order by seq limit ${PAGE}`
