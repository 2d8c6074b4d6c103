/**
 * The thread that does one task with documents and ends with its answer: it reads one, or makes one of several files. It is handed all
 * texts, and reaches nothing.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { documentOfArchive } from './archive.ts'
import { bundle } from './bundle.ts'
import { LIMITS } from './limits.ts'
import { DocumentProblem } from './parse-document.ts'
import type { Bundled, BundleTask, ReadTask, Task, Word } from './read-apart.ts'
import { readDocument } from './read-document.ts'

const task = workerData as Task

async function wordOf(): Promise<Word> {
  try {
    return task.kind === 'read'
      ? { reading: readOf(task) }
      : { bundled: await (task.kind === 'archive' ? archiveOf(task.bytes) : bundleOf(task)) }
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) return { problem: thrown.message }
    if (thrown instanceof RangeError)
      return { problem: /stack/.test(thrown.message) ? 'it nests too deeply' : 'it unfolds into too large a text' }
    throw thrown
  }
}

function readOf({ text, options }: ReadTask) {
  const { tools, ...reading } = readDocument(text, options)
  return { ...reading, tools: gzipSync(JSON.stringify(tools)) }
}

const archiveOf = async (bytes: Uint8Array): Promise<Bundled> => ({
  text: refuseTooLong(await documentOfArchive(bytes, LIMITS)),
})

/** With the files that it has; those that it lacks are named. */
async function bundleOf({ text, at, files }: BundleTask): Promise<Bundled> {
  const lacking = new Set<string>()
  const read = (file: string) => {
    const found = files.get(file)
    if (found === undefined && lacking.add(file).size + files.size > LIMITS.files)
      throw new DocumentProblem(`it refers to more than ${LIMITS.files} other files`)
    return found
  }
  const whole = await bundle(text, { at, read, most: LIMITS.files })
  return lacking.size > 0 ? { lacking: [...lacking] } : { text: refuseTooLong(whole ?? text) }
}

/** It is kept whole, and read again within the same bound. */
function refuseTooLong(text: string): string {
  if (Buffer.byteLength(text) > LIMITS.bytes)
    throw new DocumentProblem(`with the files that it refers to it is larger than ${LIMITS.bytes} bytes`)
  return text
}
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(await wordOf())
