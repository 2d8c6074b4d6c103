/**
 * Sessions as the database keeps them: a few facts under the keyed hash of the name, so that they outlive a process.
 *
 * The name itself is never stored. A row is found by hash and owner together, inside the owner's organization.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { isLegacyRevision, type JsonObject, type LegacyRevision } from '@toolway/protocol'
import { z } from 'zod'
import type { PageRead } from './page-reads.ts'
import type { OrgSql, SystemSql } from '../db/db.ts'

export interface KeptSession {
  readonly hash: Buffer
  readonly organizationId: OrganizationId
  readonly owner: string
  readonly principal: string
  readonly toolset: string | undefined
  readonly connection: string | undefined
  readonly revision: LegacyRevision
  readonly capabilities: JsonObject
  readonly client: JsonObject | undefined
  readonly logLevel: string | undefined
  readonly watched: Readonly<Record<string, readonly string[]>>
  /** The connections of which it read a page of an app. */
  readonly pages: readonly ConnectionId[]
  readonly openedAt: Date
  readonly seenAt: Date
}

const Nothing = z.object({})
const Hash = z.object({ hash: z.instanceof(Buffer) })

/**
 * In the column `watched`, a connection of which pages were read has an entry of its own with no addresses: versions before ADR 0122,
 * which may serve the same session, pass it on unchanged and do nothing with it.
 */
const PAGE = 'page '

/** Stores many sessions with one insert, as one JSON parameter. The current state of a session replaces the stored one. */
export async function storeSessions(sql: SystemSql, sessions: readonly KeptSession[]): Promise<void> {
  const rows = sessions.map((session) => ({
    hash: session.hash.toString('hex'),
    organization_id: session.organizationId,
    owner: session.owner,
    principal: session.principal,
    toolset: session.toolset,
    connection: session.connection,
    revision: session.revision,
    capabilities: session.capabilities,
    client: session.client,
    log_level: session.logLevel,
    watched: { ...session.watched, ...Object.fromEntries(session.pages.map((id) => [`${PAGE}${id}`, []])) },
    opened_at: session.openedAt,
    seen_at: session.seenAt,
  }))
  // An organization may have been removed while its sessions waited to be stored.
  await sql(Nothing)`
    insert into sessions (hash, organization_id, owner, principal, toolset, connection, revision, capabilities, client,
                          log_level, watched, opened_at, seen_at)
    select decode(row.hash, 'hex'), row.organization_id, row.owner, row.principal, row.toolset, row.connection, row.revision,
           row.capabilities, row.client, row.log_level, row.watched, row.opened_at, row.seen_at
      from json_to_recordset(${storable(JSON.stringify(rows))}::json) as row(
           hash text, organization_id text, owner text, principal text, toolset text, connection text, revision text,
           capabilities jsonb, client jsonb, log_level text, watched jsonb, opened_at timestamptz, seen_at timestamptz)
      join organizations on organizations.id = row.organization_id
    on conflict (hash) do update
       set log_level = excluded.log_level, watched = excluded.watched, seen_at = greatest(sessions.seen_at, excluded.seen_at)`
}

/** JSON whose texts a database can hold: no NUL, no half of a surrogate pair, of which JSON.stringify makes escapes. */
const storable = (json: string): string => json.replace(/\\u(0000|d[89a-f][\da-f]{2})/gi, '\\ufffd')

const FactsRow = z.object({
  revision: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  client: z.record(z.string(), z.unknown()).nullable(),
  log_level: z.string().nullable(),
  watched: z.record(z.string(), z.array(z.string())),
  opened_at: z.date(),
})

export interface FoundSession extends Pick<
  KeptSession,
  'revision' | 'capabilities' | 'client' | 'logLevel' | 'watched' | 'pages'
> {
  readonly openedAt: Date
}

