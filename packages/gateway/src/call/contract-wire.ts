/** What is set of a contract backend, as its upstream takes it: in milliseconds, and for one organization. */
import type { ContractSettings } from '@toolway/contract'
import type { ContractWire } from '../upstreams/upstream.ts'

type Set = Omit<ContractWire, 'url' | 'private' | 'exceptions' | 'headers'>

/** `slug`: of the organization, which the backend knows by it where nothing else is set. */
export const contractWire = (settings: ContractSettings, slug: string): Set => ({
  kind: 'contract',
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
