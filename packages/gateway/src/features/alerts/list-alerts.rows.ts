/** Lists alerts and their recipients. Stored for 90 days. */
import type { AlertId, ConnectionId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

export const AlertRow = z.object({
  id: z.string().transform((id) => id as AlertId),
  kind: z.string(),
  connection_id: z
    .string()
    .transform((id) => id as ConnectionId)
    .nullable(),
  user_id: z
    .string()
    .transform((id) => id as UserId)
    .nullable(),
  detail: z.record(z.string(), z.unknown()),
  created_at: z.date(),
})
export type AlertRow = z.output<typeof AlertRow>

export interface AlertFilter {
  readonly kind: string | undefined
  readonly connectionId: string | undefined
  /** Only what concerns this user; null: nobody's; undefined: all. */
  readonly userId: UserId | null | undefined
}

export const listAlerts = (
  sql: OrgSql,
  { kind, connectionId, userId }: AlertFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) => sql(AlertRow)`
  select id, kind, connection_id, user_id, detail, created_at from alerts
   where (${kind ?? null}::text is null or kind = ${kind ?? null})
     and (${connectionId ?? null}::text is null or connection_id = ${connectionId ?? null})
     and (${userId === undefined}::boolean or user_id = ${userId ?? null})
   order by created_at desc, id desc limit ${limit} offset ${offset}`

export async function countAlerts(sql: OrgSql, { kind, connectionId, userId }: AlertFilter): Promise<number> {
  const [found] = await sql(z.object({ count: z.int() }))`
    select count(*)::int as count from alerts
     where (${kind ?? null}::text is null or kind = ${kind ?? null})
       and (${connectionId ?? null}::text is null or connection_id = ${connectionId ?? null})
       and (${userId === undefined}::boolean or user_id = ${userId ?? null})`
  return found?.count ?? 0
}

export async function hasAlertSince(sql: OrgSql, kind: string, since: Date): Promise<boolean> {
  const rows = await sql(z.object({ id: z.string() }))`
    select id from alerts where kind = ${kind} and created_at > ${since} limit 1`
  return rows.length > 0
}

export const findAlert = async (sql: OrgSql, id: string): Promise<AlertRow | undefined> =>
  (await sql(AlertRow)`select id, kind, connection_id, user_id, detail, created_at from alerts where id = ${id}`)[0]

/** How many were removed. */
export const removeOldAlerts = async (sql: SystemSql, days: number): Promise<number> =>
  (
    await sql(z.object({ id: z.string() }))`
      delete from alerts where created_at < now() - make_interval(days => ${days}::int) returning id`
  ).length
