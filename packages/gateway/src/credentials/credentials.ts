/**
 * Credentials: what lets the gateway act at a server, for one member or for the whole organization. Both tokens are sealed, each
 * for its own place. How they are renewed is in `renewal.ts`, how they end in `ended.ts`. It never asks anybody anything.
 */
import {
  type Authority,
  newId,
  type ConnectionId,
  type CredentialId,
  type OAuthAppId,
  type OrganizationId,
  type UserId,
} from '@toolway/contract'
import { z } from 'zod'
import type { PageStart } from '../lib/page.ts'
import type { OrgSql, SystemSql } from '../db/db.ts'

export const CredentialKind = z.enum(['oauth', 'key'])
export type CredentialKind = z.output<typeof CredentialKind>

const columns = {
  id: z.string().transform((id) => id as CredentialId),
  provider: z.string(),
  connection_id: z
    .string()
    .transform((id) => id as ConnectionId)
    .nullable(),
  user_id: z
    .string()
    .transform((id) => id as UserId)
    .nullable(),
  provider_user_id: z.string().nullable(),
  provider_username: z.string().nullable(),
  token_type: z.string(),
  expires_at: z.date().nullable(),
  scopes: z.array(z.string()),
  active: z.boolean(),
  created_at: z.date(),
  updated_at: z.date(),
  kind: CredentialKind,
  account: z.string(),
  is_default: z.boolean(),
  server: z.string().nullable(),
  issuer: z.string().nullable(),
  problem: z.string().nullable(),
  problem_at: z.date().nullable(),
  version: z.int(),
  renewed_at: z.date(),
  used_at: z.date().nullable(),
  failures: z.int(),
}

/** With its sealed tokens. */
export const CredentialRow = z.object({
  ...columns,
  sealed_access_token: z.instanceof(Buffer),
  sealed_refresh_token: z.instanceof(Buffer).nullable(),
  provider_data: z.record(z.string(), z.unknown()),
})
export type CredentialRow = z.output<typeof CredentialRow>

/** Without any. */
export const AccountRow = z.object({ ...columns, renewable: z.boolean() })
export type AccountRow = z.output<typeof AccountRow>

const KeyedCredential = CredentialRow.extend({ key: z.string() })
const Total = z.object({ total: z.int() })

/** A page of those of the organization, by provider and age; with a user only its shared ones and that user's. */
export async function listCredentials(sql: OrgSql, userId: UserId | null | undefined, from: PageStart) {
  const { after: [provider = null, at = null, id = null] = [], rowLimit, offset } = from
  const rows = await sql(KeyedCredential)`
    select id, provider, connection_id, user_id, provider_user_id, provider_username, sealed_access_token,
           sealed_refresh_token, token_type, expires_at, scopes, provider_data, active, created_at, updated_at,
           kind, account, is_default, server, issuer, problem, problem_at, version, renewed_at, used_at, failures,
           to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as key
      from credentials
     where (${userId === undefined}::boolean or user_id is null or user_id = ${userId ?? null})
       and (${provider}::text is null
            or (provider, created_at, id) > (${provider}, ${at}::timestamp at time zone 'UTC', ${id}))
     order by provider, created_at, id limit ${rowLimit} offset ${offset}`
  const [counted] = await sql(Total)`
    select count(*)::int as total from credentials
     where ${userId === undefined}::boolean or user_id is null or user_id = ${userId ?? null}`
  return { rows, total: counted?.total ?? 0 }
}

/** The credentials of a connection: its own, and those with its vendor that are for all connections to it. */
export interface OfConnection {
  readonly connectionId: ConnectionId
  readonly provider: string
}

