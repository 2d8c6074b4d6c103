/**
 * Whether a claim `email_verified` proves the address beside it (OpenID Connect Core 1.0, section 5.1). The claim is a boolean there.
 * Some providers send it as a string (the user information of AWS Cognito, tokens of Apple), so the exact text "true" counts as well.
 * Everything else, an absent claim too, proves nothing: the address may be somebody else's.
 */
export const isProven = (claim: unknown): boolean => claim === true || claim === 'true'

/** Who proves the addresses of an issuer: the claim of each token, or the issuer, which verifies every address that it has. */
export type EmailProof = 'claim' | 'issuer'

/** Whether an address counts. An issuer whose addresses are proven may still say of a single one that it is not. */
export const counts = (claim: unknown, proof: EmailProof): boolean =>
  isProven(claim) || (proof === 'issuer' && (claim === undefined || claim === null))
