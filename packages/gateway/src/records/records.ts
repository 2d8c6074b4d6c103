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
  await storePayloads(sql, entries)
  const chains = [...Map.groupBy(entries, (entry) => entry.org_id ?? PLATFORM)]
  for (const [organization, own] of chains.sort(([item], [other]) => (item < other ? -1 : 1)))
    await append(sql, organization, own)
}

/** A column at a time: PostgreSQL reads arrays in half the time that it reads JSON. */
async function append(sql: SystemSql | OrgSql, organization: string, entries: readonly Entry[]): Promise<void> {
  const all = (valueOf: (entry: Entry) => string | number | undefined) => arrayOf(entries, valueOf)
  await sql(Added)`
    select append_records(
      ${organization}::text, ${all((entry) => entry.id)}::text[], ${all((entry) => entry.timestamp)}::timestamptz[],
      ${all((entry) => entry.kind)}::text[], ${all((entry) => entry.principal)}::text[],
      ${all((entry) => entry.key_id)}::text[], ${all((entry) => entry.toolset)}::text[],
      ${all((entry) => entry.connection)}::text[], ${all((entry) => entry.method)}::text[],
      ${all((entry) => entry.tool_name)}::text[], ${all((entry) => entry.era_client)}::text[],
      ${all((entry) => entry.era_upstream)}::text[], ${all((entry) => entry.client)}::text[],
      ${all((entry) => entry.bytes_in)}::int[], ${all((entry) => entry.bytes_out)}::int[],
      ${all((entry) => Math.round(entry.duration_ms * 1000))}::int[], ${all((entry) => entry.outcome)}::text[],
      ${all((entry) => entry.code)}::text[], ${all((entry) => entry.decision)}::text[],
      ${all((entry) => entry.request_id)}::text[], ${all((entry) => entry.actor_type)}::text[],
      ${all((entry) => entry.resource_type)}::text[], ${all((entry) => entry.resource_id)}::text[],
      ${all((entry) => entry.ip_address)}::text[], ${all((entry) => entry.user_agent)}::text[],
      ${all(storedDetail)}::jsonb[]) as added`
}

/** The trace of a call is stored with its detail. */
function storedDetail({ detail, trace_id: trace }: Entry): string | undefined {
  if (trace === undefined) return detail === undefined ? undefined : JSON.stringify(detail)
  return JSON.stringify({ ...detail, trace_id: trace })
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
