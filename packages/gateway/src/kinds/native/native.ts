/** A native connector: a vendor's tools that the product itself has. Its address is the vendor's, where no other is named. */
import { CONNECTORS } from '@toolway/connectors'
import { Fault, type ConnectionAuthChange, type NativeSettings } from '@toolway/contract'
import { createNativeUpstream } from '../../upstreams/native/native-upstream.ts'
import type { Kind } from '../kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from '../remote.ts'
import { checked, mismatch } from '../settings.ts'
import { leastScopes, providerOf } from './least-scopes.ts'

export interface NativeWire extends RemoteWire {
  readonly kind: 'native'
  readonly vendor: string
  readonly scopesFor?: NativeSettings['scopesFor'] | undefined
  readonly auth?: ConnectionAuthChange
}

/** A native connector as it is described. `url`: a server of the vendor's kind in place of the vendor's own. */
export function connectorOf({
  vendor,
  scopesFor,
  url = addressOf(vendor),
  headers = {},
  auth,
}: {
  readonly vendor: string
  readonly scopesFor?: NativeSettings['scopesFor'] | undefined
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: ConnectionAuthChange | undefined
}): NativeWire {
  return { kind: 'native', vendor, scopesFor, url, headers, auth: { ...letIn(vendor), ...auth } }
}

export const native: Kind<NativeSettings, NativeWire> = {
  connector: 'native',
  wire: 'native',
  takes: ['native', 'url', 'headers', 'private', 'auth'],
  meantBy: [],
  describe(said, held) {
    const vendor = said.native?.vendor ?? held?.settings.vendor
    if (vendor === undefined) throw mismatch('/native/vendor', 'is missing')
    if (held !== undefined && vendor !== held.settings.vendor)
      throw mismatch('/native/vendor', 'stays what it was: add another connection for another vendor')
    const url = said.url ?? (held === undefined ? addressOf(vendor) : undefined)
    const { url: at, headers, ...turn } = describeRemote(url === undefined ? said : { ...said, url }, held)
    const auth = { ...held?.settings.auth, ...said.auth }
    const scopesFor = said.native?.scopes_for ?? held?.settings.scopesFor
    return { ...turn, wire: connectorOf({ vendor, scopesFor, url: at, headers, auth }) }
  },
  parts(common, wire, shown) {
    const { settings, secrets } = remoteParts(common, wire, shown)
    const { vendor, scopesFor, auth } = wire
    const own = common.checks === undefined ? {} : { checks: common.checks }
    return { settings: checked({ ...settings, ...own, connector: 'native', vendor, scopesFor, auth }), secrets }
  },
  shown: shownUrl,
  view: (settings) => ({
    ...remoteView(settings),
    auth: settings.auth,
    native: { vendor: settings.vendor, scopes_for: settings.scopesFor },
  }),
  scopes: ({ vendor, scopesFor }) => CONNECTORS[vendor]?.load().then((loaded) => leastScopes(loaded, scopesFor)),
  open(opening, making) {
    const { vendor, auth } = opening.settings
    const known = CONNECTORS[vendor]
    if (known === undefined) throw new Fault('connector.unknown', { connector: vendor, connectors: KNOWN })
    const key = { header: auth.header.toLowerCase(), prefix: auth.prefix }
    const wire = { ...remoteReach(opening), own: known.address, key, title: known.title, load: known.load }
    return createNativeUpstream({ ...making, reach: { ...opening.reach, wire } })
  },
}

const KNOWN = Object.keys(CONNECTORS).join(', ')

/** Throws `body.shape`. */
function addressOf(vendor: string): string {
  const address = Object.hasOwn(CONNECTORS, vendor) ? CONNECTORS[vendor]?.address : undefined
  if (address === undefined) throw mismatch('/native/vendor', `is none of ${KNOWN}`)
  return address
}

/** An account where the vendor has OAuth, else a key. */
function letIn(vendor: string): ConnectionAuthChange {
  const provider = providerOf(vendor)
  return provider === undefined ? { kind: 'key' } : { kind: 'oauth', provider: provider.key }
}