/** As people may see them; with a user only the shared ones and that user's. */
export const listAccounts = (sql: OrgSql, { connectionId, provider }: OfConnection, userId?: UserId | null) =>
  sql(AccountRow)`
  select id, provider, connection_id, user_id, provider_user_id, provider_username, token_type, expires_at, scopes,
         active, created_at, updated_at, kind, account, is_default, server, issuer, problem, problem_at, version,
         renewed_at, used_at, failures, sealed_refresh_token is not null as renewable
    from credentials
   where (connection_id = ${connectionId} or (connection_id is null and provider = ${provider}))
     and (${userId === undefined}::boolean or user_id is null or user_id = ${userId ?? null})
   order by user_id nulls first, account`

/** Connections by whose accounts a list goes. */
export interface PlaceOfAccounts extends OfConnection {
  readonly alias: string
}

const PlacedAccount = AccountRow.extend({ connection: z.string(), owner: z.string() })

/**
 * A page of the accounts of connections, as people may see them: by alias, shared ones first (their `owner` is empty), then by owner and
 * name. One that is for all connections to its vendor is an account of each of them.
 */
export async function pageOfAccounts(
  sql: OrgSql,
  places: readonly PlaceOfAccounts[],
  { userId, from }: { readonly userId: UserId | null | undefined; readonly from: PageStart },
) {
  const aliases = places.map(({ alias }) => alias)
  const connections = places.map(({ connectionId }) => connectionId)
  const providers = places.map(({ provider }) => provider)
  const { after: [alias = null, owner = null, account = null, id = null] = [], rowLimit, offset } = from
  const rows = await sql(PlacedAccount)`
    with places as materialized (
      select * from unnest(${aliases}::text[], ${connections}::text[], ${providers}::text[]) as p (alias, connection, vendor)
    ), placed as (
      select p.alias, c.* from places p join credentials c on c.connection_id = p.connection
      union all
      select p.alias, c.* from places p join credentials c on c.connection_id is null and c.provider = p.vendor
    )
    select id, provider, connection_id, user_id, provider_user_id, provider_username, token_type, expires_at, scopes,
           active, created_at, updated_at, kind, account, is_default, server, issuer, problem, problem_at, version,
           renewed_at, used_at, failures, sealed_refresh_token is not null as renewable,
           alias as connection, coalesce(user_id, '') as owner
      from placed
     where (${userId === undefined}::boolean or user_id is null or user_id = ${userId ?? null})
       and (${alias}::text is null
            or (alias collate "C", coalesce(user_id, '') collate "C", account collate "C", id collate "C")
               > (${alias}, ${owner}, ${account}, ${id}))
     order by alias collate "C", coalesce(user_id, '') collate "C", account collate "C", id collate "C"
     limit ${rowLimit} offset ${offset}`
  const [counted] = await sql(Total)`
    with places as materialized (
      select * from unnest(${connections}::text[], ${providers}::text[]) as p (connection, vendor)
    ), placed as (
      select c.user_id from places p join credentials c on c.connection_id = p.connection
      union all
      select c.user_id from places p join credentials c on c.connection_id is null and c.provider = p.vendor
    )
    select count(*)::int as total from placed
     where ${userId === undefined}::boolean or user_id is null or user_id = ${userId ?? null}`
  return { rows, total: counted?.total ?? 0 }
}

const VersionRow = z.object({ id: z.string(), version: z.int() })

/** The versions of a connection's own credentials that serve. */
export const listVersions = (sql: OrgSql, connectionId: ConnectionId) => sql(VersionRow)`
  select id, version from credentials where connection_id = ${connectionId} and active and problem is null`

/** As they are held in memory: times in seconds from now by the database's clock, which all gateways share. */
export const HeldRow = z.object({
  id: columns.id,
  connection_id: columns.connection_id,
  user_id: columns.user_id,
  kind: CredentialKind,
  provider: z.string(),
  account: z.string(),
  is_default: z.boolean(),
  provider_username: z.string().nullable(),
  sealed_access_token: z.instanceof(Buffer),
  renewable: z.boolean(),
  scopes: z.array(z.string()),
  server: z.string().nullable(),
  issuer: z.string().nullable(),
  problem: z.string().nullable(),
  version: z.int(),
  /** It is a key that its server has not taken yet, as far as is known. */
  untried: z.boolean(),
  updated_at: z.date(),
  left: z.number().nullable(),
  lifetime: z.number().nullable(),
  age: z.number(),
  pause: z.number().nullable(),
})
export type HeldRow = z.output<typeof HeldRow>

