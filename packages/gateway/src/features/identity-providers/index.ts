/** Identity providers of the installation and of organizations: where people sign in, and what they are here by it (ADR 0141). */
import type { Served } from '../../operations/serve.ts'
import { identityDomainOperations, type IdentityDomainParts } from './identity-domains.operations.ts'
import { identityLinkOperations, type IdentityLinkParts } from './identity-links.operations.ts'
import { identityProviderOperations, type IdentityProviderParts } from './identity-providers.operations.ts'

export { refusePassword } from './enforced-domains.ts'
export { environmentProviderOf } from './environment-provider.ts'
export { startIdentityProviders, type ProviderSignIn } from './identity-providers.start.ts'
export { listDomains } from './identity-domains.rows.ts'
export { listProviders, listProviderTitles, settingsOf, type ProviderRow } from './identity-providers.rows.ts'
export { Linking, openLinkTicket } from './link-tickets.ts'
export { checkSettings } from './provider-settings.ts'
export { startPathOf } from './provider-addresses.ts'
export { isTrialOf } from './trials.ts'
export { createFindTxtRecords } from './txt-records.ts'

export type SignInParts = IdentityProviderParts & IdentityDomainParts

/** Those that a declaration file carries out. */
export const signInOperations: readonly Served<SignInParts>[] = [
  ...identityProviderOperations,
  ...identityDomainOperations,
]

export const operations: readonly Served<SignInParts & IdentityLinkParts>[] = [
  ...signInOperations,
  ...identityLinkOperations,
]
