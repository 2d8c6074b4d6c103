/**
 * Opens wrapped root keys at the key service, each once for the life of the process, and keeps a copy of the wrapped ones in the data
 * directory for commands that run without the database. Whether the service still lets this gateway open its key is looked at again
 * and again: while it does not, calls go on with the key in memory, and no new secret is taken.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../key-files.ts'
import { fingerprintOf, idOf, ROOT_LENGTH } from '../root.ts'
import { whenMissing } from '../root-key.ts'
import { KeyServiceFault, keyServiceFault, type KeyService } from './key-service.ts'
import { WrappedList, type WrappedKey } from './wrapped-rows.ts'

export const WRAPPED_FILE = 'vault.wrapped'

export interface WrappedKeysParts {
  readonly directory: string
  /** Made at the first key, because its library is loaded then. */
  service(): Promise<KeyService>
}

export interface OpenedKeys {
  readonly keys: readonly { readonly root: Buffer; readonly wrapped: WrappedKey }[]
  readonly failure?: KeyServiceFault
}

export interface WrappedKeys {
  open(wrapped: readonly WrappedKey[] | undefined): Promise<OpenedKeys>
  /** Throws KeyServiceFault. */
  wrap(root: Buffer): Promise<WrappedKey>
  /** Ask the service itself for a key that was opened before. Throws KeyServiceFault. */
  prove(): Promise<void>
}

export function createWrappedKeys({ directory, service }: WrappedKeysParts): WrappedKeys {
  const path = join(directory, WRAPPED_FILE)
  const opened = new Map<string, { root: Buffer; wrapped: WrappedKey }>()

  async function openOne(wrapped: WrappedKey): Promise<Buffer> {
    const at = await service()
    const root = await at.unwrap(Buffer.from(wrapped.wrapped, 'base64')).catch((thrown: unknown) => {
      throw keyServiceFault(at.name, thrown)
    })
    if (root.length !== ROOT_LENGTH || idOf(fingerprintOf(root)) !== wrapped.id)
      throw new KeyServiceFault(at.name, `returned a different key than ${wrapped.id}`)
    return root
  }

  async function readWrappedKeys(): Promise<readonly WrappedKey[]> {
    const text = await readFile(path, 'utf8').catch(whenMissing)
    return text === undefined ? [] : WrappedList.parse(JSON.parse(text))
  }

  async function keepCopy(wrapped: readonly WrappedKey[]): Promise<void> {
    const text = `${JSON.stringify(wrapped)}\n`
    if ((await readFile(path, 'utf8').catch(whenMissing)) === text) return
    if (wrapped.length > 0) await replaceFile(path, text)
  }

  return {
    async open(storedKeys) {
      const wrapped = storedKeys ?? (await readWrappedKeys())
      if (storedKeys !== undefined) await keepCopy(storedKeys)
      const keys: { root: Buffer; wrapped: WrappedKey }[] = []
      let failure: KeyServiceFault | undefined
      for (const item of wrapped) {
        try {
          const key = opened.get(item.id) ?? { root: await openOne(item), wrapped: item }
          opened.set(item.id, key)
          keys.push(key)
        } catch (thrown) {
          failure = keyServiceFault(item.service, thrown)
        }
      }
      return { keys, ...(failure === undefined ? {} : { failure }) }
    },
    async wrap(root) {
      const at = await service()
      const bytes = await at.wrap(root).catch((thrown: unknown) => {
        throw keyServiceFault(at.name, thrown)
      })
      const wrapped = { id: idOf(fingerprintOf(root)), service: at.name, wrapped: bytes.toString('base64') }
      // A key that does not come back would lose everything that is sealed with it.
      await openOne(wrapped)
      opened.set(wrapped.id, { root, wrapped })
      return wrapped
    },
    async prove() {
      const [newest] = opened.values()
      if (newest !== undefined) await openOne(newest.wrapped)
    },
  }
}
