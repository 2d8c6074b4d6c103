/**
 * The span of one HTTP request to a server (OpenTelemetry, HTTP client spans), as a child of the span in scope.
 *
 * The address in it has no query, and nothing in its path that looks like a key: some servers are told apart by nothing else.
 */
import { Fault } from '@toolway/contract'
import { SPAN_KIND, spanInScope, type SameAttributes, type Span } from '../../lib/span-scope.ts'

export interface HttpSpan {
  /** The trace context of the request. */
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

function endSpan(span: Span, request: Asked, status: number | undefined, thrown: unknown): void {
  span.end(
    (to) => {
      to.same(describedAs(request))
      to.whole('http.response.status_code', status)
    },
    { error: errorOf(status, thrown) },
  )
}

const errorOf = (status: number | undefined, thrown: unknown): string | undefined => {
  if (thrown !== undefined) return thrown instanceof Fault ? thrown.code : '_OTHER'
  return status !== undefined && status >= 400 ? String(status) : undefined
}

const MOST_KNOWN = 1_000
const known = new Map<string, SameAttributes>()

/** The attributes of an address, which most requests have in common. */
function describedAs({ method, origin, path }: Asked): SameAttributes {
  const end = path.indexOf('?')
  const plain = end === -1 ? path : path.slice(0, end)
  const key = `${method} ${origin}${plain}`
  const found = known.get(key)
  if (found !== undefined) return found
  const made = describe(method, origin, plain)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, made)
  return made
}

function describe(method: string, origin: string, path: string): SameAttributes {
  const { hostname, port, protocol } = new URL(origin)
  const shown = path.split('/').map((part) => (looksSecret(part) ? 'REDACTED' : part))
  return {
    write(to) {
      to.text('http.request.method', method)
      to.text('url.full', origin + shown.join('/'))
      to.text('server.address', hostname.replace(/^\[|\]$/g, ''))
      to.whole('server.port', port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))
      to.text('toolway.step', 'http.request')
    },
  }
}

/** A long part of digits and letters in one word, as keys, tokens and signed names are. */
const looksSecret = (part: string): boolean => part.length >= 20 && /\d/.test(part) && /[A-Za-z]/.test(part)
