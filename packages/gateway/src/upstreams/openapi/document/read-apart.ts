/**
 * Documents are read in a thread of their own, one at a time, with so much memory and time and no more: nobody's call waits for one, and
 * one that unfolds without end takes nothing with it.
 */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { gunzip } from 'node:zlib'
import type { Reading, ReadingOptions } from './read-document.ts'

/** A document as it was read. Its tools are megabytes, which nobody here needs as objects but for a moment: they come as gzip of JSON. */
export interface ReadApart extends Omit<Reading, 'tools'> {
  readonly tools: Uint8Array
}

/** The message that the thread returns. */
export type Word = { readonly reading: ReadApart } | { readonly problem: string }

const unpack = promisify(gunzip)

/** Megabytes of objects, and milliseconds. A document of 64 MB takes half of the one and a sixth of the other. */
const MEMORY = 1_024
const PATIENCE = 60_000
/** Bytes that wait to be read, together: beyond that whoever asks is to come again. */
const MOST_WAITING = 256 * 1024 * 1024

let last: Promise<unknown> = Promise.resolve()
let waiting = 0

/** Throws `openapi.unreadable`, and `gateway.not-ready` where too much is being read. */
export async function readApart(text: string, options: ReadingOptions): Promise<ReadApart> {
  if (waiting + text.length > MOST_WAITING)
    throw new Fault('gateway.not-ready', { problem: 'too many OpenAPI documents are being read' })
  waiting += text.length
  const turn = last.then(() => readNow(text, options))
  last = turn.catch(() => {})
  try {
    return await turn
  } finally {
    waiting -= text.length
  }
}

/** Its tools, as objects. */
export const toolsOf = async ({ tools }: Pick<ReadApart, 'tools'>): Promise<JsonObject[]> =>
  JSON.parse((await unpack(tools)).toString('utf8')) as JsonObject[]

function readNow(text: string, options: ReadingOptions): Promise<ReadApart> {
  return new Promise((resolve, reject) => {
    const refuse = (problem: string) => reject(new Fault('openapi.unreadable', { problem }))
    const worker = new Worker(new URL('./reading-worker.ts', import.meta.url), {
      workerData: { text, options },
      // It reads what somebody else wrote: nothing of this process is lent to it.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    })
    const deadline = setTimeout(() => {
      refuse(`reading it took longer than ${PATIENCE / 1000} s`)
      void worker.terminate()
    }, PATIENCE)
    worker.once('message', (word: Word) => {
      if ('problem' in word) refuse(word.problem)
      else resolve(word.reading)
    })
    worker.once('error', (thrown: Error & { code?: string }) =>
      thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? refuse(`reading it takes more than ${MEMORY} MB of memory`)
        : reject(thrown),
    )
    worker.once('exit', () => {
      clearTimeout(deadline)
      // After its answer this says nothing any more.
      refuse('reading it ended without a result')
    })
  })
}