/** One owner's that may serve a connection; without a user the organization's. The default comes first. */
export const listHeld = (sql: OrgSql, { connectionId, provider }: OfConnection, userId: UserId | undefined) =>
  sql(HeldRow)`
  select id, connection_id, user_id, kind, provider, account, is_default, provider_username, sealed_access_token,
         sealed_refresh_token is not null as renewable, scopes, server, issuer, problem, version, updated_at,
         (kind = 'key' and used_at is null) as untried,
         extract(epoch from expires_at - now())::float8 as left,
         extract(epoch from expires_at - renewed_at)::float8 as lifetime,
         extract(epoch from now() - renewed_at)::float8 as age,
         extract(epoch from retry_at - now())::float8 as pause
    from credentials
   where (connection_id = ${connectionId} or (connection_id is null and provider = ${provider}))
     and user_id is not distinct from ${userId ?? null} and active
   order by is_default desc, account, connection_id nulls last`

const Owner = z.object({ user_id: columns.user_id })

/**
 * Returns the owner of the most recently renewed valid credential of a connection: the gateway's own requests use it where none
 * is shared.
 */
export async function findNewestOwner(
  sql: OrgSql,
  { connectionId, provider }: OfConnection,
): Promise<UserId | undefined> {
  const [newest] = await sql(Owner)`
    select user_id from credentials
     where (connection_id = ${connectionId} or (connection_id is null and provider = ${provider}))
       and user_id is not null and active and problem is null
     order by renewed_at desc limit 1`
  return newest?.user_id ?? undefined
}

/** The binding of a credential. */
export interface Binding {
  readonly server?: string | undefined
  readonly authority?: Authority | undefined
  readonly clientId?: string | undefined
  /** The OAuth app whose secret authenticates the client. */
  readonly appId?: OAuthAppId | undefined
}

export interface CredentialWords extends Binding {
  readonly organizationId: OrganizationId
  readonly provider: string
  readonly kind?: CredentialKind | undefined
  readonly connectionId?: ConnectionId | undefined
  /** Absent: the organization's own. */
  readonly userId?: UserId | undefined
  /** Its name among those of its owner; absent: as it was called, else a free one. */
  readonly account?: string | undefined
  /** Its owner has one account there. */
  readonly only?: boolean
  /** The only authorization server whose accounts serve at the connection; absent: any. */
  readonly onlyIssuer?: string | undefined
  /** The account that its owner lets it replace, whoever it is of. */
  readonly replaces?: string | undefined
  /** Its server has taken it already. */
  readonly tried?: boolean
  readonly providerUserId?: string | undefined
  readonly providerUsername?: string | undefined
  readonly tokenType?: string | undefined
  /** Seconds that the access token is good for; absent: for good. */
  readonly left?: number | undefined
  readonly scopes?: readonly string[] | undefined
  readonly providerData?: Readonly<Record<string, unknown>>
  /** Seal the tokens for the id that the row has. */
  seal(id: CredentialId): { readonly access: Buffer; readonly refresh: Buffer | undefined }
}

const Id = z.object({ id: columns.id })
const Held = Id.extend({
  account: z.string(),
  provider_user_id: z.string().nullable(),
  problem: z.string().nullable(),
  kind: z.string(),
  server: z.string().nullable(),
  issuer: z.string().nullable(),
})
type Held = z.output<typeof Held>
const FIRST = 'default'
/** Accounts of one owner at one server: enough for anybody, and memory stays bounded. */
export const MOST_ACCOUNTS = 50

