/** The thread that reads one document and ends with its answer. It is handed the text, and reaches nothing. */
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { DocumentProblem } from './parse-document.ts'
import type { Word } from './read-apart.ts'
import { readDocument, type ReadingOptions } from './read-document.ts'

const { text, options } = workerData as { text: string; options: ReadingOptions }

function wordOf(): Word {
  try {
    const { tools, ...reading } = readDocument(text, options)
    return { reading: { ...reading, tools: gzipSync(JSON.stringify(tools)) } }
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) return { problem: thrown.message }
    if (thrown instanceof RangeError) return { problem: 'it nests too deeply' }
    throw thrown
  }
}
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(wordOf())
