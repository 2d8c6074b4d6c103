/**
 * Exports the requests of one signal to one OTLP endpoint over HTTP (OTLP 1.x, OTLP/HTTP): protobuf, retries with backoff where the
 * specification allows them, a deadline for each request.
 *
 * Trouble is told in one log line a minute at most, with the number of items that it concerns. Headers are secrets: no line has them.
 */
import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { endless, retry, retryAfter } from '@toolway/protocol/retry'
import { REAL_TIME } from '../../lib/pause.ts'
import { rejectedIn } from './export-response.ts'
import type { DropReason } from './export-queue.ts'

/** One request, without redirects. Rejects with what the network does. */
export type Post = (request: {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}) => Promise<{ readonly status: number; readonly retryAfter: string | undefined; readonly body: Uint8Array }>

export interface OtlpTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for one batch, repeats included. */
  readonly timeout: number
  readonly compression: 'none' | 'gzip'
}

export interface OtlpExporterParts {
  readonly target: OtlpTarget
  readonly signal: 'traces' | 'metrics' | 'logs'
  readonly post: Post
  readonly warn: (facts: Record<string, unknown>, message: string) => void
  exported(count: number): void
  drop(count: number, reason: DropReason): void
  now(): number
}

export interface OtlpExporter {
  /** Never rejects. */
  export(body: Buffer, count: number): Promise<void>
  /** Ends what is under way and what waits for another try. */
  stop(): void
}

/** OTLP/HTTP, failures: these may be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])
const BACKOFF = endless({ first: 1_500, most: 5_000 })
const BETWEEN_LINES = 60_000

const compress = promisify(gzip)

/** A request that is sent again: why, and after how many milliseconds its server wants it. */
interface Again {
  readonly problem: string
  readonly wanted: number
}

class Refused extends Error {
  readonly wanted: number

  constructor(requested: number) {
    super('the request was not accepted')
    this.wanted = requested
  }
}

export const createOtlpExporter = (parts: OtlpExporterParts): OtlpExporter => new HttpExporter(parts)

class HttpExporter implements OtlpExporter {
  readonly #parts
  readonly #url
  readonly #headers
  readonly #stopping = new AbortController()
  #toldAt = -Infinity
  /** Items that were lost since the last line. */
  #untold = 0

  constructor(parts: OtlpExporterParts) {
    const { target } = parts
    this.#parts = parts
    this.#url = new URL(target.url)
    this.#headers = {
      ...target.headers,
      'content-type': 'application/x-protobuf',
      'user-agent': 'toolway',
      ...(target.compression === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
    }
  }

  async export(plain: Buffer, count: number): Promise<void> {
    const { target } = this.#parts
    const body = target.compression === 'gzip' ? await compress(plain) : plain
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(target.timeout)])
    let problem = ''
    const work = async () => {
      const again = await this.#send(body, count, signal)
      if (again === undefined) return
      problem = again.problem
      throw new Refused(again.wanted)
    }
    try {
      await retry(work, {
        limits: { ...BACKOFF, total: target.timeout },
        evaluate: (thrown) => (thrown instanceof Refused ? { wanted: thrown.wanted, done: 'maybe' } : undefined),
        idempotent: true,
        signal,
        ...REAL_TIME,
      })
    } catch (thrown) {
      if (!(thrown instanceof Refused) && !signal.aborted) throw thrown
      this.#lose(count, this.#stopping.signal.aborted ? 'shutdown' : 'undelivered', problem)
    }
  }

  /** Undefined where it is settled, for better or worse; else why and when it is sent again. */
  async #send(body: Uint8Array, count: number, signal: AbortSignal): Promise<Again | undefined> {
    try {
      const answer = await this.#parts.post({ url: this.#url, headers: this.#headers, body, signal })
      const problem = `it responded with HTTP ${answer.status}`
      if (RETRYABLE.has(answer.status)) return { problem, wanted: retryAfter(answer.retryAfter, Date.now()) ?? 0 }
      if (answer.status >= 200 && answer.status < 300) this.#accept(answer.body, count)
      else this.#lose(count, 'refused', problem)
      return undefined
    } catch (thrown) {
      return { problem: problemOf(thrown), wanted: 0 }
    }
  }

  #accept(answer: Uint8Array, count: number): void {
    const rejected = Math.min(rejectedIn(answer), count)
    this.#parts.exported(count - rejected)
    if (rejected > 0) this.#lose(rejected, 'refused', 'it rejected a part')
  }

  #lose(count: number, reason: DropReason, problem: string): void {
    const { drop, now, signal, warn } = this.#parts
    drop(count, reason)
    this.#untold += count
    if (now() - this.#toldAt < BETWEEN_LINES) return
    const facts = { signal, endpoint: this.#url.origin + this.#url.pathname, reason, problem, items: this.#untold }
    this.#toldAt = now()
    this.#untold = 0
    warn(facts, 'telemetry could not be exported: check the endpoint and its headers')
  }

  stop(): void {
    this.#stopping.abort()
  }
}

/** The code of a failure, which holds no address or header; else its kind. */
function problemOf(thrown: unknown): string {
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown }
  if (name === 'TimeoutError' || name === 'AbortError') return 'it did not respond in time'
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'it cannot be reached'
}
