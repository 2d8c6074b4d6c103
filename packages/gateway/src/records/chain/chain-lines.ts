/**
 * A chain as lines, for exports and for checking: where it begins, its records with their proofs, its checkpoints where they
 * belong, where it ends. It is read a page at a time, so that memory does not grow with it.
 */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { passes, type Filter } from '../query.ts'
import { Checkpoint, listCheckpoints } from './checkpoints.ts'
import { ChainRow, withProofs, ProvenRecord, startOf } from './record-hash.ts'

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

export async function* chainLines(parts: ChainParts): AsyncGenerator<ChainLine> {
  for await (const entries of chainPages(parts))
    for (const entry of entries) yield isRow(entry) ? { type: 'record', ...withProofs(entry) } : entry
}

/** A line, or the row that becomes it. */
export type ChainEntry = ChainRow | Exclude<ChainLine, { type: 'record' }>

export const isRow = (entry: ChainEntry): entry is ChainRow => !('type' in entry)

/**
 * The same lines, a page at a time: whoever wants many of them is not called for each. Ends with the record that was the last one when
 * it began. A page is read while the one before it is used.
 */
export async function* chainPages({
  look,
  organization,
  now,
  after,
}: ChainParts): AsyncGenerator<readonly ChainEntry[]> {
  const bounds = await look((sql) => findBounds(sql, organization, after))
  const start = bounds.start ?? startOf(organization)
  let [hash, records] = [start, 0]
  const begin: ChainEntry = {
    type: 'chain',
    format: FORMAT,
    organization_id: organization,
    after: { seq: bounds.after, hash },
    exported_at: now.toISOString(),
  }
  // The one that proves where a pruned chain begins.
  yield [begin, ...(await look((sql) => listCheckpoints(sql, organization, bounds.after, bounds.after))).map(lineOf)]
  let next: Promise<Page> | undefined = readPage(look, organization, bounds.after, bounds.head)
  while (next !== undefined) {
    const page: Page = await next
    const last = page.rows.at(-1)
    next = last === undefined ? undefined : readPage(look, organization, last.seq, bounds.head)
    yield entriesOfPage(page)
    if (last !== undefined) [hash, records] = [last.hash, records + page.rows.length]
  }
  const beyond = (await look((sql) => listBeyond(sql, organization))).map(lineOf)
  const end: ChainEntry = {
    type: 'end',
    organization_id: organization,
    seq: bounds.head,
    hash: bounds.hash ?? hash,
    records,
  }
  yield [...beyond, end]
}

const lineOf = (checkpoint: Checkpoint): ChainEntry => ({ type: 'checkpoint', ...checkpoint })

/** Records, each checkpoint behind its record; last those of records that are not there: in a gap, or at an end that is gone. */
function entriesOfPage({ rows, checkpoints }: Page): ChainEntry[] {
  const signed = new Map(checkpoints.map((checkpoint) => [checkpoint.seq, checkpoint]))
  const entries: ChainEntry[] = []
  for (const row of rows) {
    entries.push(row)
    const checkpoint = signed.get(row.seq)
    if (checkpoint === undefined) continue
    signed.delete(row.seq)
    entries.push(lineOf(checkpoint))
  }
  for (const checkpoint of signed.values()) entries.push(lineOf(checkpoint))
  return entries
}

interface Page {
  readonly rows: readonly ChainRow[]
  readonly checkpoints: readonly Checkpoint[]
}

/** Undefined behind the head. Whoever leaves before a page has come does not wait for it. */
function readPage(read: Look, organization: string, after: number, head: number): Promise<Page> | undefined {
  if (after >= head) return undefined
  const page = read(async (sql) => {
    // Both ends are given, so that a page costs the same whatever the database thinks of the rest.
    const near = Math.min(head, after + PAGE)
    let rows = await listChain(sql, { organization, after, until: near, most: PAGE })
    // A chain has no gaps but where somebody made one.
    if (rows.length === 0 && near < head) rows = await listChain(sql, { organization, after, until: head, most: PAGE })
    return { rows, checkpoints: await listCheckpoints(sql, organization, after + 1, rows.at(-1)?.seq ?? head) }
  })
  page.catch(() => {})
  return page
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

interface Part {
  readonly organization: string
  readonly after: number
  readonly until: number
  readonly most: number
  readonly filter?: Found
}

/**
 * Records of a part of a chain with what proves them, those that a filter lets through. Ordered by the column, not by the number that is
 * made of it: only the column has an index, and without it each page reads all that comes behind it.
 */
function listChain(
  sql: OrgSql | SystemSql,
  { organization, after, until, most, filter = {} }: Part,
): Promise<ChainRow[]> {
  return sql(ChainRow)`
  select seq::float8 as seq, id, organization_id,
         to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, kind, key_id, toolset, connection, method,
         era_client, era_upstream, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, actor_type,
         resource_type, principal, client, target, resource_id, ip_address, user_agent, detail::text as detail,
         encode(hash, 'hex') as hash, encode(salt, 'hex') as salt, redacted
    from records r
   where r.organization_id = ${organization} and r.seq > ${after} and r.seq <= ${until} and ${passes(filter)}
   order by r.seq limit ${most}`
}

export type Found = Omit<Filter, 'organization'>

/** Records that are looked through for a filter by one statement, however few of them it lets through. */
const WINDOW = 2_000

/** Records of a chain in order, a page at a time, those that the filter lets through: without a beginning and an end they prove nothing. */
export async function* recordPages({
  look,
  organization,
  after,
  filter,
}: Omit<ChainParts, 'now'> & { readonly filter: Found }): AsyncGenerator<readonly ChainRow[]> {
  const bounds = await look((sql) => findBounds(sql, organization, after))
  const { first, last } = await look((sql) => findPlaces(sql, organization, filter))
  const until = Math.min(bounds.head, last)
  const read = (begin: number) => {
    if (begin >= until) return undefined
    const end = Math.min(until, begin + WINDOW)
    const rows = look((sql) => listChain(sql, { organization, after: begin, until: end, most: WINDOW, filter }))
    rows.catch(() => {})
    return { end, rows }
  }
  let next = read(Math.max(bounds.after, first - 1))
  while (next !== undefined) {
    const rows = await next.rows
    next = read(next.end)
    yield rows
  }
}

const Places = z.object({ first: z.number().nullable(), last: z.number().nullable() })

/** Between which places of the chain its records lie, or those of a time. */
async function findPlaces(sql: OrgSql | SystemSql, organization: string, filter: Found) {
  const { start = null, end = null } = filter
  const [found] = await sql(Places)`
    select min(seq)::float8 as first, max(seq)::float8 as last from records
     where organization_id = ${organization} and (${start}::timestamptz is null or at >= ${start})
       and (${end}::timestamptz is null or at < ${end})`
  return { first: found?.first ?? 0, last: found?.last ?? 0 }
}
