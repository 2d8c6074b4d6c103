/** A SAML provider of tests: it reads requests, and writes and signs responses of any form, good and bad. */
import { randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'
import { selfSigned } from '../authorities/self-signed.ts'

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
export const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
const MINUTE = 60_000

export interface AuthnRequest {
  readonly id: string
  readonly address: string
  readonly issuer: string
  readonly xml: string
}

/** The request in the address that a browser is sent to. */
export function readRequest(location: string): AuthnRequest {
  const message = new URL(location).searchParams.get('SAMLRequest') ?? ''
  const xml = inflateRawSync(Buffer.from(message, 'base64')).toString()
  const find = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? ''
  return {
    xml,
    id: find(/ ID="([^"]+)"/),
    address: find(/AssertionConsumerServiceURL="([^"]+)"/),
    issuer: find(/Issuer[^>]*>([^<]+)</),
  }
}

/** What differs from a good response. */
export interface Deviations {
  readonly nameId?: string
  readonly nameIdFormat?: string
  readonly email?: string | undefined
  readonly groups?: readonly string[]
  readonly issuer?: string
  readonly audience?: string
  readonly recipient?: string
  readonly destination?: string
  readonly inResponseTo?: string | null
  readonly confirmedRequest?: string
  /** Milliseconds that the provider's clock is ahead. */
  readonly ahead?: number
  readonly status?: string
  readonly assertionId?: string
}

export const ADA = { nameId: 'ada-1', email: 'ada@acme.example', groups: ['staff'] }

export interface SigningForm {
  readonly element?: 'Assertion' | 'Response'
  readonly algorithm?: string
  readonly digest?: string
  readonly canonicalization?: string
}

const newXmlId = () => `_${randomBytes(16).toString('hex')}`
const attribute = (name: string, values: readonly string[]) =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`

export function createSamlProvider(entityId = 'https://id.example.com/saml', endsAt?: number) {
  const { key, cert } = selfSigned([], { rsa: 2048, ...(endsAt === undefined ? {} : { endsAt }) })

  function assertion(request: AuthnRequest, deviations: Deviations = {}): string {
    const { nameId = ADA.nameId, nameIdFormat, email = ADA.email, groups = ADA.groups, ahead = 0 } = deviations
    const { issuer = entityId, audience = request.issuer, recipient = request.address } = deviations
    const at = (minutes: number) => new Date(Date.now() + ahead + minutes * MINUTE).toISOString()
    const format = nameIdFormat === undefined ? '' : ` Format="${nameIdFormat}"`
    return (
      `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${deviations.assertionId ?? newXmlId()}" Version="2.0" IssueInstant="${at(0)}">` +
      `<saml:Issuer>${issuer}</saml:Issuer>` +
      `<saml:Subject><saml:NameID${format}>${nameId}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
      `<saml:SubjectConfirmationData InResponseTo="${deviations.confirmedRequest ?? request.id}" NotOnOrAfter="${at(5)}" Recipient="${recipient}"/>` +
      `</saml:SubjectConfirmation></saml:Subject>` +
      `<saml:Conditions NotBefore="${at(-1)}" NotOnOrAfter="${at(5)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
      `<saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
      `<saml:AttributeStatement>${attribute('email', [email])}${attribute('name', ['Ada'])}${attribute('groups', groups)}</saml:AttributeStatement>` +
      `</saml:Assertion>`
    )
  }

  function response(request: AuthnRequest, content: string, deviations: Deviations = {}): string {
    const { destination = request.address, inResponseTo = request.id, status = 'Success' } = deviations
    const answers = inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`
    return (
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${newXmlId()}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${destination}"${answers}>` +
      `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${deviations.issuer ?? entityId}</saml:Issuer>` +
      `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>` +
      `${content}</samlp:Response>`
    )
  }

  function sign(xml: string, form: SigningForm = {}): string {
    const { element = 'Assertion', algorithm = RSA_SHA256, canonicalization = EXCLUSIVE } = form
    const signer = new SignedXml({ privateKey: key, publicCert: cert, signatureAlgorithm: algorithm })
    signer.canonicalizationAlgorithm = EXCLUSIVE
    const xpath = `//*[local-name(.)='${element}']`
    signer.addReference({
      xpath,
      transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', canonicalization],
      digestAlgorithm: form.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    })
    signer.computeSignature(xml, {
      location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
      prefix: 'ds',
    })
    return signer.getSignedXml()
  }

  return {
    ...{ entityId, cert, assertion, response, sign },
    respond: (request: AuthnRequest, deviations: Deviations = {}, form: SigningForm = {}) =>
      sign(response(request, assertion(request, deviations), deviations), form),
  }
}
export type SamlPeer = ReturnType<typeof createSamlProvider>

/** The forms of signature wrapping as SAML Raider numbers them, each with `evil` where a careless reader looks for the assertion. */
export function wrappings(peer: SamlPeer, request: AuthnRequest): readonly string[] {
  const evil = peer.assertion(request, { nameId: 'evil', email: 'evil@acme.example' })
  const signed = peer.respond(request)
  const original = /<saml:Assertion.*<\/saml:Assertion>/s.exec(signed)?.[0] ?? ''
  const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(original)?.[0] ?? ''
  const bare = original.replace(signature, '')
  const id = / ID="([^"]+)"/.exec(bare)?.[1] ?? ''
  const wrap = (content: string) => peer.response(request, content)
  const inSignature = (content: string) => signature.replace('</ds:Signature>', `${content}</ds:Signature>`)
  const withSignature = (by: string) => evil.replace('</saml:Issuer>', `</saml:Issuer>${by}`)

  const whole = peer.sign(peer.response(request, peer.assertion(request)), { element: 'Response' })
  const wholeSignature = /<ds:Signature.*<\/ds:Signature>/s.exec(whole)?.[0] ?? ''
  const wholeBare = whole.replace(wholeSignature, '')
  const holding = wholeSignature.replace('</ds:Signature>', `${wholeBare}</ds:Signature>`)
  return [
    wrap(holding + evil),
    wrap(wholeBare + wholeSignature + evil),
    wrap(evil + original),
    wrap(evil.replace('</saml:Assertion>', `${original}</saml:Assertion>`)),
    wrap(withSignature(signature) + bare),
    wrap(withSignature(inSignature(bare))),
    wrap(`<samlp:Extensions>${evil.replace(/ ID="[^"]+"/, ` ID="${id}"`)}</samlp:Extensions>${original}`),
    wrap(withSignature(inSignature(`<ds:Object>${bare}</ds:Object>`))),
  ]
}
