/**
 * A native connector: a vendor's tools that the product itself has, or somebody's own connector whose source is given. Its address is
 * the vendor's, where no other is named.
 */
import { CONNECTORS } from '@toolway/connectors'
import { Fault, placeAt, PlaceProblem, type ConnectionAuthChange, type NativeSettings } from '@toolway/contract'
import { loadApart } from '../../upstreams/native/apart/apart-vendor.ts'
import { loadedOf } from '../../upstreams/native/loaded-vendor.ts'
import { createNativeUpstream } from '../../upstreams/native/native-upstream.ts'
import type { NativeTarget } from '../../upstreams/upstream.ts'
import type { UpstreamContext } from '../../upstreams/upstreams.ts'
import type { ConnectionRequest, Kind, Opening } from '../kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from '../remote.ts'
import { checkSettings, mismatch } from '../settings.ts'
import { leastScopes, providerOf } from './least-scopes.ts'

export interface NativeWire extends RemoteWire {
  readonly kind: 'native'
  readonly vendor: string
  readonly source?: string | undefined
  readonly scopesFor?: NativeSettings['scopesFor'] | undefined
  readonly auth?: ConnectionAuthChange
}

/** A native connector as it is described. `url`: a server of the vendor's kind in place of the vendor's own. */
export function connectorOf({
  vendor,
  source,
  scopesFor,
  url = addressOf(vendor, source),
  headers = {},
  auth,
}: {
  readonly vendor: string
  readonly source?: string | undefined
  readonly scopesFor?: NativeSettings['scopesFor'] | undefined
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: ConnectionAuthChange | undefined
}): NativeWire {
  const own = source === undefined ? letIn(vendor, url, auth?.kind === 'oauth') : ({ kind: 'key' } as const)
  return { kind: 'native', vendor, source, scopesFor, url, headers, auth: { ...own, ...auth } }
}

export const native: Kind<NativeSettings, NativeWire> = {
  connector: 'native',
  wire: 'native',
  takes: ['native', 'url', 'headers', 'private', 'auth'],
  meantBy: [],
  runtimes: { form: /^native$/, words: 'native with the connector_type of a vendor' },
  isType: isVendor,
  describe(request, connection) {
    const vendor = vendorIn(request) ?? connection?.settings.vendor
    if (vendor === undefined) throw mismatch('/native/vendor', 'is missing')
    if (connection !== undefined && vendor !== connection.settings.vendor)
      throw mismatch('/native/vendor', 'cannot be changed: add another connection for another vendor')
    const input = request.native?.source
    const source = input === undefined ? connection?.settings.source : (input ?? undefined)
    const url = request.url ?? (connection === undefined ? addressOf(vendor, source) : undefined)
    const { url: at, headers, ...turn } = describeRemote(url === undefined ? request : { ...request, url }, connection)
    const auth = { ...connection?.settings.auth, ...request.auth }
    const scopesFor = request.native?.scopes_for ?? connection?.settings.scopesFor
    return { ...turn, wire: connectorOf({ vendor, source, scopesFor, url: at, headers, auth }) }
  },
  parts(common, wire, shown) {
    const { settings, secrets } = remoteParts(common, wire, shown)
    const { vendor, source, scopesFor, auth } = wire
    const own = common.checks === undefined ? {} : { checks: common.checks }
    return {
      settings: checkSettings({ ...settings, ...own, connector: 'native', vendor, source, scopesFor, auth }),
      secrets,
    }
  },
  shown: shownUrl,
  view: ({ vendor, scopesFor, source, ...settings }, mayChange) => ({
    ...remoteView(settings),
    auth: settings.auth,
    native: {
      ...{ vendor, scopes_for: scopesFor, supplied: source !== undefined },
      source: mayChange ? (source ?? null) : null,
    },
  }),
  scopes: ({ vendor, source, scopesFor }) =>
    source !== undefined ? undefined : CONNECTORS[vendor]?.load().then((loaded) => leastScopes(loaded, scopesFor)),
  open(opening, context) {
    const { auth } = opening.settings
    const key = { header: auth.header.toLowerCase(), prefix: auth.prefix }
    const wire = { ...remoteReach(opening), key, ...loadingOf(opening, context) }
    return createNativeUpstream({ ...context, reach: { ...opening.reach, wire } })
  },
}

/** The product's own connector, or one of somebody's own in a process apart. Throws `connector.unknown`. */
function loadingOf(
  { reach, settings, secrets, trusted }: Opening<NativeSettings>,
  { children }: Pick<UpstreamContext, 'children'>,
): Pick<NativeTarget, 'own' | 'title' | 'load'> {
  const { vendor, source } = settings
  if (source !== undefined) {
    const address = secrets.url ?? settings.url
    const apart = { ...{ alias: reach.alias, connectionId: reach.connectionId }, vendor, source, address, trusted }
    return {
      own: address,
      title: vendor,
      load: () => loadApart({ ...apart, start: (launch) => children.start(launch) }),
    }
  }
  const known = CONNECTORS[vendor]
  if (known === undefined) throw new Fault('connector.unknown', { connector: vendor, connectors: KNOWN })
  return { own: known.address, title: known.title, load: async () => loadedOf(await known.load()) }
}

/** The vendor in our words, or in the source system's, where `connector_type` names it. Throws `body.shape` where they differ. */
function vendorIn(request: ConnectionRequest): string | undefined {
  const type = 'connector_type' in request && request.connector_type !== 'native' ? request.connector_type : undefined
  const vendor = request.native?.vendor
  if (vendor !== undefined && type !== undefined && type !== vendor)
    throw mismatch('/connector_type', 'specifies a different vendor than /native/vendor')
  return vendor ?? type
}

function isVendor(name: string): boolean {
  return Object.hasOwn(CONNECTORS, name)
}

const KNOWN = Object.keys(CONNECTORS).join(', ')

/** Throws `body.shape`. */
function addressOf(vendor: string, source: string | undefined): string {
  if (source !== undefined) throw mismatch('/url', 'is missing: it specifies where the connector’s requests go')
  const address = isVendor(vendor) ? CONNECTORS[vendor]?.address : undefined
  if (address === undefined) throw mismatch('/native/vendor', `is not one of ${KNOWN}`)
  return address
}

/** An account where the vendor has OAuth and an account is for that address, or one is named in so many words; else a key. */
function letIn(vendor: string, url: string, named: boolean): ConnectionAuthChange {
  const provider = providerOf(vendor)
  return provider === undefined || (!named && !hasAccounts(provider.key, url))
    ? { kind: 'key' }
    : { kind: 'oauth', provider: provider.key }
}

function hasAccounts(provider: string, url: string): boolean {
  try {
    placeAt(provider, url)
    return true
  } catch (thrown) {
    if (!(thrown instanceof PlaceProblem)) throw thrown
    return false
  }
}
