/**
 * Threads that read pages, each within limits of memory and time, so that a hostile page blocks nothing and ends nothing but itself. A
 * thread that is stuck or out of memory is ended, and the next page gets a new one. The threads end with the pool.
 */
import { Worker } from 'node:worker_threads'
import { PageProblem } from '../page-problem.ts'
import type { CrawlSettings } from '../settings.ts'
import type { Slots } from '../fetch/slots.ts'
import { createCrawlTurns, type CrawlTurns } from '../crawl-turns.ts'
import type { Extract, ExtractTask } from './page-extract.ts'
import type { ThreadAnswer } from './extraction-thread.ts'

const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 }
/** Bytes by which the process may grow while pages are read; arrays of bytes count for no thread's own limit. */
const MOST_GROWTH_BYTES = 768 * 1024 * 1024
const LOOK_EVERY = 100

const TOO_LONG = 'Reading the page took too long and was stopped.'
const TOO_LARGE = 'Reading the page needed too much memory and was stopped.'

export class ExtractionPool implements AsyncDisposable {
  readonly #slots: Slots
  readonly #timeout: number
  readonly #signal: AbortSignal
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()

  constructor(
    settings: CrawlSettings,
    signal: AbortSignal,
    { threads }: Pick<CrawlTurns, 'threads'> = createCrawlTurns(settings),
  ) {
    this.#slots = threads
    this.#timeout = settings.extractionTimeout
    this.#signal = signal
  }

  /** Throws a `PageProblem`, or what the signal was aborted with. */
  async extract(task: ExtractTask): Promise<Extract> {
    using _ = await this.#slots.take(this.#signal)
    const worker = this.#idle.pop() ?? this.#start()
    try {
      const answer = await this.#answerOf(worker, task)
      this.#idle.push(worker)
      if ('problem' in answer) throw new PageProblem(answer.problem)
      return answer.extract
    } finally {
      if (!this.#idle.includes(worker)) await this.#end(worker)
    }
  }

  #start(): Worker {
    // Its streams are kept from ours: standard output belongs to the protocol.
    const options = { resourceLimits: LIMITS, env: {}, argv: [], execArgv: [], stdout: true, stderr: true }
    const worker = new Worker(new URL('./extraction-thread.ts', import.meta.url), options)
    worker.stdout.resume()
    worker.stderr.resume()
    worker.on('error', () => {})
    // One that ended while it was idle is not handed a page.
    worker.once('exit', () => {
      this.#all.delete(worker)
      const at = this.#idle.indexOf(worker)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    this.#all.add(worker)
    return worker
  }

  async #end(worker: Worker): Promise<void> {
    this.#all.delete(worker)
    await worker.terminate()
  }

  #answerOf(worker: Worker, task: ExtractTask): Promise<ThreadAnswer> {
    const signal = this.#signal
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>()
    const before = process.memoryUsage.rss()
    const giveUp = (message: string) => reject(new PageProblem(message))
    const late = setTimeout(giveUp, this.#timeout, TOO_LONG)
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > MOST_GROWTH_BYTES) giveUp(TOO_LARGE)
    }, LOOK_EVERY)
    const failPage = (thrown: Error) => {
      const full = (thrown as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(new PageProblem(full ? TOO_LARGE : 'The page cannot be read.', { cause: thrown }))
    }
    const onExit = () => giveUp('The page cannot be read.')
    const onAbort = () => reject(signal.reason as Error)
    worker.once('message', resolve).once('error', failPage).once('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
    worker.postMessage(task)
    return promise.finally(() => {
      clearTimeout(late)
      clearInterval(watch)
      worker.off('message', resolve).off('error', failPage).off('exit', onExit)
      signal.removeEventListener('abort', onAbort)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((worker) => this.#end(worker)))
  }
}
