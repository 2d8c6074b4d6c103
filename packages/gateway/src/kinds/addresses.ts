/**
 * The addresses of a connection: which there are, which of them its sealed headers may go to, and which may lie in a private network.
 *
 * A header is bound to the origin (scheme, host, port) of each address that it was given for; another path there is the same server.
 * The origin of `url` follows from the settings. Those of further addresses are sealed with the headers, so that no change of settings
 * alone leads a header elsewhere: what was stored before they were is bound to `url` only.
 *
 * An address may hold a secret itself. The settings then have its masked form, and the address in full is sealed: `url` as the secret
 * of that name, all others in `addresses`. It is read with `addressAt` only.
 */
import { Fault, kindOf, ownMemberOf, type ConnectionSettings, type Connector } from '@toolway/contract'
import { maskUrl, plainMasks } from '@toolway/contract/secret-marks'
import type { RemoteTarget } from '../upstreams/upstream.ts'
import type { ConnectionParts, ConnectionRequest, OpenedConnection, Opening } from './kind.ts'
import { refuseMask } from './settings.ts'

/** The main address of a connection. */
const MAIN = 'url'

export interface Address {
  /** The setting that it is. */
  readonly name: string
  /** In full, with what is masked elsewhere. */
  readonly url: string
  readonly origin: string
  /** Whether headers go there. */
  readonly secrets: boolean
}

/** The main address first. */
export function addressesOf(connection: OpenedConnection): readonly Address[] {
  return Object.entries(kindOf(connection.settings.connector).addresses).flatMap(([name, terms]) => {
    const url = addressAt(connection, name)
    return url === undefined ? [] : [{ name, url, origin: originOf(url), secrets: terms.secrets }]
  })
}

/** An address in full; undefined where the connection has none of this name. */
export function addressAt({ settings, secrets }: OpenedConnection, name: string): string | undefined {
  const address = (settings as Readonly<Record<string, unknown>>)[name]
  if (typeof address !== 'string') return undefined
  return (name === MAIN ? secrets.url : secrets.addresses?.[name]) ?? address
}

/** An address as it may be shown and stored unsealed: secrets in it are masked. */
export function shownAddress(url: string): string {
  const shown = maskUrl(url)
  // A slash at the end hides nothing.
  return shown === `${url}/` ? url : shown
}

/** Whether a text is an address, in full or as it was shown. */
export const isAsShown = (text: string, address: string): boolean =>
  text === address || plainMasks(text) === shownAddress(address)

/** Settings as they may be shown. Those that were stored before their addresses were sealed have secrets in them. */
export function shownSettings<Settings extends ConnectionSettings>(settings: Settings): Settings {
  const values = settings as Readonly<Record<string, unknown>>
  const shown = Object.keys(kindOf(settings.connector).addresses).flatMap((name) => {
    const address = values[name]
    return typeof address === 'string' ? [[name, shownAddress(address)] as const] : []
  })
  return { ...settings, ...Object.fromEntries(shown) }
}

/** Settings with their further addresses in full, to be read and never shown. */
export const settingsInFull = <Settings extends ConnectionSettings>({
  settings,
  secrets,
}: OpenedConnection<Settings>): Settings => ({ ...settings, ...secrets.addresses })

/** The connection with its further addresses sealed where they hold a secret. */
export function sealedAddresses<Parts extends ConnectionParts>(parts: Parts): Parts {
  const hidden = addressesOf(parts).filter(({ name, url }) => name !== MAIN && shownAddress(url) !== url)
  if (hidden.length === 0) return parts
  const { settings, secrets } = parts
  const shown = Object.fromEntries(hidden.map(({ name, url }) => [name, shownAddress(url)]))
  const addresses = Object.fromEntries(hidden.map(({ name, url }) => [name, url]))
  return { ...parts, settings: { ...settings, ...shown }, secrets: { ...secrets, addresses } }
}

/**
 * A request with those further addresses in full that come back as they were shown. Throws `body.shape` for any other one with a mask.
 */
