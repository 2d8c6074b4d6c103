/** A backend that describes its functions by contracts and runs them over HTTP (ledger S1). */
import type { ContractSettings } from '@toolway/contract'
import { createContractUpstream } from '../../upstreams/contract/contract-upstream.ts'
import type { ContractTerms } from '../../upstreams/upstream.ts'
import { backendKind, type BackendWire } from '../backend.ts'

export type ContractWire = BackendWire<'contract'>

/** A backend as it is described. */
export const backendOf = (words: Omit<ContractWire, 'kind'>): ContractWire => ({ kind: 'contract', ...words })

export const contract = backendKind({
  connector: 'contract',
  upstream({ reach, settings, organization }, target, context) {
    const wire = { ...target, ...termsOf(settings, organization) }
    return createContractUpstream({ ...context, reach: { ...reach, wire } })
  },
})

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
