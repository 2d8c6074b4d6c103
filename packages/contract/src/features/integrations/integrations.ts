/**
 * Integrations, as a source system calls connections (ledger S2-API, S2-DB-01): the same rows in its words.
 *
 * Its paths name no organization: it is the caller's. A key goes in and never comes out. Requests take the names of the answers, and
 * the ones that its own client wrote (`serverUrl`, `apiKey`).
 */
import { z } from 'zod'
import { Replaces } from '../../connection-auth.ts'
import { CATALOG_ENTRY, NativeConnector } from './catalog.ts'
import { AUTH_TYPES, CONNECTION } from '../connections/connections.ts'
import { anyone, inOrganization, inOwnOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'

export const INTEGRATION_STATUSES = ['connected', 'disconnected', 'error'] as const

export const Integration = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** The host of its address, or `custom`. */
  server_type: z.string(),
  /** Null for a program that is started here. */
  server_url: z.string().nullable(),
  auth_type: z.enum(AUTH_TYPES),
  is_enabled: z.boolean(),
  connection_status: z.enum(INTEGRATION_STATUSES),
  /** When it last told what it offers. */
  last_connected_at: z.iso.datetime().nullable(),
  last_error: z.string().nullable(),
  /** Further settings: alias, connector, revision, timeout, private. */
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  tool_count: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Integration = z.output<typeof Integration>

const Name = z.string().trim().min(1).max(100)
/** Judged as an address where it is used, so that a wrong one is answered with 400. */
const Address = z.string().max(8_192)
/** As a header can hold it (RFC 9110, section 5.5). */
const ApiKey = z
  .string()
  .trim()
  .max(8_192)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be one line of letters, digits and symbols')

const words = {
  name: Name.optional(),
  server_url: Address.optional(),
  serverUrl: Address.optional(),
  url: Address.optional(),
  auth_type: z.enum(AUTH_TYPES).optional(),
  authType: z.enum(AUTH_TYPES).optional(),
  is_enabled: z.boolean().optional(),
  isEnabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
  api_key: ApiKey.optional(),
  apiKey: ApiKey.optional(),
}

export const NewIntegration = z.strictObject({
  ...words,
  /** Of the catalog: stands for its address where none is said. */
  server_type: z.string().max(300).optional(),
  serverType: z.string().max(300).optional(),
})
export type NewIntegration = z.output<typeof NewIntegration>

export const IntegrationChange = z.strictObject(words)
export type IntegrationChange = z.output<typeof IntegrationChange>

const INTEGRATIONS = '/api/v1/integrations'
const INTEGRATION = `${INTEGRATIONS}/{connection}`

export const listIntegrations = operation({
  id: 'listIntegrations',
  at: `GET ${INTEGRATIONS}`,
  summary: 'List the integrations of your organization: its connections, in Uru’s format.',
  needs: inOwnOrganization('connector_read'),
  query: Paging,
  answer: pageOf(Integration),
})
export const addIntegration = operation({
  id: 'addIntegration',
  at: `POST ${INTEGRATIONS}`,
  summary: 'Connect an MCP server by its address.',
  needs: inOwnOrganization('connector_create'),
  body: NewIntegration,
  answer: Integration,
  status: 201,
})

export const RegistryEntry = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  icon: z.string(),
  server_url: z.string().nullable(),
  auth_type: z.enum(AUTH_TYPES),
  api_key_url: z.string().nullable(),
  api_key_placeholder: z.string().nullable(),
  oauth_scopes: z.array(z.string()),
  display_order: z.int(),
})
export const listIntegrationRegistry = operation({
  id: 'listIntegrationRegistry',
  at: `GET ${INTEGRATIONS}/registry`,
  summary: 'List the servers in Uru’s registry that can be connected.',
  needs: inOwnOrganization('connector_read'),
  answer: z.strictObject({ items: z.array(RegistryEntry) }),
})

