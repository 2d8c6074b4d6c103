/**
 * One root key, and what is derived of it: its name, what seals, what signs. Keys are made by HKDF (RFC 5869), one for each
 * purpose, so that none tells the root or another.
 */
import { createHash, createHmac, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'

export const ROOT_LENGTH = 32
/** Bytes of a sealed value that name its root key. */
export const KEY_ID_LENGTH_BYTES = 8

export interface SigningPair {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export interface Root {
  /** Names the key without telling it. */
  readonly fingerprint: string
  /** The beginning of the fingerprint, as sealed values carry it. */
  readonly id: string
  readonly sealing: Buffer
  /** HMAC-SHA-256 under a key of that purpose. */
  mac(text: string, purpose: string): Buffer
  signingPair(purpose: string): SigningPair
}

const deriveFrom = (root: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', root, '', `toolway ${purpose}`, ROOT_LENGTH))

export const fingerprintOf = (root: Buffer): string =>
  createHash('sha256').update(deriveFrom(root, 'fingerprint')).digest('hex').slice(0, 32)

export const idOf = (fingerprint: string): string => fingerprint.slice(0, KEY_ID_LENGTH_BYTES * 2)

/** Derives the key of look-up hashes in an installation that has had one root key only. */
export const firstHashRoot = (root: Buffer): Buffer => deriveFrom(root, 'hash')

/** From a secret that is no key yet to one (RFC 5869); what it was made for elsewhere is made by other means. */
export const rootFromSecret = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'toolway root key', ROOT_LENGTH))

/** An Ed25519 private key in PKCS #8 is this and its 32 bytes (RFC 8410, section 7). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function createRoot(bytes: Buffer): Root {
  if (bytes.length !== ROOT_LENGTH) throw new RangeError('the root key has 32 bytes')
  const fingerprint = fingerprintOf(bytes)
  const macKey = memoizeByPurpose((purpose) => deriveFrom(bytes, `sign ${purpose}`))
  return {
    fingerprint,
    id: idOf(fingerprint),
    sealing: deriveFrom(bytes, 'seal'),
    mac: (text, purpose) => createHmac('sha256', macKey(purpose)).update(text).digest(),
    signingPair: memoizeByPurpose((purpose) => pairFrom(deriveFrom(bytes, `ed25519 ${purpose}`))),
  }
}

function pairFrom(seed: Buffer): SigningPair {
  const privateKey = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const digest = createHash('sha256').update(publicKey.export({ format: 'der', type: 'spki' }))
  return { id: digest.digest('base64url').slice(0, 16), privateKey, publicKey }
}

/** Purposes are words of the code, so there are few. */
function memoizeByPurpose<Value>(make: (purpose: string) => Value): (purpose: string) => Value {
  const made = new Map<string, Value>()
  return (purpose) => {
    const known = made.get(purpose)
    if (known !== undefined) return known
    const value = make(purpose)
    made.set(purpose, value)
    return value
  }
}
