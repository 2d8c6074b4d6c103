/**
 * Lasting grants, as they are kept: "always for this tool". Whether one counts for a call is decided by its digest, and by who gave it
 * as they are now; here is only that each is given once by each, and that one that nobody uses ends.
 */
import { newId, type ApprovalId, type ConnectionId, type StandingGrantId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { Newest } from '../lib/page.ts'
import type { ApprovalRow } from './approvals.ts'

/** Days without a call after which it is good no more. */
export const UNUSED_DAYS = 90

export const StandingGrantRow = z.object({
  id: z.string().transform((id) => id as StandingGrantId),
  connection_id: z.string().transform((id) => id as ConnectionId),
  tool: z.string(),
  effect: z.enum(['read', 'write']),
  digest: z.string(),
  tool_hash: z.string(),
  principal: z.string(),
  caller: z.string(),
  user_id: z.string().nullable(),
  client: z.string().nullable(),
  account: z.string().nullable(),
  /** Rules of the action `approve`, whole; read by `storedRules`. */
  rules: z.unknown(),
  granted_by: z.string(),
  approval_id: z.string().transform((id) => id as ApprovalId),
  note: z.string().nullable(),
  created_at: z.date(),
  used_at: z.date().nullable(),
  uses: z.int(),
})
export type StandingGrantRow = z.output<typeof StandingGrantRow>

const Id = z.object({ id: z.string().transform((id) => id as StandingGrantId) })

const StandingGrantOnPage = StandingGrantRow.extend({ key: z.string() })
const Count = z.object({ count: z.int() })

/** The newest first. `self`: only those that this person or key gave, or whose calls they are for; null: all of them. */
export async function listStandingGrants(sql: OrgSql, self: string | null, { at, id, rowLimit, offset }: Newest) {
  const [counted] = await sql(Count)`
    select count(*)::int as count from lasting_grants
     where coalesce(used_at, created_at) > now() - make_interval(days => ${UNUSED_DAYS}::int)
       and (${self}::text is null or granted_by = ${self} or principal = ${self} or user_id = ${self})`
  const rows = await sql(StandingGrantOnPage)`
    select id, connection_id, tool, effect, digest, tool_hash, principal, caller, user_id, client, account, rules, granted_by,
           approval_id, note, created_at, used_at, uses,
           to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as key
      from lasting_grants
     where coalesce(used_at, created_at) > now() - make_interval(days => ${UNUSED_DAYS}::int)
       and (${self}::text is null or granted_by = ${self} or principal = ${self} or user_id = ${self})
       and (${at}::text is null or (created_at, id) < ((${at}::timestamp at time zone 'UTC'), ${id}::text))
     order by created_at desc, id desc limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

export const findStandingGrant = async (sql: OrgSql, id: string): Promise<StandingGrantRow | undefined> =>
  (
    await sql(StandingGrantRow)`
      select id, connection_id, tool, effect, digest, tool_hash, principal, caller, user_id, client, account, rules, granted_by,
             approval_id, note, created_at, used_at, uses
        from lasting_grants where id = ${id}`
  )[0]

/** Those of a digest that are still good, as far as time tells. */
export const listStandingGrantsOf = (sql: OrgSql, digest: string) => sql(
  z.object({ ...Id.shape, granted_by: z.string() }),
)`
  select id, granted_by from lasting_grants
   where digest = ${digest} and coalesce(used_at, created_at) > now() - make_interval(days => ${UNUSED_DAYS}::int)
   order by id`

export interface NewLasting {
  readonly row: ApprovalRow & { readonly lasting_digest: string; readonly tool_hash: string }
  readonly by: string
  readonly note: string | undefined
}

/** Given again by the same person it is as new. */
export async function storeStandingGrant(sql: OrgSql, { row, by, note }: NewLasting): Promise<StandingGrantId> {
  const rows = await sql(Id)`
    insert into lasting_grants (id, organization_id, connection_id, tool, effect, digest, tool_hash, principal, caller, user_id,
                                client, account, rules, granted_by, approval_id, note)
    values (${newId('lgr')}, ${row.organization_id}, ${row.connection_id}, ${row.tool}, ${row.effect}, ${row.lasting_digest},
            ${row.tool_hash}, ${row.principal}, ${row.caller}, ${row.user_id}, ${row.client}, ${row.account},
            ${JSON.stringify(row.rules)}, ${by}, ${row.id}, ${note ?? null})
    on conflict (organization_id, digest, granted_by) do update
       set created_at = now(), used_at = null, note = excluded.note, approval_id = excluded.approval_id
    returning id`
  const [stored] = rows
  if (stored === undefined) throw new Error('an insert returned no row')
  return stored.id
}

export const noteUse = (sql: OrgSql, ids: readonly StandingGrantId[]) => sql(Id)`
  update lasting_grants set used_at = now(), uses = uses + 1 where id = any(${[...ids]}) returning id`

export const removeStandingGrants = async (sql: OrgSql, id: string): Promise<boolean> =>
  (await sql(Id)`delete from lasting_grants where id = ${id} returning id`).length > 0

/** Removes the standing grants that an approval's answer created. */
export const removeStandingGrantsOf = (sql: OrgSql, approval: string) => sql(Id)`
  delete from lasting_grants where approval_id = ${approval} returning id`

export async function removeUnused(sql: SystemSql): Promise<void> {
  await sql(Id)`
    delete from lasting_grants
     where coalesce(used_at, created_at) < now() - make_interval(days => ${UNUSED_DAYS}::int) returning id`
}
