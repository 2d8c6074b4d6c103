/**
 * The root keys of one data directory that stand in the keychain of the machine. The directory says under which name; without it,
 * none of its keys is there.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { keysOfText, replaceFile, textOfKeys } from './key-files.ts'
import type { Keychain } from './keychain.ts'
import { whenMissing } from './root-key.ts'

interface KeychainRoots {
  readonly roots: readonly Buffer[]
  /** Their name in the keychain. */
  readonly account: string | undefined
  /** Why there are none although there should be. */
  readonly note?: string
}

/** Says that this directory's keys are in the keychain, and under which name. */
export const KEYCHAIN_FILE = 'vault.keychain'

export function createKeychainRoots(directory: string, keychain: Keychain) {
  const marker = join(directory, KEYCHAIN_FILE)
  const readAccount = async () => (await readFile(marker, 'utf8').catch(whenMissing))?.trim()

  async function read(): Promise<KeychainRoots> {
    const account = await readAccount()
    if (account === undefined) return { roots: [], account }
    try {
      const text = await keychain.read(account)
      const roots = text === undefined ? undefined : keysOfText(text)
      if (roots !== undefined) return { roots, account }
      return { roots: [], account, note: `the keychain contains no key with the name ${account}` }
    } catch (thrown) {
      return { roots: [], account, note: `the keychain cannot be read (${wordsOf(thrown)})` }
    }
  }

  async function write(account: string, roots: readonly Buffer[]): Promise<void> {
    const text = textOfKeys(roots)
    await keychain.write(account, text)
    if ((await keychain.read(account)) !== text) throw new Error('it does not return what was stored')
  }

  return {
    read,
    /** Throws where the keychain does not return what it was given. */
    write,
    /** Stores these keys in place of those that are there, or unsaid only the name. The sentence says why it could not. */
    async fill(roots: readonly Buffer[] | undefined): Promise<string | undefined> {
      const before = await readAccount()
      const account = before ?? randomBytes(8).toString('hex')
      try {
        // The name is written down first: a key in the keychain that nobody can name would stay there for ever.
        if (before === undefined) await replaceFile(marker, `${account}\n`)
        if (roots !== undefined) await write(account, roots)
        return undefined
      } catch (thrown) {
        if (before === undefined) await rm(marker, { force: true })
        return wordsOf(thrown)
      }
    },
  }
}

const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
