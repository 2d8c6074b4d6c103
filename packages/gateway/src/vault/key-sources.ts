/**
 * The sources of root keys, in this order (ledger S2-ENC-02, U-04): keys that a key service wrapped, the keychain,
 * `MCP_ENCRYPTION_KEY`, `MCP_ENCRYPTION_KEY_PREVIOUS`, `JWT_SECRET`, the files of the data directory; and a new one, wrapped where
 * a key service is set and otherwise in a file.
 *
 * All keys found are returned, because an installation may be moving from one to another. The sealing key is not chosen here: the
 * database remembers it (`ring.ts`).
 */
import { randomBytes } from 'node:crypto'
import { addToRingFile, readKeyFiles, removeFromKeyFiles } from './key-files.ts'
import type { Keychain } from './keychain.ts'
import { createKeychainRoots } from './keychain-roots.ts'
import type { WrappedKeys } from './key-service/wrapped-keys.ts'
import type { WrappedKey } from './key-service/wrapped-rows.ts'
import { fingerprintOf, idOf, ROOT_LENGTH, rootFromSecret } from './root.ts'
import type { KeyServiceFault } from './key-service/key-service.ts'
import { loadRootKey, VAULT_FILE } from './root-key.ts'

export interface FoundKey {
  readonly id: string
  readonly fingerprint: string
  readonly root: Buffer
  readonly kind: 'service' | 'keychain' | 'environment' | 'file'
  /** For people: `MCP_ENCRYPTION_KEY`, `file vault.key`. */
  readonly source: string
  /** As the key service gave it back; the database keeps it. */
  readonly wrapped?: WrappedKey
}

export interface Found {
  /** In the order of the sources, each key once. */
  readonly keys: readonly FoundKey[]
  /** Messages of sources that gave no key. */
  readonly notes: readonly string[]
  /** The key service is needed for a key and did not open it. */
  readonly failure?: KeyServiceFault
}

export interface KeySettings {
  readonly MCP_ENCRYPTION_KEY?: string | undefined
  readonly MCP_ENCRYPTION_KEY_PREVIOUS?: readonly string[] | undefined
  readonly JWT_SECRET?: string | undefined
  readonly TOOLWAY_KEYCHAIN?: 'on' | 'off' | undefined
}

export interface KeySourceParts {
  readonly directory: string
  readonly settings: KeySettings
  readonly keychain: Keychain
  /** Undefined where no key service is set. */
  readonly wrappedKeys?: WrappedKeys | undefined
}

export interface KeySources {
  readonly directory: string
  /** @param wrapped the wrapped keys of the database; unsaid, the copy of them that the data directory has */
  find(wrapped?: readonly WrappedKey[]): Promise<Found>
  /** A new key where the data directory has none; of two processes that do it at once both get the same. */
  makeFirst(): Promise<FoundKey>
  /** A new key beside `current`, in the same source. Throws NoPlaceForKey for one that only its owner can write to. */
  makeNext(current: FoundKey): Promise<FoundKey>
  /** Remove a key from what is ours to write; what stands in the environment stays, and is told. */
  drop(id: string): Promise<readonly string[]>
  /** Move the keys with these ids into the keychain, and out of the files once they read back; undefined: it was done. */
  promote(ids: readonly string[]): Promise<string | undefined>
}

/** The key comes from a source that a program cannot write to; the sentence says what its owner sets. */
export class NoPlaceForKey extends Error {}

