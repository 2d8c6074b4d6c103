/** Why a response of a SAML provider is refused: each in a sentence that tells an administrator where to look. */
import { Fault } from '@toolway/contract'

export const SAML_PROBLEMS = {
  malformed: 'its response is not a valid SAML response',
  markup: 'its response contains a document type, a comment or other markup that is not accepted',
  unasked: 'its response answers no sign-in that was started here: start at the sign-in page, not at the provider',
  status: 'it did not sign you in',
  encrypted: 'its assertion is encrypted: turn off the encryption of assertions there',
  unsigned: 'its assertion is not signed: let it sign assertions, not only responses',
  structure: 'its response has more than one assertion or signature, or has one in the wrong place',
  algorithm: 'it signs with an algorithm that is not accepted, such as SHA-1: let it sign with RSA and SHA-256',
  signature: 'its signature does not match the certificates of this provider: compare them with its current one',
  issuer: 'its response is from another provider: compare the entity id',
  address: 'its response is for another address: compare the assertion consumer service (ACS) there',
  audience: 'its assertion is for another application: compare the audience there with the entity id of this gateway',
  attempt: 'its response answers another sign-in: start again',
  time: 'its assertion is not valid at this time: start again, and compare the clocks of both sides',
  used: 'this response was already used',
  subject: 'it does not say who you are: let it send a name id that stays the same for a person',
} as const
export type SamlProblem = keyof typeof SAML_PROBLEMS

/** Throws `login.provider`. */
export function refuseSaml(problem: SamlProblem, cause?: unknown): never {
  throw new Fault('login.provider', { problem: SAML_PROBLEMS[problem] }, { cause })
}
