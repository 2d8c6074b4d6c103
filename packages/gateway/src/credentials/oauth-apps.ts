/** OAuth apps: the client that an organization has registered with a provider. Its secret is sealed; a hint is for people. */
import { ClientAuthMethod, newId, type OAuthAppId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { PageStart } from '../lib/page.ts'

export const OAuthAppRow = z.object({
  id: z.string().transform((id) => id as OAuthAppId),
  provider: z.string(),
  issuer: z.string().nullable(),
  client_id: z.string(),
  sealed: z.instanceof(Buffer).nullable(),
  hint: z.string().nullable(),
  active: z.boolean(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type OAuthAppRow = z.output<typeof OAuthAppRow>

export interface OAuthAppWords {
  readonly organizationId: OrganizationId
  readonly provider: string
  /** The authorization server; null: the vendor's own. */
  readonly issuer?: string | null
  readonly clientId: string
  /** Undefined leaves the secret as it is; null takes it away. */
  readonly secret: string | null | undefined
  readonly active: boolean
  seal(secret: string, id: OAuthAppId): Buffer
}

const Count = z.object({ count: z.int() })

/** A page in the order of providers and servers; `after`: both of the last row of the page before. */
export async function listOAuthAppPage(sql: OrgSql, { after, rowLimit, offset }: PageStart) {
  const [provider = null, issuer = null] = after ?? []
  const [counted] = await sql(Count)`select count(*)::int as count from oauth_apps`
  const rows = await sql(OAuthAppRow)`
    select id, provider, issuer, client_id, sealed, hint, active, created_at, updated_at from oauth_apps
     where ${provider}::text is null or (provider, coalesce(issuer, '')) > (${provider}::text, ${issuer}::text)
     order by provider, coalesce(issuer, '') limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

/** All of them, for who looks up one for each connection: there is one for each provider or authorization server of a connection. */
export const listOAuthApps = (sql: OrgSql) => sql(OAuthAppRow)`
  select id, provider, issuer, client_id, sealed, hint, active, created_at, updated_at from oauth_apps
   order by provider, issuer nulls first`

export async function putOAuthApp(sql: OrgSql, words: OAuthAppWords): Promise<OAuthAppRow> {
  const { organizationId, provider, issuer = null, clientId, secret, active, seal } = words
  const [stored] = await sql(OAuthAppRow)`
    insert into oauth_apps (id, organization_id, provider, issuer, client_id, active)
    values (${newId('app')}, ${organizationId}, ${provider}, ${issuer}, ${clientId}, ${active})
    on conflict (organization_id, provider, issuer)
      do update set client_id = excluded.client_id, active = excluded.active, updated_at = now()
    returning id, provider, issuer, client_id, sealed, hint, active, created_at, updated_at`
  if (stored === undefined) throw new Error('an OAuth app was not written')
  if (secret === undefined) return stored
  // Only now its id is known, which the secret is sealed for.
  const sealed = secret === null ? null : seal(secret, stored.id)
  const hint = secret === null ? null : hintOfSecret(secret)
  await sql(z.object({ id: z.string() }))`
    update oauth_apps set sealed = ${sealed}, hint = ${hint} where id = ${stored.id} returning id`
  return { ...stored, sealed, hint }
}

/** Of `mcp`, those of all authorization servers. */
export const removeOAuthApp = async (
  sql: OrgSql,
  provider: string,
  issuer: string | null = null,
): Promise<OAuthAppId | undefined> => {
  const rows = await sql(z.object({ id: z.string().transform((id) => id as OAuthAppId) }))`
    delete from oauth_apps
     where provider = ${provider} and (provider = 'mcp' or issuer is not distinct from ${issuer})
     returning id`
  return rows[0]?.id
}

export const ClientRow = z.object({
  id: z.string().transform((id) => id as OAuthAppId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  client_id: z.string(),
  sealed: z.instanceof(Buffer).nullable(),
  auth_method: ClientAuthMethod.nullable(),
})
export type ClientRow = z.output<typeof ClientRow>

/** Returns the client that a credential was obtained with. */
export const findClient = async (sql: OrgSql | SystemSql, id: OAuthAppId): Promise<ClientRow | undefined> =>
  (await sql(ClientRow)`select id, organization_id, client_id, sealed, auth_method from oauth_apps where id = ${id}`)[0]

const MASK = '••••'
const SHOWN = 4
/** Of a short one even four characters tell too much. */
const LONG = 16
export const hintOfSecret = (secret: string): string => (secret.length < LONG ? MASK : `${MASK}${secret.slice(-SHOWN)}`)
