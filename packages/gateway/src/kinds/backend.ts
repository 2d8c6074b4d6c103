/**
 * The kinds of backends have in common (`isBackend` in the contract): an address, headers of the organization's own and a few
 * settings. No account is kept for them.
 */
import {
  backendWordsOf,
  usualAddressOf,
  type Backend,
  type BackendWords,
  type ConnectionSettings,
} from '@toolway/contract'
import type { RemoteTarget, Upstream } from '../upstreams/upstream.ts'
import type { UpstreamContext } from '../upstreams/upstreams.ts'
import type { ConnectionRequest, Kind, Opening } from './kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from './remote.ts'
import { checkSettings } from './settings.ts'

type SettingsOf<Name extends Backend> = Extract<ConnectionSettings, { readonly connector: Name }>

export interface BackendWire<Name extends Backend = Backend> extends RemoteWire {
  readonly kind: Name
  readonly words: BackendWords<Name>
}

export interface BackendKind<Name extends Backend> {
  /** Also the member of a request that has the settings of its own. */
  readonly connector: Name
  /** Checks what is to be stored. Throws `params.shape`. */
  check?(wire: BackendWire<Name>): void
  upstream(opening: Opening<SettingsOf<Name>>, target: RemoteTarget, context: UpstreamContext): Upstream
}

export function backendKind<Name extends Backend>({
  connector,
  upstream,
  check,
}: BackendKind<Name>): Kind<SettingsOf<Name>, BackendWire<Name>> {
  const usual = usualAddressOf(connector)
  const ownOf = (request: ConnectionRequest) => (request as Readonly<Record<string, object | undefined>>)[connector]
  return {
    connector,
    wire: connector,
    takes: ['url', 'headers', 'private', connector],
    meantBy: [],
    describe(request, stored) {
      const isNew = usual !== undefined && stored === undefined && request.url === undefined
      const { url, headers, ...turn } = describeRemote(isNew ? { ...request, url: usual } : request, stored)
      const before = stored === undefined ? {} : backendWordsOf(connector, stored.settings)
      const words = { ...before, ...ownOf(request) } as BackendWords<Name>
      return { ...turn, wire: { kind: connector, url, headers, words } }
    },
    parts(common, wire, shown) {
      check?.(wire)
      const { settings, secrets } = remoteParts(common, wire, shown)
      const own = common.checks === undefined ? {} : { checks: common.checks }
      return { settings: checkSettings({ connector, ...settings, ...own, ...wire.words }), secrets }
    },
    shown: shownUrl,
    view: (settings) => ({ ...remoteView(settings), [connector]: backendWordsOf(connector, settings) }),
    open: (opening, context) => upstream(opening, remoteReach(opening), context),
  }
}
