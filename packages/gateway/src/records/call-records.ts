/** Calls of tools on record, for whoever judges them again: pages of what is needed for that, the newest first. */
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const CallRecord = z.object({
  seq: z.number(),
  id: z.string(),
  at: z.date(),
  principal: z.string(),
  key_id: z.string().nullable(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  /** The name that the caller used. */
  target: z.string().nullable(),
  /** Its server's own name of the tool, where the caller used another that this does not follow from. */
  tool: z.string().nullable(),
  client: z.string().nullable(),
  ip_address: z.string().nullable(),
  /** The policy part of the record (call/audit.ts). */
  policy: z.unknown(),
})
export type CallRecord = z.output<typeof CallRecord>

const Span = z.object({ first: z.number().nullable(), last: z.number().nullable() })

/** Places in the chain of what is on record since then; undefined where nothing is. */
export async function findSpan(sql: OrgSql, since: Date): Promise<{ first: number; last: number } | undefined> {
  const [found] = await sql(Span)`
    select min(seq)::float8 as first, max(seq)::float8 as last from records where at >= ${since}`
  const { first = null, last = null } = found ?? {}
  return first === null || last === null ? undefined : { first, last }
}

export interface CallsAsked {
  readonly since: Date
  /** Places in the chain: from that one on, and before this one. */
  readonly from: number
  readonly before: number
}

/** Both ends are given, so that a page costs the same whatever the database thinks of the rest. */
export const listCalls = (sql: OrgSql, { since, from, before }: CallsAsked): Promise<CallRecord[]> => sql(CallRecord)`
  select seq::float8 as seq, id, at, principal, key_id, toolset, connection, target, client, ip_address,
         detail ->> 'tool' as tool, detail -> 'policy' as policy
    from records
   where seq >= ${from}::bigint and seq < ${before}::bigint
     and at >= ${since} and kind = 'call' and method = 'tools/call'
   order by records.seq desc`

const ShadowRow = z.object({
  rule: z.string(),
  would: z.string(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  target: z.string().nullable(),
  tool: z.string().nullable(),
  principal: z.string(),
  calls: z.int(),
  first: z.date(),
  last: z.date(),
  example: z.string(),
})
export type ShadowRow = z.output<typeof ShadowRow>

/** The outcomes that shadow rules would have had, counted by rule, caller and name of a tool as it was called; the most frequent first. */
export const countShadows = (sql: OrgSql, since: Date, limit: number): Promise<ShadowRow[]> => sql(ShadowRow)`
  with watched as materialized (
    select toolset, connection, target, detail ->> 'tool' as tool, principal, at, id, detail -> 'policy' -> 'shadows' as shadows
      from records where at >= ${since} and kind = 'call' and detail -> 'policy' ? 'shadows'
  )
  select s.key as rule, s.value as would, toolset, connection, target, tool, principal, count(*)::int as calls,
         min(at) as first, max(at) as last, max(id) as example
    from watched, jsonb_each_text(shadows) as s
   group by s.key, s.value, toolset, connection, target, tool, principal
   order by calls desc, rule, target, principal limit ${limit}`
