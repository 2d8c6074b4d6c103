/**
 * What seals and opens secrets, and derives the keys for everything that is signed or looked up by keyed hash.
 *
 * AES-256-GCM with a fresh nonce for every value (NIST SP 800-38D) and the identity of the row as associated data, so that
 * a sealed value moved to another row does not open. Keys come from one root by HKDF (RFC 5869), one for each purpose.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'

const NONCE = 12
const TAG = 16
const FORMAT = 1

export interface Vault {
  /** Names the root key without telling it: a database remembers which one its values were sealed with. */
  readonly fingerprint: string
  seal(text: string, row: string): Buffer
  /** Throws when the value was sealed for another row, with another key, or changed. */
  open(sealed: Uint8Array, row: string): string
  /** Keyed hash of a secret that is looked up by equality (HMAC-SHA-256). */
  hash(text: string): Buffer
  sign(text: string, purpose: string): string
  verify(text: string, signature: string, purpose: string): boolean
  /** Ed25519 pairs for what others verify (RFC 8032), the newest first; each is the same for the same root key. */
  signingKeys(purpose: string): readonly { id: string; privateKey: KeyObject; publicKey: KeyObject }[]
}

/** An Ed25519 private key in PKCS #8 is this and its 32 bytes (RFC 8410, section 7). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function createVault(root: Buffer): Vault {
  if (root.length !== 32) throw new RangeError('the root key has 32 bytes')
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', root, '', `toolway ${purpose}`, 32))
  const sealing = derive('seal')
  const hashing = derive('hash')
  const signing = new Map<string, Buffer>()
  const signingKey = (purpose: string) => {
    const held = signing.get(purpose)
    if (held !== undefined) return held
    const key = derive(`sign ${purpose}`)
    signing.set(purpose, key)
    return key
  }
  const mac = (text: string, purpose: string) => createHmac('sha256', signingKey(purpose)).update(text).digest()

  return {
    fingerprint: createHash('sha256').update(derive('fingerprint')).digest('hex').slice(0, 32),
    seal(text, row) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(row))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([FORMAT]), nonce, body, cipher.getAuthTag()])
    },
    open(sealed, row) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== FORMAT || bytes.length < 1 + NONCE + TAG) throw new Error('this is not a sealed value')
      const nonce = bytes.subarray(1, 1 + NONCE)
      const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: TAG }).setAAD(Buffer.from(row))
      decipher.setAuthTag(bytes.subarray(-TAG))
      return decipher.update(bytes.subarray(1 + NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
    },
    hash: (text) => createHmac('sha256', hashing).update(text).digest(),
    sign: (text, purpose) => mac(text, purpose).toString('base64url'),
    verify(text, signature, purpose) {
      const expected = Buffer.from(mac(text, purpose).toString('base64url'))
      const given = Buffer.from(signature)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
    signingKeys(purpose) {
      const der = Buffer.concat([ED25519_PKCS8, derive(`ed25519 ${purpose}`)])
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
      const publicKey = createPublicKey(privateKey)
      const id = createHash('sha256')
        .update(publicKey.export({ format: 'der', type: 'spki' }))
        .digest('base64url')
      return [{ id: id.slice(0, 16), privateKey, publicKey }]
    },
  }
}
