/** OAuth clients over the admin interface: those that registered themselves, and those that an administrator adds. */
import { z } from 'zod'
import { operation, pageOf, Paging, platform } from '../../admin/operation.ts'

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

export const OAuthClient = z.strictObject({
  client_id: z.string(),
  /** How it came here. */
  kind: z.enum(['dynamic', 'added']),
  name: z.string(),
  redirect_uris: z.array(z.string()),
  token_endpoint_auth_method: z.enum(METHODS),
  created_at: z.iso.datetime(),
  used_at: z.iso.datetime().nullable(),
  /** Null: never. */
  expires_at: z.iso.datetime().nullable(),
})
export type OAuthClient = z.output<typeof OAuthClient>

/** The secret is answered this once. */
export const AddedOAuthClient = OAuthClient.extend({ client_secret: z.string().optional() })

export const NewOAuthClient = z.strictObject({
  name: z.string().min(1).max(80),
  redirect_uris: z.array(z.string().max(2_000)).min(1).max(20),
  /** Whether it can keep a secret; one that runs on persons' machines cannot. */
  confidential: z.boolean().default(false),
})
export type NewOAuthClient = z.output<typeof NewOAuthClient>

const CLIENTS = '/api/v1/admin/clients'

export const listOAuthClients = operation({
  id: 'listOAuthClients',
  at: `GET ${CLIENTS}`,
  summary: 'List the OAuth clients that were registered manually.',
  needs: platform('key_manage'),
  query: Paging,
  answer: pageOf(OAuthClient),
})

export const addOAuthClient = operation({
  id: 'addOAuthClient',
  at: `POST ${CLIENTS}`,
  summary: 'Add an OAuth client that cannot register itself. Its secret is shown only once.',
  needs: platform('key_manage'),
  body: NewOAuthClient,
  answer: AddedOAuthClient,
  status: 201,
})

export const removeOAuthClient = operation({
  id: 'removeOAuthClient',
  at: `DELETE ${CLIENTS}/{client}`,
  summary: 'Delete an OAuth client and revoke everything granted to it.',
  needs: platform('key_manage'),
})
