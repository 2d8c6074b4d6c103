/**
 * The client that an organization is at one authorization server: that of an administrator, or one that registered itself there.
 *
 * It is found by the authorization server's issuer, so that it is never used at another one. Secrets are sealed.
 */
import { ClientAuthMethod, newId, type OAuthAppId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'
import { hintOfSecret } from './oauth-apps.ts'

export const AuthorityClientRow = z.object({
  id: z.string().transform((id) => id as OAuthAppId),
  client_id: z.string(),
  sealed: z.instanceof(Buffer).nullable(),
  registered: z.boolean(),
  auth_method: ClientAuthMethod.nullable(),
  redirect_uris: z.array(z.string()),
  secret_expires_at: z.date().nullable(),
})
export type AuthorityClientRow = z.output<typeof AuthorityClientRow>

export interface WhichClient {
  readonly provider: string
  /** Null: a vendor's, of which there is one authorization server. */
  readonly issuer: string | null
}

export async function findAuthorityClient(sql: OrgSql, { provider, issuer }: WhichClient) {
  const [row] = await sql(AuthorityClientRow)`
    select id, client_id, sealed, registered, auth_method, redirect_uris, secret_expires_at
      from oauth_apps where provider = ${provider} and issuer is not distinct from ${issuer} and active`
  return row
}

export interface AuthorityClientWords extends WhichClient {
  readonly organizationId: OrganizationId
  readonly clientId: string
  readonly secret: string | undefined
  readonly registered: boolean
  readonly method: ClientAuthMethod | null
  readonly redirectUris: readonly string[]
  readonly secretExpiresAt: Date | undefined
  seal(secret: string, id: OAuthAppId): Buffer
}

/** It takes the place of the one that was there; one that registered itself never takes an administrator's. */
export async function putAuthorityClient(sql: OrgSql, words: AuthorityClientWords): Promise<OAuthAppId | undefined> {
  const { organizationId, provider, issuer, clientId, secret, registered, method, redirectUris } = words
  const Held = z.object({ id: z.string().transform((id) => id as OAuthAppId) })
  const [stored] = await sql(Held)`
    select id from oauth_apps where provider = ${provider} and issuer is not distinct from ${issuer} for update`
  const id = stored?.id ?? newId('app')
  const sealed = secret === undefined ? null : words.seal(secret, id)
  const hint = secret === undefined ? null : hintOfSecret(secret)
  const [row] = await sql(Held)`
    insert into oauth_apps (id, organization_id, provider, issuer, client_id, sealed, hint, active, registered, auth_method,
                            redirect_uris, secret_expires_at)
    values (${id}, ${organizationId}, ${provider}, ${issuer}, ${clientId}, ${sealed}, ${hint}, true, ${registered},
            ${method}, ${redirectUris}, ${words.secretExpiresAt ?? null})
    on conflict (organization_id, provider, issuer)
      do update set client_id = excluded.client_id, sealed = excluded.sealed, hint = excluded.hint, active = true,
                    registered = excluded.registered, auth_method = excluded.auth_method,
                    redirect_uris = excluded.redirect_uris, secret_expires_at = excluded.secret_expires_at, updated_at = now()
              where oauth_apps.id = excluded.id and (oauth_apps.registered or not excluded.registered)
    returning id`
  return row?.id
}
