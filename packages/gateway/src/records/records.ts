/**
 * Records: what happened, one row for each call and each change, written in batches and never changed afterwards.
 *
 * The writer keeps what it could not write yet and tries again; beyond its bound the oldest is given up and counted, which
 * the log shows. Every record was a log line before, so a record that is lost here is not lost altogether.
 */
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { Log } from '../lib/log.ts'

export type Outcome = 'ok' | 'tool_error' | 'refused' | 'failed' | 'cancelled'

/** The fields of a record under the names that the log line of the same call has. */
export interface Entry {
  readonly id: string
  readonly timestamp: string
  readonly kind: 'call' | 'change' | 'sign_in'
  readonly org_id: OrganizationId | undefined
  readonly organization: string | undefined
  readonly principal: string | undefined
  readonly key_id: string | undefined
  readonly toolset: string | undefined
  readonly connection: string | undefined
  readonly method: string
  readonly tool_name: string | undefined
  readonly era_client: string | undefined
  readonly era_upstream: string | undefined
  readonly client: string | undefined
  readonly bytes_in: number
  readonly bytes_out: number
  readonly duration_ms: number
  readonly outcome: Outcome
  readonly code: string | undefined
  readonly decision: string
  /** The correlation id of the request. */
  readonly request_id: string
  readonly actor_type: 'user' | 'api_key' | 'system'
  /** What a change was made to; for a call its connection and tool say it. */
  readonly resource_type: string | undefined
  readonly resource_id: string | undefined
  readonly ip_address: string | undefined
  readonly user_agent: string | undefined
  /** What changed, without secrets. */
  readonly detail: Readonly<Record<string, unknown>> | undefined
}

export interface RecordWriter<Row> {
  write(entry: Row): void
  flush(): Promise<void>
  close(): Promise<void>
}

export interface RecordWriterParts<Row> {
  readonly store: (entries: readonly Row[]) => Promise<void>
  readonly log: Log
  /** Called with the number of records that were given up. */
  onLoss(count: number): void
}

const EVERY = 50
const BATCH = 1_000
const MOST = 100_000
const AGAIN = { first: 200, most: 10_000 }

export function createRecordWriter<Row = Entry>({ store, log, onLoss }: RecordWriterParts<Row>): RecordWriter<Row> {
  let queue: Row[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = AGAIN.first

  const plan = (after: number) => {
    timer ??= setTimeout(() => {
      timer = undefined
      writing = writing.then(drain)
    }, after)
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH)
      const left = await storeAll(batch)
      if (left.length === 0) continue
      queue = [...left, ...queue]
      log.warn({ waiting: queue.length }, 'records cannot be written now; they wait')
      plan(pause)
      pause = Math.min(pause * 2, AGAIN.most)
      return
    }
    pause = AGAIN.first
  }

  /** What could not be stored for now. A row that the database will never take must not hold up all others. */
  async function storeAll(batch: readonly Row[]): Promise<readonly Row[]> {
    try {
      await store(batch)
      return []
    } catch (thrown) {
      if (!isRefusedRow(thrown)) return batch
      if (batch.length === 1) {
        log.error({ err: thrown }, 'the database refuses a record')
        onLoss(1)
        return []
      }
      const middle = Math.ceil(batch.length / 2)
      return [...(await storeAll(batch.slice(0, middle))), ...(await storeAll(batch.slice(middle)))]
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(drain)
    await writing
  }

  return {
    write(entry) {
      queue.push(entry)
      if (queue.length > MOST) {
        queue.shift()
        onLoss(1)
      }
      plan(EVERY)
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
      if (queue.length > 0) onLoss(queue.length)
    },
  }
}

const Nothing = z.object({})

/** What belongs to no organization is on record under this name, which no organization's id can be. */
export const PLATFORM = 'platform'

/** SQLSTATE classes 22 (data) and 23 (integrity): the row itself is at fault, not the moment. */
const isRefusedRow = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && /^2[23]/.test(String(thrown.code))

/** One insert for the whole batch, a column at a time: PostgreSQL reads arrays in half the time that it reads JSON. */
export async function storeRecords(sql: SystemSql | OrgSql, entries: readonly Entry[]): Promise<void> {
  const all = (valueOf: (entry: Entry) => string | number | undefined) => arrayOf(entries, valueOf)
  await sql(Nothing)`
    insert into records (id, organization_id, at, kind, principal, key_id, toolset, connection, method, target, era_client,
                         era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id,
                         actor_type, resource_type, resource_id, ip_address, user_agent, detail)
    select * from unnest(
      ${all((entry) => entry.id)}::text[], ${all((entry) => entry.org_id ?? PLATFORM)}::text[],
      ${all((entry) => entry.timestamp)}::timestamptz[], ${all((entry) => entry.kind)}::text[],
      ${all((entry) => entry.principal)}::text[], ${all((entry) => entry.key_id)}::text[],
      ${all((entry) => entry.toolset)}::text[], ${all((entry) => entry.connection)}::text[],
      ${all((entry) => entry.method)}::text[], ${all((entry) => entry.tool_name)}::text[],
      ${all((entry) => entry.era_client)}::text[], ${all((entry) => entry.era_upstream)}::text[],
      ${all((entry) => entry.client)}::text[], ${all((entry) => entry.bytes_in)}::int[],
      ${all((entry) => entry.bytes_out)}::int[], ${all((entry) => Math.round(entry.duration_ms * 1000))}::int[],
      ${all((entry) => entry.outcome)}::text[], ${all((entry) => entry.code)}::text[],
      ${all((entry) => entry.decision)}::text[], ${all((entry) => entry.request_id)}::text[],
      ${all((entry) => entry.actor_type)}::text[], ${all((entry) => entry.resource_type)}::text[],
      ${all((entry) => entry.resource_id)}::text[], ${all((entry) => entry.ip_address)}::text[],
      ${all((entry) => entry.user_agent)}::text[],
      ${all((entry) => (entry.detail === undefined ? undefined : JSON.stringify(entry.detail)))}::jsonb[])`
}

/**
 * An array in PostgreSQL's own notation (its manual, section 8.15.2). It is JSON's but for the brackets and for what stands
 * behind a backslash, which nearly no column has.
 */
function arrayOf(entries: readonly Entry[], valueOf: (row: Entry) => string | number | undefined): string {
  const values = entries.map((entry) => valueOf(entry) ?? null)
  const json = JSON.stringify(values)
  return json.includes('\\') ? `{${values.map(elementOf).join(',')}}` : `{${json.slice(1, -1)}}`
}

function elementOf(value: string | number | null): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

export const RecordRow = z.object({
  id: z.string(),
  at: z.date(),
  kind: z.string(),
  principal: z.string(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  method: z.string(),
  target: z.string().nullable(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  outcome: z.string(),
  code: z.string().nullable(),
  decision: z.string(),
  correlation_id: z.string(),
})

export const listRecords = (sql: OrgSql, { limit }: { limit: number }) => sql(RecordRow)`
  select id, at, kind, principal, toolset, connection, method, target, bytes_in, bytes_out, duration_us, outcome, code,
         decision, correlation_id
    from records order by at desc, id desc limit ${limit}`
