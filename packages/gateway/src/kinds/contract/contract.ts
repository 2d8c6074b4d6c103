/** A backend that describes its functions by contracts and runs them over HTTP (ledger S1). */
import { contractWordsOf, type ContractSettings, type ContractWords } from '@toolway/contract'
import { createContractUpstream } from '../../upstreams/contract/contract-upstream.ts'
import type { ContractTerms } from '../../upstreams/upstream.ts'
import type { Kind } from '../kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from '../remote.ts'
import { checked } from '../settings.ts'

export interface ContractWire extends RemoteWire {
  readonly kind: 'contract'
  readonly words: ContractWords
}

/** A backend as it is described. */
export const backendOf = (words: Omit<ContractWire, 'kind'>): ContractWire => ({ kind: 'contract', ...words })

export const contract: Kind<ContractSettings, ContractWire> = {
  connector: 'contract',
  wire: 'contract',
  takes: ['url', 'headers', 'private', 'contract'],
  meantBy: [],
  describe(said, held) {
    const { url, headers, ...turn } = describeRemote(said, held)
    const words = { ...(held === undefined ? {} : contractWordsOf(held.settings)), ...said.contract }
    return { ...turn, wire: backendOf({ url, headers, words }) }
  },
  parts(common, wire, shown) {
    const { settings, secrets } = remoteParts(common, wire, shown)
    const own = common.checks === undefined ? {} : { checks: common.checks }
    return { settings: checked({ connector: 'contract', ...settings, ...own, ...wire.words }), secrets }
  },
  shown: shownUrl,
  view: (settings) => ({ ...remoteView(settings), contract: contractWordsOf(settings) }),
  open(opening, making) {
    const wire = { ...remoteReach(opening), ...termsOf(opening.settings, opening.organization) }
    return createContractUpstream({ ...making, reach: { ...opening.reach, wire } })
  },
}

/** In milliseconds, and for one organization. `slug`: the name of the organization at the backend, unless another one is set. */
const termsOf = (settings: ContractSettings, slug: string): ContractTerms => ({
  organization: settings.organization ?? slug,
  contractsFor: settings.contracts_for * 1000,
  facetsFor: settings.facets_for * 1000,
  staleFor: settings.stale_for * 1000,
  onBehalf: settings.on_behalf,
  exposes: settings.exposes,
  sideEffects: settings.side_effects,
  allows: settings.allows,
  aliases: settings.aliases,
  facets: settings.checks_facets,
})
