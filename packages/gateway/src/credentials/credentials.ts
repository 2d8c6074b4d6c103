/**
 * Credentials: what lets the gateway act at a provider, for one member or for the whole organization. Both tokens are sealed, each
 * for its own place. It never asks a provider anything.
 */
import { newId, type ConnectionId, type CredentialId, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const CredentialRow = z.object({
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
  sealed_access_token: z.instanceof(Buffer),
  sealed_refresh_token: z.instanceof(Buffer).nullable(),
  token_type: z.string(),
  expires_at: z.date().nullable(),
  scopes: z.array(z.string()),
  provider_data: z.record(z.string(), z.unknown()),
  active: z.boolean(),
  created_at: z.date(),
  updated_at: z.date(),
})
export type CredentialRow = z.output<typeof CredentialRow>

export interface CredentialWords {
  readonly organizationId: OrganizationId
  readonly provider: string
  readonly connectionId?: ConnectionId
  /** Absent: the organization's own. */
  readonly userId?: UserId
  readonly providerUserId?: string
  readonly providerUsername?: string
  readonly tokenType?: string
  readonly expiresAt?: Date
  readonly scopes?: readonly string[]
  readonly providerData?: Readonly<Record<string, unknown>>
  /** Seal the tokens for the id that the row has. */
  seal(id: CredentialId): { readonly access: Buffer; readonly refresh: Buffer | undefined }
}

/** Those of the organization; with a user only its shared ones and that user's. */
export const listCredentials = (sql: OrgSql, userId?: UserId | null) => sql(CredentialRow)`
  select id, provider, connection_id, user_id, provider_user_id, provider_username, sealed_access_token,
         sealed_refresh_token, token_type, expires_at, scopes, provider_data, active, created_at, updated_at
    from credentials
   where ${userId === undefined}::boolean or user_id is null or user_id = ${userId ?? null}
   order by provider, created_at, id`

const Id = z.object({ id: z.string().transform((id) => id as CredentialId) })

/** One of each account at a provider, for each owner and connection: what comes again replaces what was there. */
export async function putCredential(sql: OrgSql, words: CredentialWords): Promise<CredentialId> {
  const { organizationId, provider, connectionId, userId, providerUserId, seal } = words
  const held = await sql(Id)`
    select id from credentials
     where provider = ${provider} and connection_id is not distinct from ${connectionId ?? null}
       and user_id is not distinct from ${userId ?? null}
       and provider_user_id is not distinct from ${providerUserId ?? null}
       for update`
  const id = held[0]?.id ?? newId('crd')
  const { access, refresh } = seal(id)
  const [row] = await sql(Id)`
    insert into credentials (id, organization_id, provider, connection_id, user_id, provider_user_id, provider_username,
                             sealed_access_token, sealed_refresh_token, token_type, expires_at, scopes, provider_data)
    values (${id}, ${organizationId}, ${provider}, ${connectionId ?? null}, ${userId ?? null}, ${providerUserId ?? null},
            ${words.providerUsername ?? null}, ${access}, ${refresh ?? null}, ${words.tokenType ?? 'Bearer'},
            ${words.expiresAt ?? null}, ${words.scopes ?? []}, ${JSON.stringify(words.providerData ?? {})})
    on conflict (id)
      do update set provider_username = excluded.provider_username, sealed_access_token = excluded.sealed_access_token,
                    sealed_refresh_token = excluded.sealed_refresh_token, token_type = excluded.token_type,
                    expires_at = excluded.expires_at, scopes = excluded.scopes, provider_data = excluded.provider_data,
                    active = true, updated_at = now()
    returning id`
  if (row === undefined) throw new Error('a credential was not written')
  return row.id
}

/** Those with a provider that belong to a user, or without one to the organization itself. */
export const removeCredentials = async (
  sql: OrgSql,
  provider: string,
  userId: string | undefined,
): Promise<CredentialId[]> => {
  const rows = await sql(Id)`
    delete from credentials where provider = ${provider} and user_id is not distinct from ${userId ?? null} returning id`
  return rows.map(({ id }) => id)
}
