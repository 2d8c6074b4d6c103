/**
 * Root keys in files of the data directory: `vault.keys` (a ring, one key a line, the newest first), `vault.key` (the first
 * one), `.mcp-key` (that of an installation that was taken over). Each key is 64 hex digits; only the owner may read them.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VAULT_FILE, whenMissing } from './root-key.ts'

export const RING_FILE = 'vault.keys'
export const KEY_FILES = [RING_FILE, VAULT_FILE, '.mcp-key'] as const
const FORM = /^[0-9a-f]{64}$/

export interface KeyInFile {
  readonly root: Buffer
  readonly file: string
}

/** Keys as texts keep them: one a line, the newest first. Undefined when a line is none. */
export function keysOfText(text: string): Buffer[] | undefined {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  return lines.length > 0 && lines.every((line) => FORM.test(line)) ? lines.map(fromHex) : undefined
}
export const textOfKeys = (roots: readonly Buffer[]): string =>
  roots.map((root) => `${root.toString('hex')}\n`).join('')
const fromHex = (text: string) => Buffer.from(text, 'hex')

export async function readKeyFiles(directory: string): Promise<KeyInFile[]> {
  const found: KeyInFile[] = []
  for (const file of KEY_FILES) {
    const path = join(directory, file)
    const text = await readFile(path, 'utf8').catch(whenMissing)
    if (text === undefined) continue
    const roots = keysOfText(text)
    if (roots === undefined || (file !== RING_FILE && roots.length > 1))
      throw new Error(
        `${path} does not contain 64 hex digits: restore the right key, or move the data directory away to start with an empty one.`,
      )
    found.push(...roots.map((root) => ({ root, file })))
  }
  return found
}

/** Adds a key at the front of the ring. The file is written beside and moved into place, so that half a file is never read. */
export async function addToRingFile(directory: string, root: Buffer): Promise<void> {
  const files = (await readKeyFiles(directory)).filter(({ file }) => file === RING_FILE)
  await replaceFile(join(directory, RING_FILE), textOfKeys([root, ...files.map((file) => file.root)]))
}

/** Take a key out of every file that holds it; a file that then holds none is removed. */
export async function removeFromKeyFiles(directory: string, roots: readonly Buffer[]): Promise<void> {
  const keyFiles = await readKeyFiles(directory)
  const isGone = ({ root }: KeyInFile) => roots.some((gone) => gone.equals(root))
  for (const file of new Set(keyFiles.filter(isGone).map((keyInFile) => keyInFile.file))) {
    const rest = keyFiles.filter((keyInFile) => keyInFile.file === file && !isGone(keyInFile)).map(({ root }) => root)
    if (rest.length === 0) await rm(join(directory, file), { force: true })
    else await replaceFile(join(directory, file), textOfKeys(rest))
  }
}

/** Only its owner may read it, and it is there whole or not at all. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(beside, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(beside, path)
  } finally {
    await rm(beside, { force: true })
  }
}
