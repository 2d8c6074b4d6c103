/**
 * The span of one HTTP request to a server (OpenTelemetry, HTTP client spans), as a child of the span in scope.
 *
 * The address in it has no query, and nothing in its path that looks like a key: some servers are told apart by nothing else.
 */
import { Fault } from '@toolway/contract'
import { SPAN_KIND, spanInScope, type Span } from '../../lib/span-scope.ts'

export interface HttpSpan {
  /** What the request says of the trace. */
  readonly traceparent: string
  /** Either is undefined where it is not known. */
  end(status: number | undefined, thrown?: unknown): void
}

/** Undefined where nothing is traced. `path` may have a query. */
export function beginHttpSpan(method: string, origin: string, path: string): HttpSpan | undefined {
  const parent = spanInScope()
  if (parent === undefined) return undefined
  const span = parent.child(method, SPAN_KIND.client)
  return {
    traceparent: span.traceparent,
    end: (status, thrown) => endSpan(span, { method, origin, path }, status, thrown),
  }
}

interface Asked {
  readonly method: string
  readonly origin: string
  readonly path: string
}

function endSpan(span: Span, { method, origin, path }: Asked, status: number | undefined, thrown: unknown): void {
  const { full, host, port } = shownAddress(origin, path)
  span.end(
    (to) => {
      to.text('http.request.method', method)
      to.text('url.full', full)
      to.text('server.address', host)
      to.whole('server.port', port)
      to.whole('http.response.status_code', status)
      to.text('toolway.step', 'http.request')
    },
    { error: errorOf(status, thrown) },
  )
}

const errorOf = (status: number | undefined, thrown: unknown): string | undefined => {
  if (thrown !== undefined) return thrown instanceof Fault ? thrown.code : '_OTHER'
  return status !== undefined && status >= 400 ? String(status) : undefined
}

interface ShownAddress {
  readonly full: string
  readonly host: string
  readonly port: number
}

const MOST_KNOWN = 1_000
const known = new Map<string, ShownAddress>()

function shownAddress(origin: string, path: string): ShownAddress {
  const end = path.indexOf('?')
  const plain = end === -1 ? path : path.slice(0, end)
  const key = origin + plain
  const found = known.get(key)
  if (found !== undefined) return found
  const { hostname, port, protocol } = new URL(origin)
  const shown = plain.split('/').map((part) => (looksSecret(part) ? 'REDACTED' : part))
  const made = {
    full: origin + shown.join('/'),
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, made)
  return made
}

/** A long part of digits and letters in one word, as keys, tokens and signed names are. */
const looksSecret = (part: string): boolean => part.length >= 20 && /\d/.test(part) && /[A-Za-z]/.test(part)
