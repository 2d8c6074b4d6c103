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

const BY_NAME: ReadonlyMap<string, ConnectionKind> = new Map(KINDS.map((kind) => [kind.connector, kind]))

/** Undefined for a name that is no kind's; a kind of settings is always known. */
export function kindOf(connector: Connector): ConnectionKind
export function kindOf(connector: string | undefined): ConnectionKind | undefined
export function kindOf(connector: string | undefined): ConnectionKind | undefined {
  return connector === undefined ? undefined : BY_NAME.get(connector)
}

/** The tool lock of a new connection of that kind (ADR 0127). */
export const firstLockOf = (connector: string): LockMode =>
  kindOf(connector)?.describedByOthers === true ? 'descriptions' : 'off'

/** Seconds that a request to an MCP server may take where nothing else is given. */
export const TIMEOUTS = { http: http.timeout, process: stdio.timeout } as const

type KindWith<Fact> = Extract<(typeof KINDS)[number], Fact>
type BackendKind = KindWith<{ readonly isBackend: true }>
type ServiceKind = KindWith<{ readonly isService: true }>
const isBackend = (kind: (typeof KINDS)[number]): kind is BackendKind => 'isBackend' in kind
const isService = (kind: (typeof KINDS)[number]): kind is ServiceKind => 'isService' in kind

/** The kinds of backends: reached at an address, with settings of their own. */
export const BACKENDS: readonly BackendKind[] = KINDS.filter(isBackend)
export type Backend = BackendKind['connector']
/** The settings of a backend that only its kind has. */
export type BackendWords<Name extends Backend = Backend> = z.output<
  Extract<BackendKind, { readonly connector: Name }>['own']['given']
>

/** Returns the settings that only that kind has, among others. Throws a ZodError where one of them is not valid. */
export function backendWordsOf<Name extends Backend>(connector: Name, settings: object): BackendWords<Name> {
  const kind = BACKENDS.find((backend) => backend.connector === connector)
  if (kind === undefined) throw new TypeError(`${connector} is not a kind of backends`)
  return kind.own.given.strip().parse(settings) as BackendWords<Name>
}

/** The kinds that are one service each, in the order in which they are listed. */
export const SERVICES: readonly ServiceKind[] = KINDS.filter(isService)
export type ServiceConnector = ServiceKind['connector']
export const SERVICE_CONNECTORS: readonly ServiceConnector[] = SERVICES.map(({ connector }) => connector)

/** Whether a connection of that kind is reached at an address. */
export const hasAddress = (connector: Connector): boolean => 'url' in kindOf(connector).addresses

/** The address of a connection where none is given; undefined where it has none, or must be given. */
export const usualAddressOf = (connector: Connector): string | undefined => kindOf(connector).ownAddress

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
