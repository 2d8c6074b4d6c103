/** One request of the crawler and its answer, bounded in time and size. It follows no redirect and repeats nothing. */
import { request, type Agent } from 'undici'
import { PageProblem } from '../page-problem.ts'
import type { CrawlSettings } from '../settings.ts'
import { ACCEPT_ENCODING, readBody } from './body.ts'

export interface Answer {
  readonly status: number
  header(name: string): string
  readonly body: Buffer
}

/** Media types that are asked for, in order. */
const ACCEPT =
  'text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,application/pdf;q=0.8,application/json;q=0.5,*/*;q=0.1'

export interface RequestParts {
  readonly agent: Agent
  readonly settings: CrawlSettings
}

export interface RequestOptions {
  readonly most: number
  /** Milliseconds for all of it. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Whether an answer is read, by its head; its body is empty otherwise. Throws a `PageProblem` to end the page. */
  reads(head: Omit<Answer, 'body'>): boolean
}

export async function requestOnce(
  { agent, settings }: RequestParts,
  url: URL,
  { most, timeout, signal, reads }: RequestOptions,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(timeout)))
  const both = AbortSignal.any([signal, deadline])
  try {
    const {
      statusCode: status,
      headers,
      body,
    } = await request(url, {
      dispatcher: agent,
      signal: both,
      headers: { 'user-agent': settings.userAgent, accept: ACCEPT, 'accept-encoding': ACCEPT_ENCODING },
    })
    // A body that is destroyed fails once more, to nobody.
    body.on('error', () => {})
    const header = (name: string) => [headers[name] ?? []].flat().join(', ')
    try {
      if (!reads({ status, header })) return { status, header, body: Buffer.alloc(0) }
      if (Number(header('content-length')) > most)
        throw new PageProblem(`The page is larger than ${most} bytes and was not read.`)
      return { status, header, body: await readBody(body, header('content-encoding'), most, both) }
    } finally {
      if (!body.readableEnded) body.destroy()
    }
  } catch (thrown) {
    signal.throwIfAborted()
    if (deadline.aborted) throw new PageProblem('Loading the page took too long and was stopped.', { cause: thrown })
    throw problemOf(thrown)
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name does not resolve.',
  UND_ERR_HEADERS_TIMEOUT: 'The server did not respond in time.',
  UND_ERR_BODY_TIMEOUT: 'The server stopped in the middle of the page.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large.',
  HPE_HEADER_OVERFLOW: 'The response headers are too large.',
}
const PASSING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server refuses connections.',
  ECONNRESET: 'The connection was interrupted.',
  EPIPE: 'The connection was interrupted.',
  UND_ERR_SOCKET: 'The connection was interrupted.',
  EAI_AGAIN: 'The host name could not be resolved at the moment.',
  ETIMEDOUT: 'The server could not be reached in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The server could not be reached in time.',
  ENETUNREACH: 'The server’s network cannot be reached.',
  EHOSTUNREACH: 'The server’s network cannot be reached.',
}

/** undici passes on what its connector threw, or wraps it. */
function problemOf(thrown: unknown): PageProblem {
  if (thrown instanceof PageProblem) return thrown
  const { cause } = thrown as Error
  if (cause instanceof PageProblem) return cause
  const first = thrown instanceof AggregateError ? (thrown.errors[0] as unknown) : thrown
  const code = (first as NodeJS.ErrnoException).code ?? ''
  const passing = PASSING[code]
  if (passing !== undefined) return new PageProblem(passing, { passing: true, cause: thrown })
  const known = PROBLEMS[code]
  if (known !== undefined) return new PageProblem(known, { cause: thrown })
  const tls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)
  const sentence = tls ? 'The server’s certificate or encryption is not valid' : 'The response could not be read'
  return new PageProblem(`${sentence} (${code === '' ? (thrown as Error).name : code}).`, { cause: thrown })
}
