/** The operations on OAuth apps and credentials. Secrets go in and never come out. */
import { authorityAt, Fault, isAtVendor, permits, PlaceProblem, type Role, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { listCredentials, type CredentialRow } from '../../credentials/credentials.ts'
import { listOAuthAppPage, putOAuthApp, removeOAuthApp, type OAuthAppRow } from '../../credentials/oauth-apps.ts'
import { idsOf, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { oauthAppSealContext } from '../../vault/sealed-columns.ts'
import { serveOrganization, type Served } from './serve.operations.ts'
import { pageOfRows, refuseTime, startOf } from '../../lib/page.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

const toApp = (row: OAuthAppRow): shapes.OAuthApp => ({
  id: row.id,
  provider: row.provider,
  issuer: row.issuer,
  client_id: row.client_id,
  client_secret_hint: row.hint,
  is_active: row.active,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const toCredential = (row: CredentialRow): shapes.Credential => ({
  id: row.id,
  provider: row.provider,
  connection_id: row.connection_id,
  user_id: row.user_id,
  provider_user_id: row.provider_user_id,
  provider_username: row.provider_username,
  token_type: row.token_type,
  scopes: row.scopes,
  expires_at: row.expires_at?.toISOString() ?? null,
  renewable: row.sealed_refresh_token !== null,
  is_active: row.active,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export const oauthOperations: readonly Served[] = [
  serveOrganization(shapes.listCredentials, async ({ read, query, role, principal }) => {
    const all = permits(role, 'connector_update')
    const from = startOf(query, 'credentials', 3)
    if (from.after?.[1] !== undefined) refuseTime(from.after[1])
    const { rows, total } = await read((sql) =>
      listCredentials(sql, all ? undefined : (principal.userId ?? null), from),
    )
    const keyOf = ({ provider, key, id }: (typeof rows)[number]) => [provider, key, id]
    return pageOfRows(rows, { query, order: 'credentials', total, keyOf }, toCredential)
  }),

  serveOrganization(
    shapes.removeCredentials,
    async ({ parts, organization, role, principal, change, params, query }) => {
      const { provider = '' } = params
      const { user } = query
      if (!permits(role, 'connector_update')) refuseForeign(role, user, principal.userId)
      const ended = await change(
        (all: Ended[]) => ({
          action: 'credential.remove',
          resource: 'credential',
          id: provider,
          detail: { provider, user: user ?? null, credentials: idsOf(all) },
        }),
        async (sql) => {
          const userId = (user ?? null) as UserId | null
          const all = await parts.credentials.endIn(sql, { provider, userId })
          if (all.length === 0) throw new Fault('thing.unknown', { thing: 'credential' })
          return all
        },
      )
      await parts.credentials.ended(organization.id, ended)
      return undefined
    },
  ),

  serveOrganization(shapes.listOAuthApps, async ({ read, query }) => {
    const start = startOf(query, 'provider', 2)
    const { rows, total } = await read((sql) => listOAuthAppPage(sql, start))
    const keyOf = ({ provider, issuer }: OAuthAppRow) => [provider, issuer ?? '']
    return pageOfRows(rows, { query, order: 'provider', total, keyOf }, toApp)
  }),

  serveOrganization(shapes.putOAuthApp, async ({ change, organization, parts, body }) => {
    const { provider, server, client_id: clientId, client_secret: secret, is_active: active } = body
    const issuer = issuerAt(provider, server)
    const row = await change<OAuthAppRow>(
      ({ id }) => ({
        action: 'oauth_app.put',
        resource: 'oauth_app',
        id,
        detail: {
          provider,
          ...(issuer === null ? {} : { issuer }),
          client_id: clientId,
          is_active: active,
          secret: secretWord(secret),
        },
      }),
      (sql) =>
        putOAuthApp(sql, {
          organizationId: organization.id,
          provider,
          issuer,
          clientId,
          secret,
          active,
          seal: (text, id) => parts.vault.seal(text, oauthAppSealContext(id)),
        }),
    )
    return toApp(row)
  }),

  serveOrganization(shapes.removeOAuthApp, async ({ change, params, query }) => {
    const { provider = '' } = params
    const issuer = issuerAt(provider, query.server)
    const detail = { provider, ...(issuer === null ? {} : { issuer }) }
    await change<string>(
      (id) => ({ action: 'oauth_app.remove', resource: 'oauth_app', id, detail }),
      async (sql) => {
        const id = await removeOAuthApp(sql, provider, issuer)
        if (id === undefined) throw new Fault('thing.unknown', { thing: 'OAuth app' })
        return id
      },
    )
    return undefined
  }),
]

/** The authorization server of a product at an address; null for the vendor's own. Throws `body.shape`. */
function issuerAt(provider: string, server: string | undefined): string | null {
  if (server === undefined) return null
  try {
    const authority = authorityAt(provider, server)
    return isAtVendor(authority) ? null : authority.issuer
  } catch (thrown) {
    if (!(thrown instanceof PlaceProblem)) throw thrown
    throw new Fault('body.shape', { place: '/server', problem: thrown.message })
  }
}

/**
 * Throws `role.forbidden` for a shared credential, which every member sees and only administrators may end, and `thing.unknown`
 * for another member's.
 */
function refuseForeign(role: Role, user: string | undefined, own: UserId | undefined): void {
  if (user === undefined) throw roleForbidden(role, 'connector_update')
  if (user !== own) throw new Fault('thing.unknown', { thing: 'credential' })
}

const secretWord = (secret: string | null | undefined): string =>
  secret === undefined ? 'as before' : secret === null ? 'removed' : 'set'