export const IntegrationTools = z.strictObject({
  integration_id: z.string(),
  name: z.string(),
  server_type: z.string(),
  auth_type: z.enum(AUTH_TYPES),
  connection_status: z.enum(INTEGRATION_STATUSES),
  /** Why its tools may be none, or older ones. */
  error: z.string().nullable(),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      /** The name at every endpoint that has several connections. */
      joined_name: z.string(),
      title: z.string().nullable(),
      description: z.string().nullable(),
      input_schema: z.record(z.string(), z.unknown()),
    }),
  ),
})
export const listIntegrationTools = operation({
  id: 'listIntegrationTools',
  at: `GET ${INTEGRATIONS}/tools`,
  summary:
    'List the tools of every enabled integration that you may use, and the reason for each integration that failed. `version` is the same number as in the event `integrations_changed`. With the `ETag` of a response as `If-None-Match`, the response is 304 while nothing has changed.',
  needs: inOwnOrganization('connector_read'),
  answer: z.strictObject({ items: z.array(IntegrationTools), version: z.number().int() }),
})
export const finishOAuth = operation({
  id: 'finishOAuth',
  at: `GET ${INTEGRATIONS}/oauth/callback`,
  summary:
    'The redirect URL for authorization servers. The flow is identified by the state and by the browser that started it. Redirects with `connected` or `error` in the query.',
  needs: anyone,
  query: z.looseObject({}),
  answer: z.string(),
  media: 'text/html',
})
export const getIntegration = operation({
  id: 'getIntegration',
  at: `GET ${INTEGRATION}`,
  summary: 'Get one integration, by ID or alias.',
  needs: inOwnOrganization('connector_read'),
  answer: Integration,
})
export const changeIntegration = operation({
  id: 'changeIntegration',
  at: `PUT ${INTEGRATION}`,
  summary:
    'Update an integration: its name, address, key, or whether it is enabled. A new address revokes the credentials of the old one.',
  needs: inOwnOrganization('connector_update'),
  body: IntegrationChange,
  answer: Integration,
})
export const removeIntegration = operation({
  id: 'removeIntegration',
  at: `DELETE ${INTEGRATION}`,
  summary: 'Revoke the credentials of an integration and delete it.',
  needs: inOwnOrganization('connector_delete'),
})
export const testIntegration = operation({
  id: 'testIntegration',
  at: `POST ${INTEGRATION}/test`,
  summary: 'Connect to the server of an integration now, and store its tools or the reason for the failure.',
  needs: inOwnOrganization('connector_update'),
  answer: z.strictObject({
    success: z.boolean(),
    message: z.string(),
    /** Null where it went well. */
    failure: z.strictObject({ phase: z.string(), code: z.string(), problem: z.string(), mend: z.string() }).nullable(),
    tool_count: z.int(),
    integration: Integration,
  }),
})

/** The owner of the account: the organization for its administrators, else the caller. */
export const ConnectWish = z.strictObject({
  owner: z.enum(['member', 'organization']).optional(),
  /** Name of the account among the owner's. */
  account: z.string().max(31).optional(),
  replaces: Replaces.optional(),
})
export const OAuthRedirect = z.strictObject({
  /** Where the browser goes now. */
  url: z.string(),
  /** Until when. */
  expires_in: z.int(),
})
export const getOAuthUrl = operation({
  id: 'getOAuthUrl',
  at: `GET ${INTEGRATION}/oauth-url`,
  summary: 'Get the address where a person authorizes the gateway at the server.',
  needs: inOwnOrganization('tool_call'),
  query: ConnectWish,
  answer: OAuthRedirect,
})
export const connectIntegration = operation({
  id: 'connectIntegration',
  at: `POST ${INTEGRATION}/connect`,
  summary: 'Start connecting an account with OAuth: returns the address for the browser.',
  needs: inOwnOrganization('tool_call'),
  query: ConnectWish,
  answer: OAuthRedirect,
})
export const departForAccount = operation({
  id: 'departForAccount',
  at: `POST ${CONNECTION}/accounts/depart`,
  summary:
    'Start connecting an account with OAuth for a connection of the specified organization: returns the address for the browser.',
  needs: inOrganization('tool_call'),
  query: ConnectWish,
  answer: OAuthRedirect,
})
export const disconnectIntegration = operation({
  id: 'disconnectIntegration',
  at: `POST ${INTEGRATION}/disconnect`,
  summary: 'Revoke and delete credentials: all of them if you administer the organization, otherwise your own.',
  needs: inOwnOrganization('tool_call'),
  answer: z.strictObject({
    ended: z.int(),
    /** Failures reported by the authorization server; the accounts are forgotten here all the same. */
    problems: z.array(z.string()),
    integration: Integration,
  }),
})

export const listConnectorCatalog = operation({
  id: 'listConnectorCatalog',
  at: 'GET /api/v1/registry/connectors',
  summary: 'List what can be connected: the address or command of each server, and the values that it needs.',
  needs: inOwnOrganization('connector_read'),
  answer: z.strictObject({ items: z.array(CATALOG_ENTRY) }),
})

export const getNativeConnector = operation({
  id: 'getNativeConnector',
  at: 'GET /api/v1/registry/connectors/{vendor}',
  summary: 'Get one native connector: its tools with their effects, and the scopes that it requests.',
  needs: inOwnOrganization('connector_read'),
  answer: NativeConnector,
})
