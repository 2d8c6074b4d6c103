/**
 * Clients that an organization has registered with providers, and the credentials that were had by them, over the admin
 * interface (ledger S3-OAU-03, -08). A secret goes in and never comes out: an answer has its last characters at most.
 */
import { z } from 'zod'
import { ProviderName as Provider } from '../../connection-auth.ts'
import { isPlaceholder } from '../../placeholder.ts'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'

const Server = z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' })

export const OAuthApp = z.strictObject({
  id: z.string(),
  provider: Provider,
  /** The authorization server that it is registered with, where that is not the vendor's own. */
  issuer: z.string().nullable(),
  client_id: z.string(),
  /** `••••` and its last characters; null where there is none. */
  client_secret_hint: z.string().nullable(),
  is_active: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type OAuthApp = z.output<typeof OAuthApp>

/** Absent leaves the secret as it is, and so does a placeholder; null takes it away. */
export const OAuthAppWords = z.strictObject({
  provider: Provider,
  /** The address of a server that somebody runs themselves, such as GitHub Enterprise Server; absent: the vendor's own service. */
  server: Server.optional(),
  client_id: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine((text) => !isPlaceholder(text), 'is a placeholder: replace it with the client ID from the provider'),
  client_secret: z
    .string()
    .trim()
    .max(4096)
    .transform((text) => (isPlaceholder(text) ? undefined : text))
    .nullable()
    .optional(),
  is_active: z.boolean().default(true),
})

export const Credential = z.strictObject({
  id: z.string(),
  provider: Provider,
  connection_id: z.string().nullable(),
  /** Null: the organization's own, which all of its members use. */
  user_id: z.string().nullable(),
  provider_user_id: z.string().nullable(),
  provider_username: z.string().nullable(),
  token_type: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.iso.datetime().nullable(),
  renewable: z.boolean(),
  is_active: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Credential = z.output<typeof Credential>

const OAUTH = '/api/v1/oauth/{organization}'

export const listCredentials = operation({
  id: 'listCredentials',
  at: `GET ${OAUTH}/auth`,
  summary:
    'List the credentials of an organization: all of them if you administer it, otherwise the shared ones and your own.',
  needs: inOrganization('connector_read'),
  query: Paging,
  answer: pageOf(Credential),
})

export const removeCredentials = operation({
  id: 'removeCredentials',
  at: `DELETE ${OAUTH}/auth/{provider}`,
  summary:
    'Revoke credentials both at the provider and in the gateway: the organization’s shared credentials or, with `user`, those of that member. You can always revoke your own.',
  needs: inOrganization('connector_read'),
  query: z.strictObject({ user: z.string().min(1).optional() }),
})

export const listOAuthApps = operation({
  id: 'listOAuthApps',
  at: `GET ${OAUTH}/config`,
  summary: 'List the clients that an organization has registered with providers.',
  needs: inOrganization('connector_update'),
  query: Paging,
  answer: pageOf(OAuthApp),
})

export const putOAuthApp = operation({
  id: 'putOAuthApp',
  at: `POST ${OAUTH}/config`,
  summary: 'Set the client that an organization has registered with a provider. Repeating the request changes nothing.',
  needs: inOrganization('connector_update'),
  lasting: true,
  body: OAuthAppWords,
  answer: OAuthApp,
})

export const removeOAuthApp = operation({
  id: 'removeOAuthApp',
  at: `DELETE ${OAUTH}/config/{provider}`,
  summary:
    'Delete the client that an organization has registered with a provider or, with `server`, with a self-hosted server.',
  needs: inOrganization('connector_update'),
  query: z.strictObject({ server: Server.optional() }),
})
