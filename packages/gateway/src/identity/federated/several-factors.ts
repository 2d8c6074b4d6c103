/**
 * Whether a provider has asked somebody for more than one factor, by the claims `amr` (RFC 8176) and `acr` of its ID token (OpenID
 * Connect Core 1.0, section 2). Only what says so plainly counts: a single method, whichever it is, may have been the only one.
 */
const METHODS: ReadonlySet<unknown> = new Set(['mfa'])
const CONTEXTS: ReadonlySet<unknown> = new Set([
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'http://schemas.microsoft.com/claims/multipleauthn',
  'https://refeds.org/profile/mfa',
  'phr',
  'phrh',
])

export const hasSeveralFactors = (amr: unknown, acr: unknown): boolean =>
  (Array.isArray(amr) && amr.some((method) => METHODS.has(method) || CONTEXTS.has(method))) || CONTEXTS.has(acr)
