/** Cross-origin headers (Fetch standard, CORS protocol) for an origin that the guard let in. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const METHODS = 'GET, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Last-Event-ID',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'X-Correlation-Id',
  'X-User-OAuth-Token',
]
/**
 * Servers name these headers (specification 2026-07-28, custom headers from tool parameters), so no fixed list holds them. A `*`
 * does not work together with Authorization.
 */
const PARAMETER = /^mcp-param-[!#$%&'*+.^_`|~\w-]{1,100}$/i
const EXPOSED = 'Mcp-Session-Id, X-Correlation-Id, WWW-Authenticate, Retry-After'

export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', EXPOSED)
  response.setHeader('access-control-allow-methods', METHODS)
  const header = headers['access-control-request-headers'] ?? ''
  response.setHeader('access-control-allow-headers', [...REQUEST_HEADERS, ...parametersIn(header)].join(', '))
}

const parametersIn = (requested: string): string[] =>
  requested
    .split(',')
    .map((name) => name.trim())
    .filter((name) => PARAMETER.test(name))
