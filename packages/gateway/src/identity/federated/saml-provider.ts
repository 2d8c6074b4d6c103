/**
 * A SAML 2.0 provider that signs people in: the web browser profile, with a redirect there and a form back (SAML profiles, 4.1).
 *
 * Its assertion has to be signed, for this gateway, for the request of this attempt, and comes once. Responses to no request are refused.
 */
import { randomBytes } from 'node:crypto'
import { generateServiceProviderMetadata, SAML, ValidateInResponseTo, type CacheProvider } from '@node-saml/node-saml'
import { Fault } from '@toolway/contract'
import type { SamlSettings } from '@toolway/contract/admin'
import { z } from 'zod'
import { isProven } from './email-proof.ts'
import type { IdentityProvider, Proven } from './identity-provider.ts'
import { readAssertion, SKEW_MS, type Assertion } from './saml-assertion.ts'
import { hasSeveralFactors } from './several-factors.ts'
import { refuseSaml, type SamlProblem } from './saml-problems.ts'
import { readResponse, responseTextOf } from './saml-response.ts'

export interface SamlProviderParts {
  readonly title: string
  readonly settings: Pick<SamlSettings, 'entity_id' | 'sso_url' | 'certificates' | 'attributes'>
  /** Whether an assertion of that id comes for the first time, to whichever replica. */
  spend(assertionId: string, until: Date): Promise<boolean>
}

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
/** Entra ID names all methods of a sign-in there. */
const METHODS = 'http://schemas.microsoft.com/claims/authnmethodsreferences'
const REQUEST_LIFETIME_MS = 10 * 60 * 1000

/** Our entity id for a provider, which is the address of our metadata for it. */
export const samlEntityIdOf = (redirectUri: string): string => redirectUri.replace(/\/callback$/, '/metadata')

export function createSamlProvider({ title, settings, spend }: SamlProviderParts): IdentityProvider {
  const { entity_id: entityId, attributes } = settings

  return {
    title,
    browses: true,
    async depart(redirectUri) {
      const requestId = `_${randomBytes(20).toString('hex')}`
      const saml = samlFor(settings, redirectUri, requestId, false)
      const url = new URL(await saml.getAuthorizeUrlAsync('', undefined, {}))
      return { url, state: randomBytes(24).toString('base64url'), nonce: requestId, verifier: '' }
    },
    async arrive(current, { nonce: requestId }, fields) {
      const address = `${current.origin}${current.pathname}`
      const text = responseTextOf(fields?.get('SAMLResponse'))
      const response = readResponse(text)
      if (response.inResponseTo !== requestId) return refuseSaml('attempt')
      if (response.destination !== undefined && response.destination !== address) return refuseSaml('address')
      const verified = await verify(samlFor(settings, address, requestId, response.signed), text)
      const assertion = readAssertion(verified, { requestId, address })
      if (assertion.issuer !== entityId || (response.issuer ?? entityId) !== entityId) return refuseSaml('issuer')
      if (!(await spend(assertion.id, assertion.until))) return refuseSaml('used')
      return provenBy(assertion, attributes)
    },
    prove: () => Promise.reject(new Fault('login.provider', { problem: 'its tokens are not accepted here' })),
    metadataFor: (redirectUri) =>
      generateServiceProviderMetadata({
        issuer: samlEntityIdOf(redirectUri),
        callbackUrl: redirectUri,
        identifierFormat: null,
        wantAssertionsSigned: true,
      }),
  }
}

/** The only request that a response may answer is the one of this attempt. */
const onlyRequest = (requestId: string): CacheProvider => ({
  saveAsync: () => Promise.resolve(null),
  getAsync: (id) => Promise.resolve(id === requestId ? new Date().toISOString() : null),
  removeAsync: () => Promise.resolve(null),
})

const samlFor = (
  { sso_url: entryPoint, certificates }: SamlProviderParts['settings'],
  callbackUrl: string,
  requestId: string,
  wantAuthnResponseSigned: boolean,
) =>
  new SAML({
    ...{ entryPoint, callbackUrl, idpCert: [...certificates] },
    issuer: samlEntityIdOf(callbackUrl),
    audience: samlEntityIdOf(callbackUrl),
    // The provider decides how it names people, and how they sign in there.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned,
    acceptedClockSkewMs: SKEW_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: REQUEST_LIFETIME_MS,
    generateUniqueId: () => requestId,
    cacheProvider: onlyRequest(requestId),
  })

/** The signed text of the assertion. Throws `login.provider`. */
async function verify(saml: SAML, text: string): Promise<string> {
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(text).toString('base64') })
    .catch((thrown: unknown) => refuseSaml(problemOf(thrown), thrown))
  return profile?.getAssertionXml?.() ?? refuseSaml('malformed')
}

function problemOf(thrown: unknown): SamlProblem {
  const message = thrown instanceof Error ? thrown.message : ''
  if (/signature|ref URI/i.test(message)) return 'signature'
  if (/InResponseTo/i.test(message)) return 'attempt'
  if (/audience/i.test(message)) return 'audience'
  return /expired|not yet valid|confirmation/i.test(message) ? 'time' : 'malformed'
}

const Email = z.email().max(254)

function provenBy(
  { issuer, nameId, nameIdFormat, attributes, context }: Assertion,
  names: SamlSettings['attributes'],
): Proven {
  const first = (wanted: readonly string[]) =>
    wanted.flatMap((name) => attributes.get(name) ?? []).find((value) => value !== '')
  const address = first(names.email) ?? (nameIdFormat === EMAIL_FORMAT ? nameId.trim() : undefined)
  const claims = Object.fromEntries([
    ...[...attributes].map(([name, values]) => [name, values.length === 1 ? values[0] : values] as const),
    ['name_id', nameId],
    ['name_id_format', nameIdFormat],
  ])
  return {
    ...{ issuer, subject: nameId, claims, name: first(names.name) },
    email: Email.safeParse(address).data,
    emailVerified: isProven(claims['email_verified']),
    severalFactors: hasSeveralFactors([...(attributes.get(METHODS) ?? [])], context),
  }
}
