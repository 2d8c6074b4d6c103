/** The thread that reads pages one after another. It is handed bytes and answers with text or a sentence; it cannot open connections. */
import { parentPort } from 'node:worker_threads'
import { PageProblem } from '../page-problem.ts'
import { extract } from './extract.ts'
import type { Extract, ExtractTask } from './page-extract.ts'

export type ThreadAnswer = { readonly extract: Extract } | { readonly problem: string }

const refuse = () => Promise.reject(new Error('no requests from here'))
Object.assign(globalThis, { fetch: refuse, WebSocket: undefined, EventSource: undefined, XMLHttpRequest: undefined })

async function answerOf(task: ExtractTask): Promise<ThreadAnswer> {
  try {
    return { extract: await extract(task) }
  } catch (thrown) {
    if (thrown instanceof PageProblem) return { problem: thrown.message }
    if (thrown instanceof RangeError)
      return { problem: 'The page is nested too deeply, or one part of it is too long, to be read.' }
    return { problem: `The page cannot be read (${thrown instanceof Error ? thrown.name : 'unknown'}).` }
  }
}

parentPort?.on('message', (task: ExtractTask) => {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  void answerOf(task).then((answer) => parentPort?.postMessage(answer))
})
