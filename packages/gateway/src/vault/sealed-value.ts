/**
 * The format of a sealed value: AES-256-GCM with a fresh nonce for every value (NIST SP 800-38D) and the identity of the row as
 * associated data, so that a value moved to another row does not open.
 *
 * Format 2 is a version byte, the id of the root key (8 bytes), nonce (12), body, tag (16); the associated data are version and
 * id too. Format 1, which earlier versions wrote, names no key: every one is tried.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { KEY_ID_LENGTH_BYTES, type Root } from './root.ts'

const NONCE = 12
const TAG = 16
export const FORMAT = 2
const FORMAT_WITHOUT_ID = 1
const ALGORITHM = 'aes-256-gcm'

/** Returns the first bytes of every value that this key sealed. */
export const headOf = (id: string): Buffer => Buffer.concat([Buffer.from([FORMAT]), Buffer.from(id, 'hex')])

export function sealValue(root: Root, text: string, row: string): Buffer {
  const nonce = randomBytes(NONCE)
  const head = headOf(root.id)
  const cipher = createCipheriv(ALGORITHM, root.sealing, nonce).setAAD(Buffer.concat([head, Buffer.from(row)]))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([head, nonce, body, cipher.getAuthTag()])
}

/** It may open elsewhere, or once the key is given. */
export class MissingVaultKey extends Error {}

/** Throws when it was sealed for another row, with none of these keys, or was changed. */
export function openValue(roots: readonly Root[], sealed: Uint8Array, row: string): string {
  const bytes = Buffer.from(sealed)
  const headLength = bytes[0] === FORMAT ? 1 + KEY_ID_LENGTH_BYTES : bytes[0] === FORMAT_WITHOUT_ID ? 1 : undefined
  if (headLength === undefined || bytes.length < headLength + NONCE + TAG) throw new Error('this is not a sealed value')
  if (bytes[0] === FORMAT_WITHOUT_ID) return openWithAny(roots, bytes, row)
  const head = bytes.subarray(0, headLength)
  const id = head.toString('hex', 1)
  const root = roots.find((item) => item.id === id)
  if (root === undefined) throw new MissingVaultKey(`this was sealed with the vault key ${id}, which is not there`)
  return decipher(root, bytes.subarray(headLength), Buffer.concat([head, Buffer.from(row)]))
}

function openWithAny(roots: readonly Root[], bytes: Buffer, row: string): string {
  let failure: unknown
  for (const root of roots) {
    try {
      return decipher(root, bytes.subarray(1), Buffer.from(row))
    } catch (thrown) {
      failure = thrown
    }
  }
  throw failure
}

function decipher({ sealing }: Root, bytes: Buffer, associated: Buffer): string {
  const nonce = bytes.subarray(0, NONCE)
  const opened = createDecipheriv(ALGORITHM, sealing, nonce, { authTagLength: TAG }).setAAD(associated)
  opened.setAuthTag(bytes.subarray(-TAG))
  return opened.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + opened.final('utf8')
}

/** A text that nobody sealed: no sealed value is well-formed text without control characters. */
export function plainTextOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes[0] === FORMAT || bytes[0] === FORMAT_WITHOUT_ID) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Sealed by another program, which marks it so; nobody here has its key. */
export const FOREIGN = 'enc:'