/** What an account that comes is known by, and where one serves. */
export interface Arriving extends Pick<
  CredentialWords,
  'account' | 'only' | 'replaces' | 'providerUserId' | 'server' | 'kind'
> {
  /** Of the authorization server that it comes from, where that is known. */
  readonly issuer?: string | undefined
  /** The only one whose accounts serve there; absent: any. */
  readonly onlyIssuer?: string | undefined
}

/** Whether an account is good for calls now: an address or an authorization server that was changed makes it one that is not. */
const serves = ({ problem, kind, server, issuer }: Held, arriving: Arriving): boolean =>
  problem === null &&
  kind === (arriving.kind ?? 'oauth') &&
  (arriving.server === undefined || server === arriving.server) &&
  (arriving.onlyIssuer === undefined || issuer === null || issuer === arriving.onlyIssuer)

/**
 * Returns the account whose place an account takes, and whether it may: the one that its owner let it replace, one that is known to be of the
 * same person, or, where there is one place only or the name is taken, one that serves nobody any more. Where nobody knows who somebody
 * is, two accounts are two. Undefined: it has a place of its own.
 */
export function replacedBy<Row extends Held>(
  rows: readonly Row[],
  arriving: Arriving,
): { row: Row; may: boolean } | undefined {
  const { account, only = false, replaces, providerUserId, issuer = null } = arriving
  const allowed = rows.find(({ id }) => id === replaces)
  if (allowed !== undefined) return { row: allowed, may: true }
  // The IDs of two authorization servers say nothing of one another (OpenID Connect Core 1.0, section 5.7).
  const isSame = (row: Row) =>
    providerUserId !== undefined && row.provider_user_id === providerUserId && row.issuer === issuer
  const inPlace = only ? (rows.find(isSame) ?? rows[0]) : rows.find((row) => row.account === account)
  const row = inPlace ?? (account === undefined ? rows.find(isSame) : undefined)
  return row === undefined ? undefined : { row, may: isSame(row) || !serves(row, arriving) }
}

/** The row that is written, and the name that it goes by; or the account that works and would be replaced by what may be another person's. */
function placeOf(stored: readonly Held[], words: CredentialWords) {
  const replaced = replacedBy(stored, { ...words, issuer: words.authority?.issuer })
  if (replaced?.may === false) return replaced.row
  if (replaced !== undefined) {
    const { id, account } = replaced.row
    return { id, account, first: false, was: replaced.row }
  }
  const taken = new Set(stored.map(({ account }) => account))
  let free = words.account ?? FIRST
  for (let at = 2; taken.has(free); at++) free = `account-${at}`
  return { id: newId('crd'), account: free, first: stored.length === 0, was: undefined }
}

export interface Put {
  readonly id: CredentialId
  readonly account: string
  /** Why the one that it replaces did not serve any more. */
  readonly mended: string | undefined
  readonly replaced: boolean
}

/** Why nothing was kept: its owner has as many as one may have, or the place is that of an account that works. */
export type NotPut = { readonly refused: 'many' } | { readonly refused: 'connected'; readonly account: string }

/**
 * One of each account at a provider, for each owner and connection: what comes again replaces what was there, whole, where it is known
 * to be the same or its owner lets it (`replacedBy`). The accounts of an owner are put one after the other.
 */
