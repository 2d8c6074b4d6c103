/**
 * The form of a SAML response, judged before any signature is: one assertion and its signature where they belong and nothing beside them, so
 * that no two readers see another assertion in it (the eight forms of signature wrapping of Somorovsky et al., USENIX Security 2012).
 */
import { Fault } from '@toolway/contract'
import { attributeOf, childrenOf, everyElement, parseXml, textIn, type Element } from './xml-tree.ts'
import { refuseSaml, SAML_PROBLEMS } from './saml-problems.ts'

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

/** Names that mean something to a reader of signatures are of one namespace alone. */
const NAMESPACES: Readonly<Record<string, string>> = {
  ...{ Response: PROTOCOL, Assertion: ASSERTION, EncryptedAssertion: ASSERTION, Subject: ASSERTION, NameID: ASSERTION },
  ...{ Signature: SIGNATURE, SignedInfo: SIGNATURE, SignatureValue: SIGNATURE, SignatureMethod: SIGNATURE },
  ...{ Reference: SIGNATURE, DigestMethod: SIGNATURE, DigestValue: SIGNATURE, Transforms: SIGNATURE },
  ...{ Transform: SIGNATURE, CanonicalizationMethod: SIGNATURE, KeyInfo: SIGNATURE, Object: SIGNATURE },
}

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  CanonicalizationMethod: [EXCLUSIVE, INCLUSIVE],
  Transform: [`${SIGNATURE}enveloped-signature`, EXCLUSIVE, INCLUSIVE],
}

export interface SamlResponse {
  readonly inResponseTo: string | undefined
  readonly destination: string | undefined
  /** Undefined where the response names none; the assertion always does. */
  readonly issuer: string | undefined
  /** Whether the response is signed itself, besides its assertion. */
  readonly signed: boolean
}

/** The XML in the field of a form. Throws `login.provider`. */
export function responseTextOf(field: string | null | undefined): string {
  const base64 = (field ?? '').replaceAll(/\s+/g, '')
  if (base64 === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return refuseSaml('malformed')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch (thrown) {
    return refuseSaml('malformed', thrown)
  }
}

/** Throws `login.provider`. Nothing that it returns is proven yet. */
export function readResponse(text: string): SamlResponse {
  // No provider writes any of it: comments split names in two for some readers, and document types bring entities.
  if (text.includes('<!') || /<\?(?!xml\s)/.test(text)) return refuseSaml('markup')
  const response = rootOf(text)
  const all = everyElement(response)
  if (response.localName !== 'Response' || all.some(isOfOtherNamespace)) return refuseSaml('malformed')
  refuseStatus(response)
  if (attributeOf(response, 'InResponseTo') === undefined) return refuseSaml('unasked')
  const assertion = assertionIn(response, all)
  refuseSignatures(response, assertion, all)
  const issuers = childrenOf(response, ASSERTION, 'Issuer')
  if (issuers.length > 1) return refuseSaml('structure')
  return {
    inResponseTo: attributeOf(response, 'InResponseTo'),
    destination: attributeOf(response, 'Destination'),
    issuer: issuers[0] === undefined ? undefined : textIn(issuers[0]),
    signed: childrenOf(response, SIGNATURE, 'Signature').length > 0,
  }
}

/** The fault of a response that a provider has sent of its own accord; undefined for every other. */
export function refusalOfUnasked(fields: URLSearchParams): Fault | undefined {
  try {
    readResponse(responseTextOf(fields.get('SAMLResponse')))
    return undefined
  } catch (thrown) {
    const fault = Fault.of(thrown)
    return fault.facts['problem'] === SAML_PROBLEMS.unasked ? fault : undefined
  }
}

function rootOf(text: string): Element {
  try {
    return parseXml(text)
  } catch (thrown) {
    return refuseSaml('malformed', thrown)
  }
}

function isOfOtherNamespace({ localName, namespaceURI }: Element): boolean {
  const name = localName ?? ''
  return Object.hasOwn(NAMESPACES, name) && NAMESPACES[name] !== namespaceURI
}

function refuseStatus(response: Element): void {
  const [status, ...more] = childrenOf(response, PROTOCOL, 'Status')
  const code = status === undefined ? undefined : childrenOf(status, PROTOCOL, 'StatusCode')[0]
  if (more.length > 0 || code === undefined) return refuseSaml('malformed')
  if (attributeOf(code, 'Value') !== 'urn:oasis:names:tc:SAML:2.0:status:Success') return refuseSaml('status')
}

/** The only assertion of the document, which is a child of the response. */
function assertionIn(response: Element, all: readonly Element[]): Element {
  if (all.some(({ localName }) => localName === 'EncryptedAssertion')) return refuseSaml('encrypted')
  const [assertion, ...others] = all.filter(({ localName }) => localName === 'Assertion')
  if (assertion === undefined) return refuseSaml('malformed')
  const responses = all.filter(({ localName }) => localName === 'Response')
  if (others.length > 0 || responses.length > 1 || assertion.parentNode !== response) return refuseSaml('structure')
  return assertion
}

/** The assertion is signed; the response may be. Each signature is of the element that it is in, and no element has the id of another. */
function refuseSignatures(response: Element, assertion: Element, all: readonly Element[]): void {
  const signatures = all.filter(({ localName }) => localName === 'Signature')
  if (!signatures.some(({ parentNode }) => parentNode === assertion))
    return refuseSaml(signatures.every(({ parentNode }) => parentNode === response) ? 'unsigned' : 'structure')
  const parents = signatures.map(({ parentNode }) => parentNode)
  if (parents.some((parent) => parent !== assertion && parent !== response)) return refuseSaml('structure')
  if (new Set(parents).size < parents.length) return refuseSaml('structure')
  const ids = all.flatMap((element) => ['ID', 'Id', 'id', 'xml:id'].flatMap((name) => attributeOf(element, name) ?? []))
  if (new Set(ids).size < ids.length || all.some(({ localName }) => localName === 'Object'))
    return refuseSaml('structure')
  for (const element of all) {
    const allowed = ALGORITHMS[element.localName ?? '']
    if (allowed?.includes(attributeOf(element, 'Algorithm') ?? '') === false) return refuseSaml('algorithm')
  }
  if (!signatures.every(refersToItsParent)) return refuseSaml('structure')
}

function refersToItsParent(signature: Element): boolean {
  const infos = childrenOf(signature, SIGNATURE, 'SignedInfo')
  const references = infos.flatMap((info) => childrenOf(info, SIGNATURE, 'Reference'))
  const id = attributeOf(signature.parentNode as Element, 'ID') ?? ''
  return infos.length === 1 && references.length === 1 && id !== '' && attributeOf(references[0], 'URI') === `#${id}`
}
