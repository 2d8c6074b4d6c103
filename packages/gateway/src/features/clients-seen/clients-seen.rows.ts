/**
 * Clients seen, as the database stores them: one row for each caller and each name that a client gives itself.
 *
 * The database notifies of each new step (its trigger), whichever gateway saw it. A client that was not seen for 90 days is
 * deleted, and so are the oldest of a caller whose clients have an implausible number of names.
 */
import type { KeyId, OrganizationId, UserId } from '@toolway/contract'
import type { CLIENT_STEPS } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

export type ClientStep = (typeof CLIENT_STEPS)[number]

export interface SeenClient {
  readonly organizationId: OrganizationId
  readonly principal: string
  /** The name that the client gives itself; empty: it gives none. */
  readonly client: string
  readonly version: string
  readonly revision: string
  readonly keyId: KeyId | undefined
  readonly userId: UserId | undefined
  readonly steps: Readonly<Partial<Record<ClientStep, Date>>>
}

const Nothing = z.object({})

/** One statement for many, as one JSON parameter. No two may be of the same caller and name. */
export async function storeClientsSeen(sql: SystemSql, seen: readonly SeenClient[]): Promise<void> {
  const rows = seen.map(({ organizationId, principal, client, version, revision, keyId, userId, steps }) => ({
    organization_id: organizationId,
    principal,
    client,
    version,
    revision,
    key_id: keyId,
    user_id: userId,
    initialize_at: steps.initialize,
    list_at: steps.list,
    call_at: steps.call,
  }))
  // An organization may have been removed since.
  await sql(Nothing)`
    insert into clients_seen (organization_id, principal, client, version, revision, key_id, user_id, initialize_at, list_at,
                              call_at, seen_at)
    select row.organization_id, row.principal, row.client, row.version, row.revision, row.key_id, row.user_id,
           row.initialize_at, row.list_at, row.call_at, greatest(row.initialize_at, row.list_at, row.call_at)
      from json_to_recordset(${JSON.stringify(rows)}::json) as row(
           organization_id text, principal text, client text, version text, revision text, key_id text, user_id text,
           initialize_at timestamptz, list_at timestamptz, call_at timestamptz)
      join organizations on organizations.id = row.organization_id
    on conflict (organization_id, principal, client) do update
       set version = excluded.version, revision = excluded.revision, key_id = excluded.key_id, user_id = excluded.user_id,
           initialize_at = coalesce(excluded.initialize_at, clients_seen.initialize_at),
           list_at = coalesce(excluded.list_at, clients_seen.list_at),
           call_at = coalesce(excluded.call_at, clients_seen.call_at),
           seen_at = greatest(excluded.seen_at, clients_seen.seen_at)`
}

const DAYS = 90
const MOST_OF_ONE = 50

export async function forgetClientsSeen(sql: SystemSql): Promise<void> {
  await sql(Nothing)`
    delete from clients_seen where seen_at < now() - make_interval(days => ${DAYS}::int)`
  await sql(Nothing)`
    delete from clients_seen c
     using (select organization_id, principal, client,
                   row_number() over (partition by organization_id, principal order by seen_at desc) as place
              from clients_seen) as ranked
     where ranked.place > ${MOST_OF_ONE}
       and (c.organization_id, c.principal, c.client) = (ranked.organization_id, ranked.principal, ranked.client)`
}

const Row = z.object({
  principal: z.string(),
  client: z.string(),
  version: z.string(),
  revision: z.string(),
  key_id: z.string().nullable(),
  key_name: z.string().nullable(),
  user_id: z.string().nullable(),
  initialize_at: z.date().nullable(),
  list_at: z.date().nullable(),
  call_at: z.date().nullable(),
  seen_at: z.date(),
})
export type ClientSeenRow = z.output<typeof Row>

const MOST_LISTED = 200

/** Those that were seen last first. `own`: only the ones of that member, or of that key; undefined: all. */
export const listClientsSeen = (
  sql: OrgSql,
  own: { readonly userId: UserId | undefined; readonly keyId: KeyId | undefined } | undefined,
): Promise<ClientSeenRow[]> => sql(Row)`
  select c.principal, c.client, c.version, c.revision, c.key_id, k.name as key_name, c.user_id, c.initialize_at, c.list_at,
         c.call_at, c.seen_at
    from clients_seen c left join keys k on k.id = c.key_id
   where ${own === undefined}::boolean
      or c.user_id = ${own?.userId ?? null}
      or c.key_id = ${own?.keyId ?? null}
   order by c.seen_at desc limit ${MOST_LISTED}`