/** The session of that name and owner that somebody used since, if there is one. */
export async function findSession(
  sql: OrgSql,
  { hash, owner, since }: { hash: Buffer; owner: string; since: Date },
): Promise<FoundSession | undefined> {
  const [row] = await sql(FactsRow)`
    select revision, capabilities, client, log_level, watched, opened_at from sessions
     where hash = ${hash} and owner = ${owner} and seen_at > ${since}`
  // A revision that this version does not speak is a session it cannot go on with.
  if (row === undefined || !isLegacyRevision(row.revision)) return undefined
  return {
    revision: row.revision,
    capabilities: row.capabilities as JsonObject,
    client: (row.client ?? undefined) as JsonObject | undefined,
    logLevel: row.log_level ?? undefined,
    watched: Object.fromEntries(Object.entries(row.watched).filter(([key]) => !key.startsWith(PAGE))),
    pages: Object.keys(row.watched).flatMap((key) =>
      key.startsWith(PAGE) ? [key.slice(PAGE.length) as ConnectionId] : [],
    ),
    openedAt: row.opened_at,
  }
}

const ListedRow = z.object({
  hash: z.instanceof(Buffer),
  organization_id: z.string().transform((id) => id as OrganizationId),
  principal: z.string(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  revision: z.string(),
  client: z.record(z.string(), z.unknown()).nullable(),
  opened_at: z.date(),
  seen_at: z.date(),
})
export type ListedSession = z.output<typeof ListedRow>

const Count = z.object({ count: z.int() })

interface SessionsWanted {
  readonly organizations: readonly string[]
  /** Those that are known better. */
  readonly except: readonly Buffer[]
  /** When the last one of the page before was used, and its hash. */
  readonly after: { readonly at: Date; readonly hash: Buffer } | undefined
  readonly most: number
}

/** A page of those of these organizations, those used last first, and how many there are in all. */
export async function listStoredSessions(sql: SystemSql, { organizations, except, after, most }: SessionsWanted) {
  const [at, hash] = [after?.at ?? null, after?.hash ?? null]
  const [counted] = await sql(Count)`
    select count(*)::int as count from sessions
     where organization_id = any(${organizations}::text[]) and not hash = any(${except}::bytea[])`
  const rows = await sql(ListedRow)`
    select hash, organization_id, principal, toolset, connection, revision, client, opened_at, seen_at from sessions
     where organization_id = any(${organizations}::text[]) and not hash = any(${except}::bytea[])
       and (${at}::timestamptz is null or (seen_at, hash) < (${at}::timestamptz, ${hash}::bytea))
     order by seen_at desc, hash desc limit ${most}`
  return { rows, total: counted?.count ?? 0 }
}

/**
 * Removes a session and returns its organization; undefined when there is none of that name. Every gateway is notified of its
 * end.
 */
export async function removeSession(sql: SystemSql, hash: Buffer): Promise<OrganizationId | undefined> {
  const [row] = await sql(ListedRow.pick({ organization_id: true }))`
    delete from sessions where hash = ${hash} returning organization_id`
  return row?.organization_id
}

/**
 * Tells every gateway of the database which pages of apps were read. The notice names the table, as all notices about sessions do;
 * a version before ADR 0122 takes it for the end of a session that it does not have.
 */
export const tellPageReads = (sql: SystemSql, reads: readonly PageRead[]) =>
  sql(z.object({ said: z.string() }))`
    select announce_change(notice)::text as said
      from unnest(${reads.map((page) => JSON.stringify({ table: 'sessions', page }))}::text[]) as notice`

/** Those that were used lately, each at its own time. */
export async function touchSessions(sql: SystemSql, seen: readonly { hash: Buffer; at: Date }[]): Promise<void> {
  await sql(Nothing)`
    update sessions set seen_at = greatest(seen_at, touched.at)
      from unnest(${seen.map(({ hash }) => hash)}::bytea[], ${seen.map(({ at }) => at)}::timestamptz[]) as touched (hash, at)
     where sessions.hash = touched.hash`
}

export const removeSessions = (sql: SystemSql, hashes: readonly Buffer[]) =>
  sql(Hash)`delete from sessions where hash = any(${[...hashes]}::bytea[]) returning hash`

/** Removes sessions that were not used since then in any gateway. */
export const removeIdleSessions = (sql: SystemSql, since: Date) =>
  sql(Hash)`delete from sessions where seen_at < ${since} returning hash`
