/**
 * `fetch` for libraries that bring their own protocol (OpenID Connect): small answers, no redirects, through the one guarded
 * agent, so that the address is judged when the connection is made.
 *
 * One pool for each request: these are rare, and nothing is left open behind them.
 */
import { Fault } from '@toolway/contract'
import { createPool, type PoolOptions } from './agent.ts'

export interface FetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>> | Headers
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export type GuardedFetch = (url: string, options: FetchOptions) => Promise<Response>

const MOST_BYTES = 1024 * 1024
const PATIENCE = 10_000
const METHODS = ['GET', 'POST'] as const
/** Statuses that have no body (Fetch standard, null body status). */
const BODILESS = new Set([204, 205, 304])

/** Redirects are answered as they are, never followed. */
export function createGuardedFetch(reach: Pick<PoolOptions, 'alias' | 'allowPrivate'>): GuardedFetch {
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const { origin, pathname, search } = new URL(url)
    const known = METHODS.find((one) => one === method)
    if (known === undefined) throw new TypeError(`${method} is not sent from here`)
    const pool = createPool(origin, { ...reach, headersTimeout: PATIENCE, connections: 1 })
    try {
      const answer = await pool.request({
        path: pathname + search,
        method: known,
        headers: Object.fromEntries(new Headers(headers)),
        body: textOf(body),
        signal: signal ?? AbortSignal.timeout(PATIENCE),
      })
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const chunk of answer.body) {
        bytes += (chunk as Buffer).length
        if (bytes > MOST_BYTES) throw new Fault('result.too-large', { connection: reach.alias, limit: MOST_BYTES })
        chunks.push(chunk as Buffer)
      }
      const plain = new Headers()
      for (const [name, value] of Object.entries(answer.headers)) {
        for (const one of [value ?? []].flat()) plain.append(name, one)
      }
      const { statusCode: status } = answer
      return new Response(BODILESS.has(status) ? null : Buffer.concat(chunks), { status, headers: plain })
    } finally {
      await pool.destroy()
    }
  }
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('only texts and forms are sent from here')
}
