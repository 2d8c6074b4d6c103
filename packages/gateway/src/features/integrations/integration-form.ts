/** A connection in the words of integrations, and back: pure. The rows and the rules are those of connections. */
import { addressIn } from '../../lib/http-address.ts'
import { DEFAULT_CONNECTOR, CONNECTOR_CATALOG, Fault, type ConnectionAuthChange } from '@toolway/contract'
import type {
  Connection,
  ConnectionChange,
  Integration,
  IntegrationChange,
  NewConnection,
  NewIntegration,
} from '@toolway/contract/admin'
import type { Accounts } from '../connections/index.ts'
import { integrationStatusOf } from './status-words.ts'

type AuthType = Integration['auth_type']

export function integrationOf(connection: Connection, accounts: Accounts): Integration {
  const { url, status, needs, status_reason: reason, stale_reason: stale, enabled } = connection
  return {
    id: connection.id,
    name: connection.title,
    server_type: serverTypeOf(url),
    server_url: url,
    auth_type: connection.auth_type,
    is_enabled: enabled,
    connection_status: integrationStatusOf({ status, enabled, lost: accounts.lost || needs === 'credential' }),
    last_connected_at: connection.fetched_at,
    last_error: status === 'connected' ? stale : (reason ?? stale),
    metadata: {
      alias: connection.alias,
      connector: connection.connector,
      revision: connection.revision,
      timeout: connection.timeout,
      private: connection.private,
    },
    tool_count: connection.tools,
    created_at: connection.created_at,
    updated_at: connection.updated_at,
  }
}

/** As the URL standard writes them. */
const IP_ADDRESS = /^\[|^\d+(?:\.\d+){3}$/

/** The host, without the names that hosts of interfaces have in front (`mcp.linear.app` is `linear.app`). */
export function serverTypeOf(url: string | null): string {
  const host = url === null ? '' : (URL.parse(url)?.hostname ?? '')
  if (host === '' || host === 'localhost' || IP_ADDRESS.test(host)) return 'custom'
  const short = host.replace(/^(?:www|mcp|api)\./, '')
  return short.includes('.') ? short : host
}

interface IntegrationFields {
  readonly name: string | undefined
  readonly url: string | undefined
  readonly enabled: boolean | undefined
  readonly authType: AuthType | undefined
  readonly apiKey: string | undefined
}

/** Returns the members of the body, in either spelling. Throws `body.shape` where the spellings differ. */
export function saidIn(body: NewIntegration | IntegrationChange): IntegrationFields {
  const apiKey = firstOf('api_key', body.api_key, body.apiKey)
  const authType = firstOf('auth_type', body.auth_type, body.authType) ?? (apiKey === undefined ? undefined : 'api_key')
  if (apiKey !== undefined && authType !== 'api_key')
    throw new Fault('body.shape', { place: '/api_key', problem: `is not for an integration of the type ${authType}` })
  return {
    name: body.name,
    url: firstOf('server_url', body.server_url, body.serverUrl, body.url),
    enabled: firstOf('is_enabled', body.is_enabled, body.isEnabled, body.enabled),
    authType,
    apiKey,
  }
}

function firstOf<Value>(name: string, ...values: readonly (Value | undefined)[]): Value | undefined {
  const [first, ...rest] = values.filter((value) => value !== undefined)
  if (rest.some((other) => other !== first))
    throw new Fault('body.shape', { place: `/${name}`, problem: 'is given twice, in two ways' })
  return first
}

const KINDS = { oauth: 'oauth', api_key: 'key', none: 'none' } as const
const authOf = (type: AuthType | undefined): { auth?: ConnectionAuthChange } =>
  type === undefined ? {} : { auth: { kind: KINDS[type] } }

/** Throws `url.malformed` and `body.shape`. */
export function newConnectionOf(body: NewIntegration): {
  words: NewConnection
  apiKey: string | undefined
} {
  const { name, url: input, enabled, authType, apiKey } = saidIn(body)
  const type = firstOf('server_type', body.server_type, body.serverType)
  const known = CONNECTOR_CATALOG.find(({ id, url }) => id === type && url !== null)
  const address = input ?? known?.url ?? undefined
  if (address === undefined) throw new Fault('url.malformed', { problem: 'is missing' })
  const url = addressIn(address)
  const words: NewConnection = {
    connector: DEFAULT_CONNECTOR,
    url,
    title: (name ?? (input === undefined ? known?.title : undefined) ?? new URL(url).host).slice(0, 100),
    ...(enabled === undefined ? {} : { enabled }),
    ...authOf(authType),
  }
  return { words, apiKey }
}

/** `moved`: it leads to another address, so that nothing that was given for the old one may go there. */
export function connectionChangeOf(
  body: IntegrationChange,
  stored: Pick<Connection, 'url' | 'header_names'>,
): { words: ConnectionChange; apiKey: string | undefined; moved: boolean } {
  const { name, url: input, enabled, authType, apiKey } = saidIn(body)
  const url = input === undefined ? undefined : addressIn(input)
  const moved = url !== undefined && url !== stored.url
  const words: ConnectionChange = {
    ...(name === undefined ? {} : { title: name }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(url === undefined ? {} : { url }),
    ...(moved && stored.header_names.length > 0
      ? { headers: Object.fromEntries(stored.header_names.map((header) => [header, null])) }
      : {}),
    ...authOf(authType),
  }
  return { words, apiKey, moved }
}