export function withAddresses(
  connector: Connector,
  request: ConnectionRequest,
  connection: OpenedConnection | undefined,
): ConnectionRequest {
  const member = ownMemberOf(connector)
  const own = member === undefined ? undefined : (request as Readonly<Record<string, unknown>>)[member]
  if (member === undefined || typeof own !== 'object' || own === null) return request
  const { addresses } = kindOf(connector)
  const inFull = Object.entries(own).map(([name, value]: [string, unknown]) => {
    if (name === MAIN || addresses[name] === undefined || typeof value !== 'string') return [name, value] as const
    const before = connection === undefined ? undefined : addressAt(connection, name)
    if (before !== undefined && isAsShown(value, before)) return [name, before] as const
    refuseMask(`/${member}/${name}`, value)
    return [name, value] as const
  })
  return { ...request, [member]: Object.fromEntries(inFull) }
}

/** Whether the headers of a connection may go to an address of it. */
export function isBound(connection: OpenedConnection, address: Pick<Address, 'name' | 'origin'>): boolean {
  const { name, origin } = address
  return (
    origin === mainOf(connection)?.origin ||
    (name !== MAIN && origin === connection.secrets.origins?.[name]?.origin) ||
    isUsual(connection.settings, address)
  )
}

/** Whether an address may lie in a private network, as far as that was allowed for this very one. */
export function isPrivate(connection: OpenedConnection, { name, origin }: Pick<Address, 'name' | 'origin'>): boolean {
  if (origin === mainOf(connection)?.origin) return 'private' in connection.settings && connection.settings.private
  const stored = name === MAIN ? undefined : connection.secrets.origins?.[name]
  return stored !== undefined && stored.origin === origin && stored.private
}

/** The origin of a connection's document, where that one may lie in a private network. */
export function documentOrigins(connection: OpenedConnection): readonly string[] {
  const address = addressesOf(connection).find(({ name }) => name === 'document')
  return address !== undefined && isPrivate(connection, address) ? [address.origin] : []
}

/** The connection with its headers bound to all of its addresses, each of which may be private where that is allowed. */
export function bindHeaders<Parts extends ConnectionParts>(parts: Parts, allows: (address: Address) => boolean): Parts {
  const { settings, secrets } = parts
  if (!('private' in settings)) return parts
  const [main, ...others] = addressesOf(parts)
  const origins = Object.fromEntries(
    others
      .map((address) => [address, { origin: address.origin, private: allows(address) }] as const)
      .filter(([{ origin }]) => origin !== main?.origin)
      .filter(([address, value]) => value.private || (address.secrets && !isUsual(settings, address)))
      .map(([{ name }, value]) => [name, value]),
  )
  const { origins: _, ...rest } = secrets
  return {
    ...parts,
    settings: { ...settings, private: main !== undefined && allows(main) },
    secrets: Object.keys(origins).length === 0 ? rest : { ...rest, origins },
  }
}

/** Whether an address is the vendor's own. */
function isUsual({ connector }: ConnectionSettings, { name, origin }: Pick<Address, 'name' | 'origin'>): boolean {
  const usual = name === MAIN ? undefined : kindOf(connector).addresses[name]?.usual
  return usual !== undefined && origin === originOf(usual)
}

/**
 * A further address of a connection as a place that requests go to. Throws `connection.unbound` where headers would go to an address
 * that they were not given for.
 */
export function reachAt(
  opening: Pick<Opening<ConnectionSettings>, 'settings' | 'secrets' | 'exceptions' | 'reach'>,
  name: string,
  headers: Readonly<Record<string, string>>,
): RemoteTarget | undefined {
  const address = addressesOf(opening).find((item) => item.name === name)
  if (address === undefined) return undefined
  if (Object.keys(headers).length > 0 && !isBound(opening, address))
    throw new Fault('connection.unbound', { connection: opening.reach.alias, place: name, origin: address.origin })
  return { url: address.url, private: isPrivate(opening, address), exceptions: opening.exceptions, headers }
}

const mainOf = (connection: OpenedConnection): Address | undefined =>
  addressesOf(connection).find(({ name }) => name === MAIN)

/** Scheme, host and port; of what is no address, the text itself. */
function originOf(url: string): string {
  const { protocol, host } = URL.parse(url) ?? { protocol: '', host: url }
  return `${protocol}//${host}`
}
