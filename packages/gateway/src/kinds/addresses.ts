/**
 * The addresses of a connection: which there are, which of them its sealed headers may go to, and which may lie in a private network.
 *
 * A header is bound to the origin (scheme, host, port) of each address that it was given for; another path there is the same server.
 * The origin of `url` follows from the settings. Those of further addresses are sealed with the headers, so that no change of settings
 * alone leads a header elsewhere: what was stored before they were is bound to `url` only.
 */
import { Fault, kindOf, type ConnectionSettings } from '@toolway/contract'
import type { RemoteTarget } from '../upstreams/upstream.ts'
import type { ConnectionParts, OpenedConnection, Opening } from './kind.ts'

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
export function addressesOf({ settings, secrets }: OpenedConnection): readonly Address[] {
  const values = settings as Readonly<Record<string, unknown>>
  return Object.entries(kindOf(settings.connector).addresses).flatMap(([name, terms]) => {
    const url = name === MAIN ? (secrets.url ?? values[MAIN]) : values[name]
    return typeof url === 'string' ? [{ name, url, origin: originOf(url), secrets: terms.secrets }] : []
  })
}

/** Whether the headers of a connection may go to an address of it. */
export function isBound(held: OpenedConnection, address: Pick<Address, 'name' | 'origin'>): boolean {
  const { name, origin } = address
  return (
    origin === mainOf(held)?.origin ||
    (name !== MAIN && origin === held.secrets.origins?.[name]?.origin) ||
    isUsual(held.settings, address)
  )
}

/** Whether an address may lie in a private network, as far as that was allowed for this very one. */
export function isPrivate(held: OpenedConnection, { name, origin }: Pick<Address, 'name' | 'origin'>): boolean {
  if (origin === mainOf(held)?.origin) return 'private' in held.settings && held.settings.private
  const kept = name === MAIN ? undefined : held.secrets.origins?.[name]
  return kept !== undefined && kept.origin === origin && kept.private
}

/** The origin of a connection's document, where that one may lie in a private network. */
export function documentOrigins(held: OpenedConnection): readonly string[] {
  const address = addressesOf(held).find(({ name }) => name === 'document')
  return address !== undefined && isPrivate(held, address) ? [address.origin] : []
}

/** The connection with its headers bound to all of its addresses, each of which may be private where that is allowed. */
export function bound<Parts extends ConnectionParts>(parts: Parts, allows: (address: Address) => boolean): Parts {
  const { settings, secrets } = parts
  if (!('private' in settings)) return parts
  const [main, ...others] = addressesOf(parts)
  const origins = Object.fromEntries(
    others
      .map((address) => [address, { origin: address.origin, private: allows(address) }] as const)
      .filter(([{ origin }]) => origin !== main?.origin)
      .filter(([address, kept]) => kept.private || (address.secrets && !isUsual(settings, address)))
      .map(([{ name }, kept]) => [name, kept]),
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
  const usual = kindOf(connector).addresses[name]?.usual
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
  const address = addressesOf(opening).find((one) => one.name === name)
  if (address === undefined) return undefined
  if (Object.keys(headers).length > 0 && !isBound(opening, address))
    throw new Fault('connection.unbound', { connection: opening.reach.alias, place: name, origin: address.origin })
  return { url: address.url, private: isPrivate(opening, address), exceptions: opening.exceptions, headers }
}

const mainOf = (held: OpenedConnection): Address | undefined => addressesOf(held).find(({ name }) => name === MAIN)

/** Scheme, host and port; of what is no address, the text itself. */
function originOf(url: string): string {
  const { protocol, host } = URL.parse(url) ?? { protocol: '', host: url }
  return `${protocol}//${host}`
}
