/** The metadata of a SAML provider, as its administrators paste it: its entity id, the address of its sign-in and its certificates. */
import { X509Certificate } from 'node:crypto'
import { SIGNATURE } from './saml-response.ts'
import { attributeOf, childrenOf, everyElement, parseXml, textIn, type Element } from './xml-tree.ts'

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const MOST_CERTIFICATES = 4

export interface SamlMetadata {
  readonly entity_id: string
  readonly sso_url: string
  readonly certificates: string[]
}

/** Throws an error that says what the metadata lack. */
export function readSamlMetadata(text: string): SamlMetadata {
  const root = parseXml(text)
  const providers = everyElement(root).filter(
    ({ localName, namespaceURI }) => localName === 'IDPSSODescriptor' && namespaceURI === METADATA,
  )
  const [provider, ...more] = providers
  if (provider === undefined) throw new Error('they describe no identity provider')
  if (more.length > 0) throw new Error('they describe more than one identity provider')
  const services = childrenOf(provider, METADATA, 'SingleSignOnService')
  const address = services.find((service) => attributeOf(service, 'Binding') === REDIRECT)
  if (address === undefined) throw new Error('they have no sign-in address for the binding HTTP-Redirect')
  const certificates = certificatesIn(provider)
  if (certificates.length === 0) throw new Error('they have no signing certificate')
  return {
    entity_id: attributeOf(provider.parentNode as Element, 'entityID') ?? '',
    sso_url: attributeOf(address, 'Location') ?? '',
    certificates,
  }
}

/** Of several certificates, those that are valid for the longest time. */
function certificatesIn(provider: Element): string[] {
  const texts = childrenOf(provider, METADATA, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => everyElement(key))
    .filter(({ localName, namespaceURI }) => localName === 'X509Certificate' && namespaceURI === SIGNATURE)
    .map((element) => textIn(element).replaceAll(/\s+/g, ''))
  return [...new Set(texts)]
    .map((base64) => new X509Certificate(Buffer.from(base64, 'base64')))
    .toSorted((a, b) => b.validToDate.getTime() - a.validToDate.getTime())
    .slice(0, MOST_CERTIFICATES)
    .map((certificate) => certificate.toString().trim())
}

/** Why a certificate cannot be used, or undefined. Signatures are made with RSA. */
export function certificateProblem(pem: string): string | undefined {
  try {
    const { publicKey } = new X509Certificate(pem)
    const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0
    if (publicKey.asymmetricKeyType === 'rsa' && bits >= 2048) return undefined
    return 'needs an RSA key of at least 2048 bits'
  } catch {
    return 'is not a certificate in PEM form'
  }
}

/** The end of the certificate that expires first; undefined where none can be read. */
export function firstExpiryOf(certificates: readonly string[]): Date | undefined {
  const ends = certificates.flatMap((pem) =>
    certificateProblem(pem) === undefined ? [new X509Certificate(pem).validToDate.getTime()] : [],
  )
  return ends.length === 0 ? undefined : new Date(Math.min(...ends))
}
