/** An assertion whose signature is good: who it is about, for whom it is, and until when. */
import { ASSERTION } from './saml-response.ts'
import { refuseSaml } from './saml-problems.ts'
import { attributeOf, childrenOf, parseXml, textIn, type Element } from './xml-tree.ts'

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** Clocks of both sides may differ by so much. */
export const SKEW_MS = 60_000

export interface Assertion {
  readonly id: string
  readonly issuer: string
  readonly nameId: string
  readonly nameIdFormat: string | undefined
  /** The values of each attribute. */
  readonly attributes: ReadonlyMap<string, readonly string[]>
  /** How the person signed in there, as the provider names it. */
  readonly context: string
  /** After that it is not taken. */
  readonly until: Date
}

/** The request that an assertion answers, and our address that it is sent to. */
export interface AssertionTarget {
  readonly requestId: string
  readonly address: string
}

/** @param text the bytes that are signed, and no others. Throws `login.provider` */
export function readAssertion(text: string, target: AssertionTarget): Assertion {
  const root = parseXml(text)
  const [subject] = childrenOf(root, ASSERTION, 'Subject')
  if (root.localName !== 'Assertion' || root.namespaceURI !== ASSERTION || subject === undefined)
    return refuseSaml('malformed')
  const [nameId, ...more] = childrenOf(subject, ASSERTION, 'NameID')
  const format = attributeOf(nameId, 'Format')
  const value = nameId?.textContent ?? ''
  if (value.trim() === '' || value.length > 500 || more.length > 0 || format === TRANSIENT) return refuseSaml('subject')
  return {
    id: attributeOf(root, 'ID') ?? '',
    issuer: textIn(childrenOf(root, ASSERTION, 'Issuer')[0]),
    nameId: value,
    nameIdFormat: format,
    attributes: attributesIn(root),
    context: contextIn(root),
    until: confirmedUntil(childrenOf(subject, ASSERTION, 'SubjectConfirmation'), target),
  }
}

function contextIn(assertion: Element): string {
  const [statement] = childrenOf(assertion, ASSERTION, 'AuthnStatement')
  const [context] = statement === undefined ? [] : childrenOf(statement, ASSERTION, 'AuthnContext')
  return textIn(context === undefined ? undefined : childrenOf(context, ASSERTION, 'AuthnContextClassRef')[0])
}

/** Whoever brings it is the subject, where one confirmation is for this address, this request and this time (SAML profiles, 4.1.4.3). */
function confirmedUntil(confirmations: readonly Element[], { requestId, address }: AssertionTarget): Date {
  const all = confirmations
    .filter((confirmation) => attributeOf(confirmation, 'Method') === BEARER)
    .flatMap((confirmation) => childrenOf(confirmation, ASSERTION, 'SubjectConfirmationData'))
  const here = all.filter((data) => attributeOf(data, 'Recipient') === address)
  if (here.length === 0) return refuseSaml('address')
  const asked = here.filter((data) => attributeOf(data, 'InResponseTo') === requestId)
  if (asked.length === 0) return refuseSaml('attempt')
  const now = Date.now()
  for (const data of asked) {
    const end = Date.parse(attributeOf(data, 'NotOnOrAfter') ?? '')
    const begin = Date.parse(attributeOf(data, 'NotBefore') ?? '1970-01-01T00:00:00Z')
    if (begin - SKEW_MS <= now && now < end + SKEW_MS) return new Date(end + SKEW_MS)
  }
  return refuseSaml('time')
}

/** Several elements may have one name. An attribute is found by its friendly name, too, unless another one has that name. */
function attributesIn(assertion: Element): ReadonlyMap<string, readonly string[]> {
  const [byName, byFriendlyName] = [new Map<string, string[]>(), new Map<string, string[]>()]
  const add = (map: Map<string, string[]>, name: string | undefined, values: readonly string[]) => {
    if (name !== undefined) map.set(name, [...(map.get(name) ?? []), ...values])
  }
  const elements = childrenOf(assertion, ASSERTION, 'AttributeStatement').flatMap((statement) =>
    childrenOf(statement, ASSERTION, 'Attribute'),
  )
  for (const element of elements) {
    const values = childrenOf(element, ASSERTION, 'AttributeValue').map(textIn)
    add(byName, attributeOf(element, 'Name'), values)
    add(byFriendlyName, attributeOf(element, 'FriendlyName'), values)
  }
  return new Map([...byFriendlyName, ...byName])
}
