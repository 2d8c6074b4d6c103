/**
 * OAuth clients that are stored: those that registered themselves and those that an administrator added.
 *
 * One that registered itself and that nobody allowed anything is gone after a day, so that a flood of registrations leaves
 * nothing; each use keeps it for half a year more. A secret is kept by keyed hash only.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import type { Part } from '../../lib/page.ts'

/** A client's own metadata, as far as it is used here (RFC 7591, section 2). */
export const ClientMetadata = z.object({
  redirect_uris: z.array(z.string()),
  application_type: z.enum(['web', 'native']),
  grant_types: z.array(z.string()),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  client_uri: z.string().optional(),
})
export type ClientMetadata = z.output<typeof ClientMetadata>

export const ClientRow = z.object({
  id: z.string(),
  kind: z.enum(['dynamic', 'added']),
  name: z.string(),
  secret_hash: z.string().nullable(),
  metadata: ClientMetadata,
  created_at: z.date(),
  used_at: z.date().nullable(),
  expires_at: z.date().nullable(),
})
export type ClientRow = z.output<typeof ClientRow>

export interface NewClient {
  readonly kind: ClientRow['kind']
  readonly name: string
  readonly secretHash: string | undefined
  readonly metadata: ClientMetadata
  readonly registeredFrom: string | undefined
  readonly createdBy: string | undefined
}

const Nothing = z.object({})
const Count = z.object({ recent: z.int(), unused: z.int() })

export const mintClientId = (): string => `client_${randomBytes(16).toString('hex')}`
export const mintClientSecret = (): string => `tws_${randomBytes(32).toString('base64url')}`

export async function addClient(sql: SystemSql, client: NewClient): Promise<ClientRow> {
  const { kind, name, secretHash, metadata, registeredFrom, createdBy } = client
  const rows = await sql(ClientRow)`
    insert into oauth_clients (id, kind, name, secret_hash, metadata, registered_from, created_by, expires_at)
    values (${mintClientId()}, ${kind}, ${name}, ${secretHash ?? null}, ${JSON.stringify(metadata)},
            ${registeredFrom ?? null}, ${createdBy ?? null},
            ${kind === 'dynamic' ? new Date(Date.now() + UNUSED_MS) : null})
    returning id, kind, name, secret_hash, metadata, created_at, used_at, expires_at`
  const [row] = rows
  if (row === undefined) throw new Error('an insert returned no row')
  return row
}

const UNUSED_MS = 24 * 60 * 60_000

export async function findClient(sql: SystemSql, id: string): Promise<ClientRow | undefined> {
  const rows = await sql(ClientRow)`
    select id, kind, name, secret_hash, metadata, created_at, used_at, expires_at from oauth_clients
     where id = ${id} and (expires_at is null or expires_at > now())`
  return rows[0]
}

/** A client that was allowed something, or renewed it, is kept. */
export const noteClientUse = async (sql: SystemSql, id: string): Promise<unknown> =>
  sql(Nothing)`
    update oauth_clients
       set used_at = now(),
           expires_at = case when kind = 'dynamic' then now() + interval '180 days' end
     where id = ${id}`

export const countClients = async (sql: SystemSql): Promise<number> =>
  (
    await sql(z.object({ count: z.int() }))`
      select count(*)::int as count from oauth_clients where expires_at is null or expires_at > now()`
  )[0]?.count ?? 0

export const listClients = (sql: SystemSql, { rowLimit, offset }: Part) => sql(ClientRow)`
  select id, kind, name, secret_hash, metadata, created_at, used_at, expires_at from oauth_clients
   where expires_at is null or expires_at > now() order by created_at desc, id limit ${rowLimit} offset ${offset}`

/** Removes a client and its grants. Undefined when there is none. */
export async function removeClient(sql: SystemSql, id: string): Promise<ClientRow | undefined> {
  const rows = await sql(ClientRow)`
    delete from oauth_clients where id = ${id}
    returning id, kind, name, secret_hash, metadata, created_at, used_at, expires_at`
  await sql(Nothing)`update oauth_grants set ended_at = now() where client_id = ${id} and ended_at is null`
  return rows[0]
}

/**
 * Counts the registrations from there within the last hour, and those never used. The caller holds the lock until its transaction
 * ends, so that many at once do not all get the last free place.
 */
export async function countRegistrations(sql: SystemSql, from: string) {
  await sql(Nothing)`select from pg_advisory_xact_lock(8665930)`
  const rows = await sql(Count)`
    select (select count(*)::int from oauth_clients
             where kind = 'dynamic' and registered_from = ${from} and created_at > now() - interval '1 hour') as recent,
           (select count(*)::int from oauth_clients
             where kind = 'dynamic' and used_at is null and expires_at > now()) as unused`
  return rows[0] ?? { recent: 0, unused: 0 }
}

/** Of clients whose time is over. */
export const removeExpiredClients = async (sql: SystemSql): Promise<unknown> =>
  sql(Nothing)`delete from oauth_clients where expires_at <= now()`
