/**
 * Records: what happened, one row for each call and each change, written in batches and never changed afterwards.
 *
 * The writer keeps what it could not write yet and tries again; beyond its bound the oldest is given up and counted, which
 * the log shows. Every record was a log line before, so a record that is lost here is not lost altogether.
 */
import { newId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { Log } from '../lib/log.ts'

export type Outcome = 'ok' | 'tool_error' | 'refused' | 'failed' | 'cancelled'

export interface Entry {
  readonly organizationId: OrganizationId
  readonly at: Date
  readonly kind: 'call' | 'change' | 'sign_in'
  readonly principal: string
  readonly keyId: string | undefined
  readonly toolset: string | undefined
  readonly connection: string | undefined
  readonly method: string
  readonly target: string | undefined
  readonly eraClient: string | undefined
  readonly eraUpstream: string | undefined
  readonly client: string | undefined
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationUs: number
  readonly outcome: Outcome
  readonly code: string | undefined
  readonly decision: string
  readonly correlationId: string
}

export interface RecordWriter {
  write(entry: Entry): void
  flush(): Promise<void>
  close(): Promise<void>
}

export interface RecordWriterParts {
  readonly store: (entries: readonly Entry[]) => Promise<void>
  readonly log: Log
  /** Called with the number of records that were given up. */
  onLoss(count: number): void
}

const EVERY = 50
const BATCH = 1_000
const MOST = 100_000
const AGAIN = { first: 200, most: 10_000 }

export function createRecordWriter({ store, log, onLoss }: RecordWriterParts): RecordWriter {
  let queue: Entry[] = []
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
  async function storeAll(batch: readonly Entry[]): Promise<readonly Entry[]> {
    try {
      await store(batch)
      return []
    } catch (thrown) {
      if (!isRefusedRow(thrown)) return batch
      if (batch.length === 1) {
        log.error({ err: thrown, correlationId: batch[0]?.correlationId }, 'the database refuses a record')
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

/** SQLSTATE classes 22 (data) and 23 (integrity): the row itself is at fault, not the moment. */
const isRefusedRow = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && /^2[23]/.test(String(thrown.code))

/** One insert for the whole batch (9 µs a row instead of 264 for one insert each). */
export async function storeRecords(sql: SystemSql, entries: readonly Entry[]): Promise<void> {
  const column = <Value>(pick: (entry: Entry) => Value) => entries.map(pick)
  await sql(Nothing)`
    insert into records (id, organization_id, at, kind, principal, key_id, toolset, connection, method, target, era_client,
                         era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id)
    select * from unnest(
      ${column(({ at }) => newId('rec', at.getTime()))}::text[], ${column((e) => e.organizationId)}::text[],
      ${column((e) => e.at)}::timestamptz[], ${column((e) => e.kind)}::text[], ${column((e) => e.principal)}::text[],
      ${column((e) => e.keyId ?? null)}::text[], ${column((e) => e.toolset ?? null)}::text[],
      ${column((e) => e.connection ?? null)}::text[], ${column((e) => e.method)}::text[],
      ${column((e) => e.target ?? null)}::text[], ${column((e) => e.eraClient ?? null)}::text[],
      ${column((e) => e.eraUpstream ?? null)}::text[], ${column((e) => e.client ?? null)}::text[],
      ${column((e) => e.bytesIn)}::int[], ${column((e) => e.bytesOut)}::int[], ${column((e) => e.durationUs)}::int[],
      ${column((e) => e.outcome)}::text[], ${column((e) => e.code ?? null)}::text[], ${column((e) => e.decision)}::text[],
      ${column((e) => e.correlationId)}::text[])`
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
