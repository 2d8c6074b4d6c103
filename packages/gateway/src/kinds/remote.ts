/** Parts of the kinds that are reached at an address: the address, its headers, and how both are kept and shown. */
import { ConnectionSecrets, Fault } from '@toolway/contract'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isIP } from 'node:net'
import type { RemoteTarget } from '../upstreams/upstream.ts'
import { isAsShown, shownAddress } from './addresses.ts'
import type { CommonWords, Described, OpenedConnection, Opening, ConnectionRequest, Shown } from './kind.ts'
import { mergePairs, mismatch, refuseMask } from './settings.ts'

export interface RemoteWire {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

type RemoteSettings = { readonly url: string; readonly private: boolean }

/** The address and headers of a request over those that are held. Throws `body.shape`. */
export function describeRemote(
  request: ConnectionRequest,
  connection: OpenedConnection<RemoteSettings> | undefined,
): Omit<Described<never>, 'wire'> & RemoteWire {
  const shown = connection?.settings.url
  const before = connection?.secrets.url ?? shown
  // An address that was shown comes back unchanged with a change of something else.
  const url = request.url === undefined || (shown !== undefined && isAsShown(request.url, shown)) ? before : request.url
  if (url === undefined) throw mismatch('/url', 'is missing')
  if (url !== before) refuseMask('/url', url)
  const { pairs, kept } = mergePairs('/headers', connection?.secrets.headers ?? {}, request.headers ?? {}, true)
  return {
    url,
    headers: pairs,
    moved: false,
    keeps: kept || (connection?.secrets.url !== undefined && url === before),
  }
}

/** Returns the settings and secrets to store for an address and its headers. Throws `params.shape`. */
export function remoteParts({ revision, timeout }: CommonWords, wire: RemoteWire, shown: Shown | undefined) {
  refuseUserInfo('url', wire.url)
  for (const [name, value] of Object.entries(wire.headers)) refuseHeader(name, value)
  const url = shown?.url ?? wire.url
  return {
    settings: { url, revision, timeout, private: namesPrivate(wire.url) },
    secrets: ConnectionSecrets.parse({ headers: wire.headers, ...(url === wire.url ? {} : { url: wire.url }) }),
  }
}

export const shownUrl = (wire: RemoteWire): Shown => ({ url: shownAddress(wire.url) })

export const remoteView = ({ url, private: isPrivate }: RemoteSettings) => ({ url, private: isPrivate })

/** The address with its secrets, and its headers under the names that are sent. */
export const remoteReach = ({ settings, secrets, exceptions }: Opening<RemoteSettings>): RemoteTarget => ({
  url: secrets.url ?? settings.url,
  private: settings.private,
  exceptions,
  headers: Object.fromEntries(Object.entries(secrets.headers).map(([name, value]) => [name.toLowerCase(), value])),
})

/** Credentials in front of a host are easily shown by mistake; a header is sealed. Throws `params.shape`. */
export function refuseUserInfo(name: string, url: string): void {
  if (!URL.canParse(url)) return
  const { username, password } = new URL(url)
  if (username === '' && password === '') return
  throw new Fault('params.shape', {
    place: `/${name}`,
    problem: 'contains a user name or password: send them as an Authorization header instead',
  })
}

/** Written by the gateway for each request; a connection cannot speak for it. */
const OWN_HEADERS =
  /^(host|content-length|content-type|transfer-encoding|connection|keep-alive|upgrade|te|trailer|accept|last-event-id|mcp-.*|sec-websocket-.*)$/i

function refuseHeader(name: string, value: string): void {
  const refuse = (problem: string) => new Fault('params.shape', { place: `/headers/${name}`, problem })
  if (OWN_HEADERS.test(name)) throw refuse('is set by the gateway itself')
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    throw refuse('has a name or a value that is not valid in a header')
  }
}

/**
 * Whether the operator wrote a private address in so many words. A name that merely resolves to one does not count: that is
 * how a name of somebody else's gets at what only this machine can reach.
 */
export function namesPrivate(url: string): boolean {
  if (!URL.canParse(url)) return false
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host.endsWith('.internal') ||
    host.endsWith('.local') ||
    isIP(host) !== 0
  )
}
