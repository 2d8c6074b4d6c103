/**
 * Content in a folder: `<organization>/<file>`, while it is written `<file>.part` and `<file>.tail`. A file appears under its name by
 * renaming, when all of it is on disk.
 */
import { randomUUID } from 'node:crypto'
import {
  access,
  constants,
  mkdir,
  open,
  opendir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SEALED_FRAME } from '../content/frames.ts'
import { storeFault, type Blobs, type Draft, type Resumed } from './blobs.ts'

const PRIVATE = { directory: 0o700, file: 0o600 }
const KEY = /^[\w-]{1,64}\/[\w-]{1,64}$/

export function createFolderBlobs(folder: string): Blobs {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new TypeError('this is not a key of stored content')
    return join(folder, key)
  }
  return {
    where: folder,
    begin: (key) => faulty(async () => (await openDraft(pathOf(key), 0)).draft),
    resume: (key) =>
      faulty(async () => {
        const path = pathOf(key)
        if ((await sizeOf(path)) !== undefined) return undefined
        const frames = Math.floor(((await sizeOf(`${path}.part`)) ?? 0) / SEALED_FRAME)
        return openDraft(path, frames)
      }),
    read: (key, start, end, signal) => readRange(pathOf(key), start, end, signal),
    remove: (key) =>
      faulty(async () => {
        const path = pathOf(key)
        for (const name of ['', '.part', '.tail', '.tail.new']) await rm(`${path}${name}`, { force: true })
      }),
    keys: () => listKeys(folder),
    look: () => faulty(() => probe(folder)),
    glance: () => faulty(() => glanceAt(folder)),
  }
}

/** A folder that is missing is made when it is first used. */
async function glanceAt(folder: string): Promise<void> {
  const found = await stat(folder).catch(unlessMissing)
  if (found === undefined) return
  if (!found.isDirectory()) throw Object.assign(new Error(`${folder} is a file`), { code: 'ENOTDIR' })
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
}

const faulty = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (thrown) {
    throw storeFault(thrown)
  }
}

const isMissing = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code === 'ENOENT'
const unlessMissing = (thrown: unknown): undefined => {
  if (isMissing(thrown)) return undefined
  throw thrown
}
const sizeOf = (path: string) => stat(path).then(({ size }) => size, unlessMissing)

/** The tail stands behind a number: that of the frame whose beginning it is. */
const NUMBER = 8

async function openDraft(path: string, frames: number): Promise<Resumed> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE.directory })
  const file = await open(`${path}.part`, frames === 0 ? 'w' : 'r+', PRIVATE.file)
  try {
    // Half a frame is what a killed process left of its last write.
    await file.truncate(frames * SEALED_FRAME)
    const tail = await readTail(`${path}.tail`, frames)
    return { draft: draftAt(path, file, frames), frames, tail }
  } catch (thrown) {
    await file.close()
    throw thrown
  }
}

async function readTail(path: string, frames: number): Promise<Buffer | undefined> {
  const bytes = await readFile(path).catch(unlessMissing)
  if (bytes === undefined || bytes.length < NUMBER || bytes.readBigUInt64BE(0) !== BigInt(frames)) return undefined
  return bytes.subarray(NUMBER)
}

function draftAt(path: string, file: FileHandle, begin: number): Draft {
  let at = begin * SEALED_FRAME
  let open = true
  const write = async (bytes: Buffer) => {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
      done += bytesWritten
    }
    at += bytes.length
  }
  const close = async () => {
    if (!open) return
    open = false
    await file.close()
  }
  return {
    append: (frame) => faulty(() => write(frame)),
    save: (tail) =>
      faulty(async () => {
        await file.sync()
        if (tail === undefined) return rm(`${path}.tail`, { force: true })
        const number = Buffer.alloc(NUMBER)
        number.writeBigUInt64BE(BigInt(at / SEALED_FRAME))
        await replace(`${path}.tail`, Buffer.concat([number, tail]))
      }),
    complete: (last) =>
      faulty(async () => {
        await write(last)
        await file.sync()
        await close()
        await rename(`${path}.part`, path)
        await syncFolder(dirname(path))
        await rm(`${path}.tail`, { force: true })
      }),
    close: () => faulty(close),
  }
}

async function replace(path: string, bytes: Buffer): Promise<void> {
  const made = `${path}.new`
  await writeFile(made, bytes, { mode: PRIVATE.file, flush: true })
  await rename(made, path)
}

/** A rename is on disk when its folder is; some systems do not let a folder be synced, and need not. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync().catch(() => {})
  } finally {
    await folder.close()
  }
}

const CHUNK = 4 * SEALED_FRAME

async function* readRange(path: string, start: number, end: number, signal?: AbortSignal): AsyncIterable<Buffer> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    if (isMissing(thrown)) return undefined
    throw storeFault(thrown)
  })
  if (file === undefined) return
  try {
    for (let at = start; at < end;) {
      signal?.throwIfAborted()
      const size = Math.min(CHUNK, end - at)
      const { bytesRead, buffer } = await faulty(() => file.read(Buffer.allocUnsafe(size), 0, size, at))
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function* listKeys(folder: string): AsyncIterable<{ key: string; changedAt: Date }> {
  const organizations = await opendir(folder).catch(unlessMissing)
  if (organizations === undefined) return
  for await (const organization of organizations) {
    if (!organization.isDirectory()) continue
    const files = await opendir(join(folder, organization.name)).catch(unlessMissing)
    if (files === undefined) continue
    for await (const file of files) {
      const found = await stat(join(folder, organization.name, file.name)).catch(unlessMissing)
      const name = file.name.replace(/\.(?:part|tail|tail\.new)$/, '')
      const key = `${organization.name}/${name}`
      if (found !== undefined && KEY.test(key)) yield { key, changedAt: found.mtime }
    }
  }
}

async function probe(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE.directory })
  const path = join(folder, `.look-${randomUUID()}`)
  await writeFile(path, 'look', { mode: PRIVATE.file, flush: true })
  await rm(path)
}
