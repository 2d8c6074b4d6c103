/**
 * Connections: one connector set up in an organization. Settings are readable, secrets sealed; the alias stays for good.
 */
import {
  ConnectionSettings,
  LOCK_MODES,
  newId,
  type LockMode,
  type ConnectionId,
  type ImportId,
  type OrganizationId,
} from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, Sql, SystemSql } from '../db/db.ts'
import { readable } from './unreadable-connections.ts'

export const ConnectionRow = z.object({
  id: z.string().transform((id) => id as ConnectionId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  alias: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  settings: ConnectionSettings,
  sealed: z.instanceof(Buffer).nullable(),
  enabled: z.boolean(),
  origin: z.string(),
  era: z.object({ revision: z.string(), at: z.number() }).nullable(),
  status: z.string(),
  status_reason: z.string().nullable(),
  /** Whether a tool that was not switched by name is on. */
  tools_default: z.boolean(),
  /** The tools that are held for review when they have changed. */
  tool_lock: z.enum(LOCK_MODES),
  /** Whether what its server says of its tools' effects is believed. */
  trusted: z.boolean(),
  /** Whether what is sent and what comes back is kept with the records of its calls. */
  keep_payloads: z.boolean(),
  /** What was repaired in the last answers of its OAuth servers, by kind of document (`oauth/outgoing/note-readings.ts`). */
  oauth_repairs: z.record(z.string(), z.object({ document: z.string(), repaired: z.array(z.string()) })).nullable(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type ConnectionRow = z.output<typeof ConnectionRow>

const readConnections = async (sql: Sql, ids: readonly string[] | null, organizations: readonly string[] | null) => {
  const rows = await sql(ConnectionRow)`
    select id, organization_id, alias, title, description, settings, sealed, enabled, origin, era, status, status_reason,
           tools_default, tool_lock, trusted, keep_payloads, oauth_repairs, created_at, updated_at
      from connections
     where (${ids}::text[] is null or id = any(${ids}::text[]))
       and (${organizations}::text[] is null or organization_id = any(${organizations}::text[]))
     order by alias`
  return rows.map(readable)
}

/** All of them, or those of these ids. */
export const listConnections = (sql: OrgSql, ids?: readonly string[]) => readConnections(sql, ids ?? null, null)

/** Those of these organizations. */
export const listConnectionsOf = (sql: SystemSql, organizations: readonly string[]) =>
  readConnections(sql, null, organizations)

/** By id or alias. */
export async function findConnection(sql: OrgSql, name: string): Promise<ConnectionRow | undefined> {
  const rows = await sql(ConnectionRow)`
    select id, organization_id, alias, title, description, settings, sealed, enabled, origin, era, status, status_reason,
           tools_default, tool_lock, trusted, keep_payloads, oauth_repairs, created_at, updated_at
      from connections where id = ${name} or alias = ${name}`
  return byIdFirst(rows, name)
}

/** By id or alias, and it stays as it is until the transaction ends. */
export async function lockConnection(sql: OrgSql, name: string): Promise<ConnectionRow | undefined> {
  const rows = await sql(ConnectionRow)`
    select id, organization_id, alias, title, description, settings, sealed, enabled, origin, era, status, status_reason,
           tools_default, tool_lock, trusted, keep_payloads, oauth_repairs, created_at, updated_at
      from connections where id = ${name} or alias = ${name} for update`
  return byIdFirst(rows, name)
}

/** An alias may look like an id; the id goes before it. */
const byIdFirst = (rows: readonly ConnectionRow[], name: string): ConnectionRow | undefined =>
  rows.find(({ id }) => id === name) ?? rows[0]

export interface NewConnection {
  readonly organizationId: OrganizationId
  readonly alias: string
  readonly title: string
  readonly description?: string | null
  readonly settings: ConnectionSettings
  readonly enabled: boolean
  readonly origin: string
  readonly importId?: ImportId
  /** Seal the secrets for the id that the row will have. */
  seal(id: ConnectionId): Buffer | undefined
}

const Id = z.object({ id: z.string().transform((id) => id as ConnectionId) })

/** Add a connection; undefined when the alias is taken. */
export async function addConnection(sql: OrgSql, connection: NewConnection): Promise<ConnectionId | undefined> {
  const id = newId('con')
  const { organizationId, alias, title, description = null, settings, enabled, origin, importId, seal } = connection
  const rows = await sql(Id)`
    insert into connections (id, organization_id, alias, title, description, connector, settings, sealed, enabled, origin,
                             import_id)
    values (${id}, ${organizationId}, ${alias}, ${title}, ${description}, ${settings.connector},
            ${JSON.stringify(settings)}, ${seal(id) ?? null}, ${enabled}, ${origin}, ${importId ?? null})
    on conflict (organization_id, alias) do nothing
    returning id`
  return rows[0]?.id
}

/** Replace what a file declares: settings, secrets, title, enabled. Remembered facts of another address are forgotten. */
export const changeConnection = (
  sql: OrgSql,
  id: ConnectionId,
  next: Omit<NewConnection, 'organizationId' | 'alias' | 'importId'>,
) =>
  sql(Id)`
    update connections
       set title = ${next.title}, description = ${next.description ?? null}, connector = ${next.settings.connector}, settings = ${JSON.stringify(next.settings)},
           sealed = ${next.seal(id) ?? null}, enabled = ${next.enabled}, origin = ${next.origin},
           era = null, status = 'new', status_reason = null, updated_at = now(),
           oauth_repairs = case when settings = ${JSON.stringify(next.settings)}::jsonb then oauth_repairs end
     where id = ${id}
    returning id`

/** Switched as it is already, it stays untouched: nothing of it is opened anew. */
export const switchConnection = (sql: OrgSql, id: ConnectionId, enabled: boolean) => sql(Id)`
  update connections set enabled = ${enabled}, updated_at = now() where id = ${id} and enabled <> ${enabled} returning id`

export const removeConnection = async (sql: OrgSql, alias: string): Promise<boolean> =>
  (await sql(Id)`delete from connections where alias = ${alias} returning id`).length > 0

/**
 * Restarts a connection: its open resources are closed and opened again, as after any change of it; undefined when there is no
 * such connection.
 */
export const restartConnection = async (sql: OrgSql, alias: string): Promise<ConnectionId | undefined> => {
  const rows = await sql(Id)`
    update connections set status = 'new', status_reason = null, updated_at = now()
     where alias = ${alias}
    returning id`
  return rows[0]?.id
}

export interface Seen {
  readonly status: 'connected' | 'needs_auth' | 'error'
  readonly reason: string | undefined
  readonly era: { revision: string; at: number } | undefined
}

const Noted = z.object({
  organization_id: z.string().transform((id) => id as OrganizationId),
  alias: z.string(),
  was_told: z.boolean(),
  is_told: z.boolean(),
})

export interface NotedContact {
  readonly organizationId: OrganizationId
  readonly alias: string
  /** An outage that is to be told, or the end of one that was. */
  readonly turn: 'down' | 'up' | undefined
}

/** Between two outages of one connection that are told. Minutes: a server that flaps must not fill the list of alerts. */
const OUTAGE_PAUSE = 10

/**
 * Notes the result of the last contact; undefined where it is known already. Hints of a connected one (`noteHints`) stay until it is
 * changed, restarted or fails: another gateway that does not know them says nothing against them. It is no change of the connection, so
 * `updated_at` stays. The row is locked meanwhile, so only one of several gateways detects a change of state.
 */
export async function noteContact(
  sql: SystemSql,
  id: string,
  { status, reason: statusReason, era }: Seen,
): Promise<NotedContact | undefined> {
  // A reason quotes a server, which may say what a text of the database cannot hold.
  const reason = statusReason?.replaceAll('\0', '\uFFFD')
  const [noted] = await sql(Noted)`
    update connections c
       set status = ${status}, status_reason = coalesce(${reason ?? null}, was.hints),
           era = coalesce(${era === undefined ? null : JSON.stringify(era)}::jsonb, c.era),
           outage_told = was.goes_down or (was.outage_told and ${status} <> 'connected'),
           outage_told_at = case when was.goes_down then now() else c.outage_told_at end
      from (select id, outage_told,
                   case when status = 'connected' and ${status} = 'connected' then status_reason end as hints,
                   ${status} = 'error' and enabled and not outage_told
                   and (outage_told_at is null or outage_told_at < now() - make_interval(mins => ${OUTAGE_PAUSE}::int))
                   as goes_down
              from connections where id = ${id} for update) as was
     where c.id = was.id
       and (was.goes_down
            or (c.status, coalesce(c.status_reason, ''), coalesce(c.era ->> 'revision', ''))
               is distinct from (${status}, coalesce(${reason ?? null}, was.hints, ''), coalesce(${era?.revision ?? null}, c.era ->> 'revision', '')))
    returning c.organization_id, c.alias, was.outage_told as was_told, c.outage_told as is_told`
  if (noted === undefined) return undefined
  const { organization_id: organizationId, alias, was_told: was, is_told: is } = noted
  return { organizationId, alias, turn: was === is ? undefined : is ? 'down' : 'up' }
}

/**
 * Notes what a connection that is connected lacks all the same, a sentence on each line; undefined where it lacks nothing. Of one that
 * is not connected, the reason of that is told first.
 */
export const noteHints = (sql: SystemSql, id: string, hints: string | undefined) => sql(Id)`
  update connections set status_reason = ${hints ?? null}
   where id = ${id} and status = 'connected' and coalesce(status_reason, '') <> coalesce(${hints ?? null}, '')
  returning id`

/**
 * Notes how one kind of document of its OAuth servers was read the last time: with these repairs, or undefined where it needed none.
 * It is no change of the connection, so `updated_at` stays; what is noted already is not written again.
 */
export function noteOAuthRepairs(
  sql: SystemSql,
  id: ConnectionId,
  { kind, noted }: { kind: string; noted: { document: string; repaired: readonly string[] } | undefined },
) {
  const entry = noted === undefined ? null : JSON.stringify({ [kind]: noted })
  return sql(Id)`
    update connections
       set oauth_repairs = nullif((coalesce(oauth_repairs, '{}') - ${kind}::text) || coalesce(${entry}::jsonb, '{}'), '{}')
     where id = ${id}
       and (oauth_repairs -> ${kind}::text) is distinct from (${entry}::jsonb -> ${kind}::text)
    returning id`
}

const Locked = z.object({
  alias: z.string(),
  connector: z.string(),
  tool_lock: z.enum(LOCK_MODES),
  trusted: z.boolean(),
})

/** For a look at its server: nobody else changes what is known of its tools until the transaction ends. Undefined: it is gone. */
export const lockForLook = async (sql: SystemSql, id: ConnectionId): Promise<z.output<typeof Locked> | undefined> =>
  (await sql(Locked)`select alias, connector, tool_lock, trusted from connections where id = ${id} for update`)[0]

/**
 * It is no change of the connection itself, so nothing of it is opened anew, but a connector of somebody's own that is trusted or no
 * longer is: what its tools may send depends on that.
 */
export const setToolLock = (sql: OrgSql, id: ConnectionId, { mode, trusted }: { mode: LockMode; trusted: boolean }) =>
  sql(Id)`
    update connections
       set tool_lock = ${mode}, trusted = ${trusted},
           updated_at = case when trusted <> ${trusted} and settings ->> 'connector' = 'native' and settings ->> 'source' is not null
                             then now() else updated_at end
     where id = ${id} returning id`

/** As the lock: nothing of it is opened anew. */
export const setKeepPayloads = (sql: OrgSql, id: ConnectionId, keep: boolean) =>
  sql(Id)`update connections set keep_payloads = ${keep} where id = ${id} returning id`
