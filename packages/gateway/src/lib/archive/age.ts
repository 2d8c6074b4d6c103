/**
 * Encryption of whole files in the age format (age-encryption.org/v1): a passphrase (scrypt), or the public keys of those who may
 * read it. The content is authenticated in chunks, in their order, with a mark at its end, so that nothing can be changed, left out
 * or cut off unnoticed. The `age` command opens it too.
 */
import { ReadableStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'

export type Lock = { readonly passphrase: string } | { readonly recipients: readonly string[] }
export type Opener = { readonly passphrase: string } | { readonly identities: readonly string[] }

/** The file is encrypted for others, or with another passphrase. */
export class WrongOpener extends Error {}
/** The bytes are no encrypted file, or were changed or cut off. */
export class BrokenCipher extends Error {}
/** A text in the place of a public or private key is none. */
export class NoAgeKey extends Error {}

export async function* encryptStream(source: AsyncIterable<Uint8Array>, lock: Lock): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter()
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase)
  else
    for (const recipient of lock.recipients) addAgeKey(() => encrypter.addRecipient(recipient), 'a recipient (age1…)')
  yield* await encrypter.encrypt(streamOf(source))
}

export async function* decryptStream(source: AsyncIterable<Uint8Array>, opener: Opener): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter()
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase)
  else
    for (const identity of opener.identities)
      addAgeKey(() => decrypter.addIdentity(identity), 'an identity (AGE-SECRET-KEY-1…)')
  let failure: Error | undefined
  const watchedSource = async function* () {
    try {
      yield* source
    } catch (thrown) {
      failure = thrown as Error
      throw thrown
    }
  }
  try {
    yield* await decrypter.decrypt(streamOf(watchedSource()))
  } catch (thrown) {
    if (failure !== undefined) throw failure
    const words = thrown instanceof Error ? thrown.message : String(thrown)
    if (/no identity matched/.test(words)) throw new WrongOpener(words, { cause: thrown })
    throw new BrokenCipher(words, { cause: thrown })
  }
}

function addAgeKey(add: () => void, what: string): void {
  try {
    add()
  } catch (cause) {
    throw new NoAgeKey(`This is not ${what}.`, { cause })
  }
}

/** The library takes the type of browsers, and Node's own is the same. */
const streamOf = (source: AsyncIterable<Uint8Array>) =>
  ReadableStream.from(source) as unknown as globalThis.ReadableStream<Uint8Array<ArrayBuffer>>
