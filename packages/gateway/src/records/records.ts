/**
 * Records: what happened, one row for each call and each change, chained by the database and never changed afterwards.
 *
 * `outbox/` brings them here from calls, `change.ts` in the transaction of a change, `chain/` proves that nothing was altered.
 */
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { storePayloads } from './payloads.ts'

/** `unknown`: the gateway ended before the answer came. */
export type Outcome = 'ok' | 'tool_error' | 'refused' | 'failed' | 'cancelled' | 'unknown'

/** How a call ended whose gateway was gone before its answer: it may have been carried out. */
export const ENDED_BEFORE = { outcome: 'unknown', code: 'gateway.ended' } as const satisfies Partial<Entry>

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
  /** The trace that the call belongs to; its own span, where that is recorded. */
  readonly trace_id?: string | undefined
  readonly span_id?: string | undefined
  readonly actor_type: 'user' | 'api_key' | 'system'
  /** The object of a change; for a call its connection and tool name it. */
  readonly resource_type: string | undefined
  readonly resource_id: string | undefined
  readonly ip_address: string | undefined
  readonly user_agent: string | undefined
  /** The change, without secrets; of a call that failed, the reason in words. */
  readonly detail: Readonly<Record<string, unknown>> | undefined
  /** The payload, sealed, in Base64: stored beside the record, and in no log line. */
  readonly payload?: string | undefined
}

const Added = z.object({ added: z.number() })

/** Records that belong to no organization have this name, which no organization's id can be. */
export const PLATFORM = 'platform'

/**
 * Adds records to the chains of their organizations, one statement for each organization, in the order of their ids: the head of
 * a chain is locked until the transaction ends, so this is the last statement of a transaction, and two of them never wait for
 * one another. Records that are stored already are left out.
 */
export async function storeRecords(sql: SystemSql | OrgSql, entries: readonly Entry[]): Promise<void> {
  if (entries.some(({ payload }) => payload !== undefined)) await storePayloads(sql, entries)
  const chains = [...Map.groupBy(entries, (entry) => entry.org_id ?? PLATFORM)]
  for (const [organization, own] of chains.sort(([item], [other]) => (item < other ? -1 : 1)))
    await append(sql, organization, own)
}

async function append(sql: SystemSql | OrgSql, organization: string, entries: readonly Entry[]): Promise<void> {
  const columns = columnsOf(entries)
  await sql(Added)`
    select append_records(
      ${organization}::text, ${columns.id}::text[], ${columns.timestamp}::timestamptz[], ${columns.kind}::text[],
      ${columns.principal}::text[], ${columns.key_id}::text[], ${columns.toolset}::text[],
      ${columns.connection}::text[], ${columns.method}::text[], ${columns.tool_name}::text[],
      ${columns.era_client}::text[], ${columns.era_upstream}::text[], ${columns.client}::text[],
      ${columns.bytes_in}::int[], ${columns.bytes_out}::int[], ${columns.duration_us}::int[],
      ${columns.outcome}::text[], ${columns.code}::text[], ${columns.decision}::text[],
      ${columns.request_id}::text[], ${columns.actor_type}::text[], ${columns.resource_type}::text[],
      ${columns.resource_id}::text[], ${columns.ip_address}::text[], ${columns.user_agent}::text[],
      ${columns.detail}::jsonb[]) as added`
}

/** The parameters of `append_records` behind the organization, in their order. */
const COLUMNS = [
  'id',
  'timestamp',
  'kind',
  'principal',
  'key_id',
  'toolset',
  'connection',
  'method',
  'tool_name',
  'era_client',
  'era_upstream',
  'client',
  'bytes_in',
  'bytes_out',
  'duration_us',
  'outcome',
  'code',
  'decision',
  'request_id',
  'actor_type',
  'resource_type',
  'resource_id',
  'ip_address',
  'user_agent',
  'detail',
] as const

type Column = (typeof COLUMNS)[number]

/**
 * A column at a time, because PostgreSQL reads arrays in half the time that it reads JSON. An array is in its own notation (its manual,
 * section 8.15.2). That is JSON's but for the brackets and for what stands behind a backslash, which nearly no column has.
 */
function columnsOf(entries: readonly Entry[]): Readonly<Record<Column, string>> {
  const columns: Partial<Record<Column, string>> = {}
  for (const column of COLUMNS) {
    const values: (string | number | null)[] = []
    for (const entry of entries) {
      if (column === 'duration_us') values.push(Math.round(entry.duration_ms * 1000))
      else if (column === 'detail') values.push(storedDetail(entry) ?? null)
      else values.push(entry[column] ?? null)
    }
    const json = JSON.stringify(values)
    columns[column] = json.includes('\\') ? `{${values.map(elementOf).join(',')}}` : `{${json.slice(1, -1)}}`
  }
  return columns as Record<Column, string>
}

/** The trace of a call is stored with its detail. */
function storedDetail({ detail, trace_id: trace }: Entry): string | undefined {
  if (trace === undefined) return detail === undefined ? undefined : JSON.stringify(detail)
  return JSON.stringify({ ...detail, trace_id: trace })
}

function elementOf(value: string | number | null): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