export async function putCredential(sql: OrgSql, words: CredentialWords): Promise<Put | NotPut> {
  const { organizationId, provider, connectionId, userId, authority, seal } = words
  // The first accounts of two sign-ins at once have no row yet that could be locked.
  const owner = [organizationId, provider, connectionId, userId].join(' ')
  await sql(z.object({}))`select from pg_advisory_xact_lock(hashtextextended(${`credentials of ${owner}`}, 0))`
  const stored = await sql(Held)`
    select id, account, provider_user_id, problem, kind, server, issuer from credentials
     where provider = ${provider} and connection_id is not distinct from ${connectionId ?? null}
       and user_id is not distinct from ${userId ?? null}
       order by is_default desc, account
       for update`
  const slot = placeOf(stored, words)
  if (!('first' in slot)) return { refused: 'connected', account: slot.account }
  const { id, account, first, was } = slot
  if (was === undefined && stored.length >= MOST_ACCOUNTS) return { refused: 'many' }
  const { access, refresh } = seal(id)
  const [row] = await sql(Id)`
    insert into credentials (id, organization_id, provider, connection_id, user_id, provider_user_id, provider_username,
                             sealed_access_token, sealed_refresh_token, token_type, expires_at, scopes, provider_data,
                             account, is_default, kind, server, issuer, resource, authority, client_id, app_id, used_at)
    values (${id}, ${organizationId}, ${provider}, ${connectionId ?? null}, ${userId ?? null},
            ${words.providerUserId ?? null}, ${words.providerUsername ?? null}, ${access}, ${refresh ?? null},
            ${words.tokenType ?? 'Bearer'},
            now() + make_interval(secs => ${words.left ?? null}::float8), ${words.scopes ?? []},
            ${JSON.stringify(words.providerData ?? {})}, ${account}, ${first}, ${words.kind ?? 'oauth'},
            ${words.server ?? null}, ${authority?.issuer ?? null}, ${authority?.resource ?? null},
            ${authority === undefined ? null : JSON.stringify(authority)}, ${words.clientId ?? null},
            ${words.appId ?? null}, case when ${words.tried === true}::boolean then now() end)
    on conflict (id)
      do update set provider_user_id = excluded.provider_user_id, provider_username = excluded.provider_username,
                    sealed_access_token = excluded.sealed_access_token,
                    sealed_refresh_token = excluded.sealed_refresh_token, token_type = excluded.token_type,
                    expires_at = excluded.expires_at, scopes = excluded.scopes, provider_data = excluded.provider_data,
                    kind = excluded.kind, server = excluded.server, issuer = excluded.issuer,
                    resource = excluded.resource, authority = excluded.authority, client_id = excluded.client_id,
                    app_id = excluded.app_id, used_at = excluded.used_at, active = true, problem = null, problem_at = null,
                    version = credentials.version + 1, renewed_at = now(), warned_at = null, lease = null,
                    leased_until = null, failures = 0, retry_at = null, updated_at = now()
    returning id`
  if (row === undefined) throw new Error('a credential was not written')
  return { id, account, mended: was?.problem ?? undefined, replaced: was !== undefined }
}

/** Name it anew; undefined when there is none, false when its owner has another of that name. */
export async function renameAccount(sql: OrgSql, id: string, account: string): Promise<boolean | undefined> {
  const [own] = await sql(z.object({ taken: z.boolean() }))`
    select exists (select 1 from credentials other
                    where other.provider = own.provider and other.id <> own.id and other.account = ${account}
                      and other.connection_id is not distinct from own.connection_id
                      and other.user_id is not distinct from own.user_id) as taken
      from credentials own where own.id = ${id} for update`
  if (own === undefined) return undefined
  if (own.taken) return false
  await sql(Id)`update credentials set account = ${account} where id = ${id} returning id`
  return true
}

/** Take this one where no account is named, and none of its owner's others. */
export const chooseDefault = (sql: OrgSql, id: string) => sql(Id)`
  update credentials as own
     set is_default = (own.id = chosen.id)
    from credentials as chosen
   where chosen.id = ${id} and own.provider = chosen.provider
     and own.connection_id is not distinct from chosen.connection_id
     and own.user_id is not distinct from chosen.user_id
     and own.is_default is distinct from (own.id = chosen.id)
  returning own.id`

/** To within an hour: who looks wants to know whether it is used, and each write makes all gateways look again. */
export const noteUses = (sql: SystemSql, ids: readonly CredentialId[]) => sql(Id)`
  update credentials set used_at = now()
   where id = any(${ids}) and (used_at is null or used_at < now() - interval '1 hour')
  returning id`
