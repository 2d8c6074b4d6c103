/**
 * The vault seals and opens secrets, and derives the keys for all signatures and keyed look-up hashes.
 *
 * It holds a ring of root keys: the first seals and signs, all of them open and verify. The hash that keys are looked up by stays
 * the same whichever of them is first, because its key is stored separately. The ring may be changed while it is in use.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createRoot, firstHashRoot, type Root, type SigningPair } from './root.ts'
import { openValue, sealValue } from './sealed-value.ts'

export interface Vault {
  /** Names the root key that seals, without telling it: a database remembers which ones its values were sealed with. */
  readonly fingerprint: string
  /** The ids of all root keys, the one that seals first. */
  readonly keyIds: readonly string[]
  seal(text: string, row: string): Buffer
  /** Throws when the value was sealed for another row, with a key that is not there, or changed. */
  open(sealed: Uint8Array, row: string): string
  /** Keyed hash of a secret that is looked up by equality (HMAC-SHA-256). */
  hash(text: string): Buffer
  sign(text: string, purpose: string): string
  verify(text: string, signature: string, purpose: string): boolean
  /** Ed25519 pairs for what others verify (RFC 8032), the one that signs first; the same list until the ring turns. */
  signingKeys(purpose: string): readonly SigningPair[]
}

export interface Ring {
  /** The one that seals first. */
  readonly roots: readonly Buffer[]
  /** The key of look-up hashes; absent where there has never been more than one root key. */
  readonly hashRoot?: Buffer
}

export interface TurningVault extends Vault {
  /** Take another ring from now on. */
  turn(ring: Ring): void
}

export function createVault(first: Buffer | Ring): TurningVault {
  let keys = holdRing(Buffer.isBuffer(first) ? { roots: [first] } : first)
  return {
    get fingerprint() {
      return keys.newest.fingerprint
    },
    get keyIds() {
      return keys.roots.map(({ id }) => id)
    },
    seal: (text, row) => sealValue(keys.newest, text, row),
    open: (sealed, row) => openValue(keys.roots, sealed, row),
    hash: (text) => createHmac('sha256', keys.hashRoot).update(text).digest(),
    sign: (text, purpose) => keys.newest.mac(text, purpose).toString('base64url'),
    verify(text, signature, purpose) {
      const mac = Buffer.from(signature)
      return keys.roots.some((root) => isMac(root, text, purpose, mac))
    },
    signingKeys(purpose) {
      const made = keys.pairs.get(purpose) ?? keys.roots.map((root) => root.signingPair(purpose))
      keys.pairs.set(purpose, made)
      return made
    },
    turn(ring) {
      keys = holdRing(ring)
    },
  }
}

function holdRing({ roots: bytes, hashRoot }: Ring) {
  const roots = bytes.map(createRoot)
  const [newest] = roots
  const [newestBytes] = bytes
  if (newest === undefined || newestBytes === undefined) throw new RangeError('a vault needs a root key')
  const pairs = new Map<string, readonly SigningPair[]>()
  return { roots, newest, pairs, hashRoot: hashRoot ?? firstHashRoot(newestBytes) }
}

function isMac(root: Root, text: string, purpose: string, mac: Buffer): boolean {
  const expected = Buffer.from(root.mac(text, purpose).toString('base64url'))
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
