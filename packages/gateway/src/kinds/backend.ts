/**
 * What the kinds of backends have in common that are reached at an address, with headers of the organization's own and a few settings:
 * contract backends, n8n and Composio. No account is kept for them.
 */
import type { ConnectionSettings } from '@toolway/contract'
import type { RemoteTarget, Upstream } from '../upstreams/upstream.ts'
import type { UpstreamMaking } from '../upstreams/upstreams.ts'
import type { ConnectionRequest, Kind, Opening } from './kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from './remote.ts'
import { checked } from './settings.ts'

/** The kinds that are of this form. */
type Backends = Extract<ConnectionSettings, { readonly connector: 'contract' | 'n8n' | 'composio' }>
type Name = Backends['connector']

export interface BackendWire<Connector extends Name, Words> extends RemoteWire {
  readonly kind: Connector
  readonly words: Words
}

export interface BackendKind<Connector extends Name, Words> {
  /** Also the member of a request that has the settings of its own. */
  readonly connector: Connector
  /** Its address where none is given. */
  readonly url?: string
  /** Look at what is to be kept. Throws `params.shape`. */
  check?(wire: BackendWire<Connector, Words>): void
  /** The settings of its own among others. */
  wordsOf(said: object): Words
  upstream(
    opening: Opening<Extract<Backends, { readonly connector: Connector }>>,
    target: RemoteTarget,
    making: UpstreamMaking,
  ): Upstream
}

export function backendKind<Connector extends Name, Words extends object>({
  connector,
  wordsOf,
  upstream,
  url: own,
  check,
}: BackendKind<Connector, Words>): Kind<
  Extract<Backends, { readonly connector: Connector }>,
  BackendWire<Connector, Words>
> {
  const saidIn = (said: ConnectionRequest) => (said as Readonly<Record<string, object | undefined>>)[connector]
  return {
    connector,
    wire: connector,
    takes: ['url', 'headers', 'private', connector],
    meantBy: [],
    describe(said, held) {
      const isNew = own !== undefined && held === undefined && said.url === undefined
      const { url, headers, ...turn } = describeRemote(isNew ? { ...said, url: own } : said, held)
      const words = { ...(held === undefined ? {} : wordsOf(held.settings)), ...saidIn(said) } as Words
      return { ...turn, wire: { kind: connector, url, headers, words } }
    },
    parts(common, wire, shown) {
      check?.(wire)
      const { settings, secrets } = remoteParts(common, wire, shown)
      const own = common.checks === undefined ? {} : { checks: common.checks }
      return { settings: checked({ connector, ...settings, ...own, ...wire.words }), secrets }
    },
    shown: shownUrl,
    view: (settings) => ({ ...remoteView(settings), [connector]: wordsOf(settings) }),
    open: (opening, making) => upstream(opening, remoteReach(opening), making),
  }
}
