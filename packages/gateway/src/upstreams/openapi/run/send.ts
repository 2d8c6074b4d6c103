/**
 * One request to a REST server and its whole answer, through the one guarded agent. Nothing is ever sent twice: where a reader is sent
 * on to, it is asked once more there, and only below the connection's own address.
 */
import type { Readable } from 'node:stream'
import { Fault } from '@toolway/contract'
import type { Dispatcher, Pool } from 'undici'
import type { Breaker } from '../../breaker.ts'
import { beginHttpSpan } from '../../http/http-span.ts'
import { wordFailure } from '../../http/post.ts'
import type { Request } from './request.ts'

/** A request whose body may be a stream. */
export type Sending = Omit<Request, 'body'> & { readonly body: Request['body'] | Readable }

/** Bytes of an answer that are taken in. */
export const MOST_ANSWER_BYTES = 16 * 1024 * 1024
const MOST_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
  /** It is a redirect that was not followed. */
  readonly redirects: boolean
  /** The whole address that it points to, where that is one. */
  readonly location: string | undefined
}

export interface SendParts {
  readonly alias: string
  readonly pool: Pool
  readonly base: URL
  /** Seconds for all of it. */
  readonly timeout: number
  readonly breaker: Breaker
}

/** Rejects with a Fault: what the network does, the deadline, the caller's wish to end it, and an answer that is too large. */
export async function send(
  parts: SendParts,
  request: Sending,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Reply> {
  const { alias, timeout, breaker } = parts
  const turn = breaker.turn
  const deadline = AbortSignal.timeout(timeout * 1000)
  const until = AbortSignal.any([signal, deadline])
  try {
    let path = request.path
    for (let followed = 0; ; followed++) {
      const reply = await exchange(parts, { ...request, path }, headers, until)
      breaker.answered(turn, reply.status)
      if (!REDIRECTS.has(reply.status)) return { ...reply, redirects: false, location: undefined }
      const to = URL.parse(headerOf(reply, 'location') ?? '', parts.base.origin + path)
      const reads = request.method === 'GET' || request.method === 'HEAD'
      if (to === null || !reads || followed === MOST_REDIRECTS || !isBelow(to, parts.base))
        return { ...reply, redirects: true, location: to?.href }
      path = to.pathname + to.search
    }
  } catch (thrown) {
    const fault = faultOf(thrown, { alias, timeout, signal, deadline })
    breaker.failed(turn, fault)
    throw fault
  }
}

const isBelow = (to: URL, base: URL): boolean =>
  to.origin === base.origin &&
  to.username === '' &&
  to.password === '' &&
  to.pathname.startsWith(`${base.pathname.replace(/\/+$/, '')}/`) &&
  !/%(?:2e|2f|5c)/i.test(to.pathname)

type Exchanged = Omit<Reply, 'redirects' | 'location'>

/** In a span of its own, where traces are recorded. */
async function exchange(
  parts: SendParts,
  request: Sending,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Exchanged> {
  const span = beginHttpSpan(request.method, parts.base.origin, request.path)
  if (span === undefined) return exchangeAlone(parts, request, headers, signal)
  try {
    const reply = await exchangeAlone(parts, request, { ...headers, traceparent: span.traceparent }, signal)
    span.end(reply.status)
    return reply
  } catch (thrown) {
    span.end(undefined, thrown)
    throw thrown
  }
}

async function exchangeAlone(
  { pool, alias }: SendParts,
  { method, path, body }: Sending,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Exchanged> {
  const answer: Dispatcher.ResponseData = await pool.request({ method, path, headers, body: body ?? null, signal })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop ends the exchange.
    if (size > MOST_ANSWER_BYTES) throw new Fault('result.too-large', { connection: alias, limit: MOST_ANSWER_BYTES })
    chunks.push(chunk)
  }
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) }
}

export function headerOf({ headers }: Pick<Reply, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

interface Failing {
  readonly alias: string
  readonly timeout: number
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
}

/** An abort of ours says why; a time limit of ours is the server's silence, not the client's wish. */
function faultOf(thrown: unknown, { alias, timeout, signal, deadline }: Failing): Fault {
  const timedOut = () => new Fault('upstream.timeout', { connection: alias, seconds: timeout }, { cause: thrown })
  if (signal.aborted) {
    const reason: unknown = signal.reason
    if (reason instanceof Fault) return reason
    return reason instanceof Error && reason.name === 'TimeoutError' ? timedOut() : new Fault('call.cancelled')
  }
  return deadline.aborted ? timedOut() : wordFailure({ alias, timeout }, thrown)
}
