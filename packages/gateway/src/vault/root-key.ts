/** Where the root key lives: a file of 64 hex digits in the data directory, readable by its owner only, made on first use. */
import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const VAULT_FILE = 'vault.key'
const FORM = /^[0-9a-f]{64}$/

export async function loadRootKey(directory: string): Promise<Buffer> {
  const path = join(directory, VAULT_FILE)
  const stored = await readFile(path, 'utf8').catch(whenMissing)
  if (stored === undefined) return makeRootKey(path)
  if (!FORM.test(stored.trim()))
    throw new Error(
      `${path} does not contain 64 hex digits: restore the right key, or move the data directory away to start with an empty one.`,
    )
  return Buffer.from(stored.trim(), 'hex')
}

/** Written beside and linked into place: of two processes that start at once, both read the one that won. */
async function makeRootKey(path: string): Promise<Buffer> {
  // Process ids repeat across containers that share a directory, so the name is random.
  const beside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(beside, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await link(beside, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(beside, { force: true })
  }
  return Buffer.from((await readFile(path, 'utf8')).trim(), 'hex')
}

/** Of a file that need not be there. */
export function whenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
