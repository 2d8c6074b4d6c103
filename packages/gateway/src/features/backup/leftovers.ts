/**
 * The file that a backup is written to before it has its name, and what remains of it where the process was killed. Only files that
 * nothing has been written to for an hour are removed, and only those that begin as an encrypted backup does: another process may be
 * writing one, here or on another machine.
 */
import { randomUUID } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const UNFINISHED = /^\..+\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const AGE_HEADER = 'age-encryption.org/v1\n'
const HOUR_MS = 3_600_000

export const unfinishedName = (file: string): string => join(dirname(file), `.${basename(file)}.${randomUUID()}`)

/** Names of the files that were removed. */
export async function removeLeftovers(folder: string, now: Date): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => UNFINISHED.test(name)).toSorted()
  const removed: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    if (!(await isLeftover(path, now).catch(() => false))) continue
    await rm(path, { force: true })
    removed.push(name)
  }
  return removed
}

async function isLeftover(path: string, now: Date): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { mtimeMs } = await file.stat()
    if (mtimeMs > now.getTime() - HOUR_MS) return false
    const { buffer } = await file.read(Buffer.alloc(AGE_HEADER.length), 0, AGE_HEADER.length, 0)
    return buffer.toString() === AGE_HEADER
  } finally {
    await file.close()
  }
}
