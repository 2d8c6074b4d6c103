/**
 * OpenAPI documents are read, and made of several files, in threads of their own, with bounded memory and time: nobody's call waits for one, and one that unfolds
 * without end takes nothing with it.
 *
 * There are two lanes, each with one thread: connections that are loaded never wait for documents that people look at. In each lane the
 * organizations take turns (`reading-line.ts`).
 */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { gunzip } from 'node:zlib'
import type { Unread } from './bundle.ts'
import type { Reading, ReadingOptions } from './read-document.ts'
import { ReadingLine } from './reading-line.ts'

/** A document as it was read. Its tools are megabytes, which nobody here needs as objects but for a moment: they come as gzip of JSON. */
export interface ReadApart extends Omit<Reading, 'tools'> {
  readonly tools: Uint8Array
}

export interface ReadTask {
  readonly kind: 'read'
  readonly text: string
  readonly options: ReadingOptions
}
export interface BundleTask {
  readonly kind: 'bundle'
  readonly text: string
  /** The address of the document. */
  readonly at: string
  readonly files: ReadonlyMap<string, string | Unread>
}
interface ArchiveTask {
  readonly kind: 'archive'
  readonly bytes: Uint8Array
}
export type Task = ReadTask | BundleTask | ArchiveTask

/** One document of several files, or the addresses of the files that are lacking for it. */
export type Bundled = { readonly text: string } | { readonly lacking: readonly string[] }

/** The message that the thread returns. */
export type Word = { readonly reading: ReadApart } | { readonly bundled: Bundled } | { readonly problem: string }

const unpack = promisify(gunzip)

/** For whom a document is read. */
export interface ReadFor {
  /** The organization. */
  readonly share: string
  /** `look`: somebody waits for it, and it may be anything. `load`: a connection needs its document, which was read before. */
  readonly lane: 'look' | 'load'
  /** Aborted when whoever waits for it has left: it is then not read, or no further. */
  readonly signal?: AbortSignal | undefined
}

/** Megabytes of objects, and milliseconds. A document of 64 MB takes half of the one and a sixth of the other. */
const MEMORY_MB = 1_024
const PATIENCE = 60_000
/** Milliseconds for a document that somebody looks at: others wait meanwhile, so a short one gets no more than it can need. */
const PATIENCE_OF_LOOK_MS = 10_000
const PATIENCE_PER_MEGABYTE = 1_000
const MEGABYTE = 1024 * 1024

/** Beyond these bounds whoever asks is to come again. Connections of one organization wait however many they are. */
const LENGTH = 256 * MEGABYTE
const LINES = {
  look: new ReadingLine({ length: LENGTH, waiting: 4 }),
  load: new ReadingLine({ length: LENGTH, waiting: Infinity }),
} as const

/** Throws `openapi.unreadable`, `gateway.not-ready` where too much is being read, and `call.cancelled` for whoever left. */
export async function readApart(text: string, options: ReadingOptions, whose: ReadFor): Promise<ReadApart> {
  const word = await inTurn({ kind: 'read', text, options }, text.length, whose)
  if (!('reading' in word)) throw new TypeError('the thread did another task')
  return word.reading
}

/** Makes one document of a document and the files that are there of it. Throws as `readApart` does. */
export const bundleApart = (task: Omit<BundleTask, 'kind'>, whose: ReadFor): Promise<Bundled> => {
  const files = [...task.files.values()].filter((file) => typeof file === 'string')
  const length = files.reduce((sum, file) => sum + file.length, task.text.length)
  return bundleInTurn({ kind: 'bundle', ...task }, length, whose)
}

/** The document of a ZIP archive, with the files that it refers to. Throws as `readApart` does. */
export async function unpackApart(bytes: Uint8Array, whose: ReadFor): Promise<string> {
  const made = await bundleInTurn({ kind: 'archive', bytes }, bytes.length, whose)
  return 'text' in made ? made.text : ''
}

async function bundleInTurn(task: Task, length: number, whose: ReadFor): Promise<Bundled> {
  const word = await inTurn(task, length, whose)
  if (!('bundled' in word)) throw new TypeError('the thread did another task')
  return word.bundled
}

type Done = Exclude<Word, { readonly problem: string }>

function inTurn(task: Task, length: number, { share, lane, signal }: ReadFor): Promise<Done> {
  const patience = lane === 'load' ? PATIENCE : patienceOfLook({ length })
  return LINES[lane].read({ share, length, signal }, () => doNow(task, { patience, signal }))
}

const patienceOfLook = ({ length }: { readonly length: number }): number =>
  Math.min(PATIENCE, PATIENCE_OF_LOOK_MS + Math.floor(length / MEGABYTE) * PATIENCE_PER_MEGABYTE)

/** Its tools, as objects. */
export const toolsOf = async ({ tools }: Pick<ReadApart, 'tools'>): Promise<JsonObject[]> =>
  JSON.parse((await unpack(tools)).toString('utf8')) as JsonObject[]

interface Doing extends Pick<ReadFor, 'signal'> {
  /** Milliseconds. */
  readonly patience: number
}

function doNow(task: Task, { patience, signal }: Doing): Promise<Done> {
  if (signal?.aborted === true) return Promise.reject(new Fault('call.cancelled'))
  return new Promise((resolve, reject) => {
    const refuse = (problem: string) => reject(new Fault('openapi.unreadable', { problem }))
    const worker = new Worker(new URL('./reading-worker.ts', import.meta.url), {
      workerData: task,
      // It reads what somebody else wrote: nothing of this process is lent to it.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    const deadline = setTimeout(() => {
      refuse(`reading it took longer than ${patience / 1000} s`)
      void worker.terminate()
    }, patience)
    const cancelReading = () => {
      reject(new Fault('call.cancelled'))
      void worker.terminate()
    }
    signal?.addEventListener('abort', cancelReading, { once: true })
    worker.once('message', (word: Word) => {
      if ('problem' in word) refuse(word.problem)
      else resolve(word)
    })
    worker.once('error', (thrown: Error & { code?: string }) =>
      thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? refuse(`reading it takes more than ${MEMORY_MB} MB of memory`)
        : reject(thrown),
    )
    worker.once('exit', () => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', cancelReading)
      // After its answer this says nothing any more.
      refuse('reading it ended without a result')
    })
  })
}
