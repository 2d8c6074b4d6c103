/** Identity providers of the installation and of organizations: where people sign in, and what they are here by it (ADR 0141). */
import type { Served } from '../../operations/serve.ts'
import { identityDomainOperations, type IdentityDomainParts } from './identity-domains.operations.ts'
import { identityLinkOperations, type IdentityLinkParts } from './identity-links.operations.ts'
import { identityProviderOperations, type IdentityProviderParts } from './identity-providers.operations.ts'

export { refusePassword } from './enforced-domains.ts'
export { environmentProviderOf } from './environment-provider.ts'
export { startIdentityProviders, type ProviderSignIn } from './identity-providers.start.ts'
export { listProviderTitles, type ProviderRow } from './identity-providers.rows.ts'
export { Linking, openLinkTicket } from './link-tickets.ts'
export { startPathOf } from './provider-addresses.ts'
export { isTrialOf } from './trials.ts'
export { createFindTxtRecords } from './txt-records.ts'

export const operations: readonly Served<IdentityProviderParts & IdentityDomainParts & IdentityLinkParts>[] = [
  ...identityProviderOperations,
  ...identityDomainOperations,
  ...identityLinkOperations,
]
