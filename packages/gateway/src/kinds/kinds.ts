/** The kinds of connections, and the questions that the rest of the gateway asks of them. A new kind is a folder and a line here. */
import {
  Fault,
  NO_OWN,
  ownMemberOf,
  type ConnectionId,
  type ConnectionSecrets,
  type ConnectionSettings,
  type Connector,
} from '@toolway/contract'
import {
  addressesOf,
  bindHeaders,
  sealedAddresses,
  settingsInFull,
  shownSettings,
  withAddresses,
  type Address,
} from './addresses.ts'
import { composio, type ComposioWire } from './composio/composio.ts'
import { contract, type ContractWire } from './contract/contract.ts'
import { http, type HttpWire } from './http/http.ts'
import type {
  CommonWords,
  ConnectionParts,
  Described,
  OpenedConnection,
  Kind,
  KindView,
  ConnectionRequest,
  Shown,
} from './kind.ts'
import { hasMask } from '@toolway/contract/secret-marks'
import { n8n, type N8nWire } from './n8n/n8n.ts'
import { native, type NativeWire } from './native/native.ts'
import { openapi, type OpenApiWire } from './openapi/openapi.ts'
import { MASKED, mismatch } from './settings.ts'
import { refuseMisplaced } from './account-hosts.ts'
import { namesPrivate, refuseUserInfo } from './remote.ts'
import { platform, type PlatformWire } from './platform/platform.ts'
import { stdio, type ProcessWire } from './stdio/stdio.ts'

export type Wire =
  | HttpWire
  | ProcessWire
  | ContractWire
  | OpenApiWire
  | NativeWire
  | N8nWire
  | ComposioWire
  | PlatformWire

export const KINDS: readonly Kind<ConnectionSettings, Wire>[] = [
  http,
  stdio,
  contract,
  openapi,
  native,
  n8n,
  composio,
  platform,
]

/** A connection as an operator describes it. */
export interface ConnectionWords extends CommonWords {
  readonly wire: Wire
  /** How the address or the command line is shown, where it holds a secret. */
  readonly shown?: Shown
  /** Whether its addresses may lie in a private network; absent: those that name one in so many words. */
  readonly private?: boolean | undefined
}

function onlyKind(isMeant: (kind: Kind<ConnectionSettings, Wire>) => boolean): Kind<ConnectionSettings, Wire> {
  const found = KINDS.find(isMeant)
  if (found === undefined) throw new TypeError('no such kind of connection')
  return found
}

/** The kind of a kept connection. */
export const kindFor = (connector: Connector) => onlyKind((kind) => kind.connector === connector)

const kindOfWire = (wire: Wire) => onlyKind((kind) => kind.wire === wire.kind)

/**
 * Settings and secrets apart, as the operator of the installation describes them: the secrets are for all addresses that stand there.
 * Throws `params.shape`.
 */
export function partsOf({ wire, shown, private: allowsPrivate, ...common }: ConnectionWords): ConnectionParts {
  const parts = sealedAddresses(kindOfWire(wire).parts(common, wire, shown))
  for (const { name, url } of addressesOf(parts)) {
    const pointer = placeOf(parts, name)
    refuseUserInfo(pointer, url)
    // It would take the place of the address that it was shown for.
    if (hasMask(url)) throw new Fault('params.shape', { place: `/${pointer}`, problem: MASKED })
  }
  refuseMisplaced(parts)
  const { settings } = parts
  const isPrivateByName = (address: Address) =>
    address.name === 'url' && 'private' in settings ? settings.private : namesPrivate(address.url)
  return bindHeaders(parts, (address) => allowsPrivate ?? isPrivateByName(address))
}

/** The place of an address in a request. */
const placeOf = ({ settings }: Pick<ConnectionParts, 'settings'>, name: string): string =>
  [name === 'url' ? undefined : ownMemberOf(settings.connector), name].filter((item) => item !== undefined).join('/')

/** Addresses and arguments as they may be shown: secrets in them are masked, and sealed. */
export const shownOf = (wire: Wire): Shown => kindOfWire(wire).shown(wire)

/** Members of a request that concern only some kinds. */
const OWN_MEMBERS = new Set(KINDS.flatMap(({ takes }) => takes))

/** Throws `body.shape`, also for a member that is not for this kind: it would have no effect. */
export function describeWire(
  connector: Connector,
  request: ConnectionRequest,
  connection: OpenedConnection | undefined,
): Described<Wire> {
  const kind = kindFor(connector)
  const wrong = [...OWN_MEMBERS].find(
    (name) => !kind.takes.includes(name) && (request as Readonly<Record<string, unknown>>)[name] !== undefined,
  )
  if (wrong !== undefined) throw mismatch(`/${wrong}`, 'is not for a connection of this kind')
  const known = connection && { ...connection, settings: settingsInFull(connection) }
  return kind.describe(withAddresses(connector, request, connection), known)
}

const NOTHING: KindView = {
  url: null,
  private: false,
  command: null,
  args: null,
  programs: null,
  ...{ network: null, allow_hosts: null, allow_paths: null },
  auth: null,
  ...NO_OWN,
}

export const viewOf = (settings: ConnectionSettings, mayChange: boolean): KindView => ({
  ...NOTHING,
  ...kindFor(settings.connector).view(shownSettings(settings), mayChange),
})

/** Seals the secrets for the row that they are kept in; undefined where there are none. */
export const sealerOf =
  (secrets: ConnectionSecrets, seal: (text: string, row: string) => Buffer, rowOf: (id: ConnectionId) => string) =>
  (id: ConnectionId): Buffer | undefined => {
    const { headers, environment, ...others } = secrets
    const empty = Object.keys(headers).length + Object.keys(environment).length === 0
    return empty && Object.values(others).every((value) => value === undefined)
      ? undefined
      : seal(JSON.stringify(secrets), rowOf(id))
  }