export function createKeySources({ directory, settings, keychain: place, wrappedKeys }: KeySourceParts): KeySources {
  const keychain = createKeychainRoots(directory, place)

  async function find(wrapped?: readonly WrappedKey[]): Promise<Found> {
    const { roots, note } = await keychain.read()
    const files = await readKeyFiles(directory)
    const opened = await wrappedKeys?.open(wrapped)
    const all = [
      ...(opened?.keys ?? []).map(({ root, wrapped: item }) => serviceKey(root, item)),
      ...roots.map((root) => foundKey(root, 'keychain', 'keychain')),
      ...environmentKeys(settings),
      ...files.map(({ root, file }) => foundKey(root, 'file', `file ${file}`)),
    ]
    const keys = all.filter(({ id }, at) => all.findIndex((key) => key.id === id) === at)
    const failure = opened?.failure
    const notes = [...(failure === undefined ? [] : [failure.message]), ...(note === undefined ? [] : [note])]
    return { keys, notes, ...(failure === undefined ? {} : { failure }) }
  }

  return {
    directory,
    find,
    makeFirst: async () =>
      wrappedKeys === undefined
        ? foundKey(await loadRootKey(directory), 'file', `file ${VAULT_FILE}`)
        : makeWrapped(wrappedKeys),
    async makeNext(current) {
      if (wrappedKeys !== undefined) return makeWrapped(wrappedKeys)
      if (current.kind === 'service') throw new NoPlaceForKey(NO_SERVICE)
      if (current.kind === 'environment') throw new NoPlaceForKey(nextByHand(current))
      const root = randomBytes(ROOT_LENGTH)
      if (current.kind === 'file') await addToRingFile(directory, root)
      else {
        const { roots, note, account } = await keychain.read()
        if (note !== undefined || account === undefined) throw new NoPlaceForKey(`No key can be added: ${note}.`)
        await keychain.write(account, [root, ...roots])
      }
      return foundKey(root, current.kind, current.source)
    },
    async drop(id) {
      const { roots, account } = await keychain.read()
      const rest = roots.filter((root) => idOf(fingerprintOf(root)) !== id)
      if (account !== undefined && rest.length < roots.length && rest.length > 0) await keychain.write(account, rest)
      const files = (await readKeyFiles(directory)).filter(({ root }) => idOf(fingerprintOf(root)) === id)
      await removeFromKeyFiles(
        directory,
        files.map(({ root }) => root),
      )
      return environmentKeys(settings).flatMap((key) => (key.id === id ? [key.source] : []))
    },
    async promote(ids) {
      const { keys } = await find()
      const chosen = ids.flatMap((id) => keys.find((key) => key.id === id) ?? [])
      const isDone = chosen.every(({ kind }) => kind === 'keychain')
      const problem = await keychain.fill(isDone ? undefined : chosen.map(({ root }) => root))
      if (problem !== undefined) return problem
      await removeFromKeyFiles(
        directory,
        chosen.map(({ root }) => root),
      )
      return undefined
    },
  }
}

function environmentKeys({ MCP_ENCRYPTION_KEY: key, ...settings }: KeySettings): FoundKey[] {
  const { MCP_ENCRYPTION_KEY_PREVIOUS: previous = [], JWT_SECRET: secret } = settings
  return [
    ...(key === undefined ? [] : [environmentKey(Buffer.from(key, 'hex'), 'MCP_ENCRYPTION_KEY')]),
    ...previous.map((value) => environmentKey(Buffer.from(value, 'hex'), 'MCP_ENCRYPTION_KEY_PREVIOUS')),
    ...(secret === undefined ? [] : [environmentKey(rootFromSecret(secret), 'JWT_SECRET')]),
  ]
}

async function makeWrapped(wrappedKeys: WrappedKeys): Promise<FoundKey> {
  const root = randomBytes(ROOT_LENGTH)
  return serviceKey(root, await wrappedKeys.wrap(root))
}

const serviceKey = (root: Buffer, wrapped: WrappedKey): FoundKey => ({
  ...foundKey(root, 'service', wrapped.service),
  wrapped,
})

const environmentKey = (root: Buffer, source: string) => foundKey(root, 'environment', source)

function foundKey(root: Buffer, kind: FoundKey['kind'], source: string): FoundKey {
  const fingerprint = fingerprintOf(root)
  return { id: idOf(fingerprint), fingerprint, root, kind, source }
}

const NO_SERVICE =
  'The vault key is wrapped by a key service, but none is set here: set TOOLWAY_KEY_SERVICE to the value that the gateways use, then run this again.'

const nextByHand = ({ source }: FoundKey): string =>
  source === 'JWT_SECRET'
    ? 'The vault key is derived from JWT_SECRET, which only you can set: give every gateway an MCP_ENCRYPTION_KEY of 64 new hex digits (`openssl rand -hex 32`) in addition, restart them, then run this again.'
    : 'The vault key is set in the environment, which only you can change: give every gateway 64 new hex digits (`openssl rand -hex 32`) as MCP_ENCRYPTION_KEY and the old value as MCP_ENCRYPTION_KEY_PREVIOUS, restart them, then run this again.'
