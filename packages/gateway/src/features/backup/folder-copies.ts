/** Complete contents of a folder store as they are, sealed: read for a backup, and put in place by a restore. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const KEY = /^[\w-]{1,64}\/[\w-]{1,64}$/
export const isStorageKey = (key: string): boolean => KEY.test(key)

export interface OpenedContent extends AsyncDisposable {
  readonly size: number
  content(): AsyncIterable<Buffer>
}

/** Undefined where it is gone. What is removed after this call can be read to its end. */
export async function openContent(folder: string, key: string): Promise<OpenedContent | undefined> {
  if (!isStorageKey(key)) return undefined
  const file = await open(join(folder, key), 'r').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw thrown
  })
  if (file === undefined) return undefined
  const { size } = await file.stat()
  return {
    size,
    content: () => file.createReadStream({ start: 0, autoClose: false, ...(size > 0 && { end: size - 1 }) }),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

/** Appears under its name when all of it is on disk. */
export async function placeContent(folder: string, key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  if (!isStorageKey(key)) throw new TypeError('this is not a key of stored content')
  const path = join(folder, key)
  const beside = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await pipeline(content, createWriteStream(beside, { mode: 0o600, flags: 'wx', flush: true }))
    await rename(beside, path)
  } finally {
    await rm(beside, { force: true })
  }
}
