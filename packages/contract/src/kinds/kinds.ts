/** The kinds of connections, in the order in which they are listed. A new kind is a file beside this one and a line here. */
import { z } from 'zod'
import type { ConnectionAuth } from '../connection-auth.ts'
import type { LockMode } from '../tool-lock.ts'
import { composio } from './composio.ts'
import { contract } from './contract.ts'
import { http } from './http.ts'
import type { ConnectionKind } from './kind.ts'
import { n8n } from './n8n.ts'
import { native } from './native.ts'
import { openapi } from './openapi.ts'
import { platform } from './platform.ts'
import { stdio } from './stdio.ts'

export const KINDS = [
  http,
  stdio,
  contract,
  openapi,
  native,
  n8n,
  composio,
  platform,
] as const satisfies readonly ConnectionKind[]

export type Connector = (typeof KINDS)[number]['connector']

export const CONNECTORS: readonly Connector[] = KINDS.map(({ connector }) => connector)

export const ConnectionSettings = z.discriminatedUnion('connector', [
  http.settings,
  stdio.settings,
  contract.settings,
  openapi.settings,
  native.settings,
  n8n.settings,
  composio.settings,
  platform.settings,
])
export type ConnectionSettings = z.output<typeof ConnectionSettings>

/** The kind that is meant where nothing names another. */
export const DEFAULT_CONNECTOR = http.connector

const BY_NAME: ReadonlyMap<string, ConnectionKind> = new Map(KINDS.map((one) => [one.connector, one]))

/** Undefined for a name that is no kind's; a kind of settings is always known. */
export function kindOf(connector: Connector): ConnectionKind
export function kindOf(connector: string | undefined): ConnectionKind | undefined
export function kindOf(connector: string | undefined): ConnectionKind | undefined {
  return connector === undefined ? undefined : BY_NAME.get(connector)
}

/** The tool lock of a new connection of that kind (ADR 0127). */
export const firstLockOf = (connector: string): LockMode =>
  kindOf(connector)?.describedByOthers === true ? 'descriptions' : 'off'

/** Seconds that a request may take where nothing else is said, by how a connection is described. */
export const TIMEOUTS = {
  http: http.timeout,
  process: stdio.timeout,
  contract: contract.timeout,
  n8n: n8n.timeout,
  composio: composio.timeout,
  platform: platform.timeout,
} as const

/** How its server is told for whom a call is made; undefined where people can connect no accounts for it. */
export const authOf = (settings: ConnectionSettings): ConnectionAuth | undefined =>
  'auth' in settings ? settings.auth : undefined

type WithAuth = Extract<ConnectionSettings, { readonly auth: unknown }>
/** Whether people can connect accounts for a server at an address. */
export const mayHaveAccounts = (settings: ConnectionSettings): settings is WithAuth =>
  'auth' in settings && 'url' in settings

type RunsHere = Extract<ConnectionSettings, { readonly command: string }>
/** Whether its server is a program that the gateway starts. */
export const runsHere = (settings: ConnectionSettings): settings is RunsHere => 'command' in settings
