/**
 * The requests that Open WebUI sends.
 *
 * MCP: recorded at this gateway from the client library that Open WebUI opens in `backend/open_webui/utils/mcp/client.py`, the
 * Python SDK (mcp 1.30.0, httpx 0.28.1): `streamablehttp_client`, `ClientSession.initialize`, `list_tools`, `call_tool`. It
 * requests pages until there is no cursor, and opens no stream where it was given no session. OpenAPI: as
 * `backend/open_webui/utils/tools.py` requests from the server and `src/lib/apis/index.ts` from the browser, which sends a
 * preflight first; written from the source, not recorded.
 */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

const MCP = {
  accept: 'application/json, text/event-stream',
  'accept-encoding': 'gzip, deflate',
  'content-type': 'application/json',
  'user-agent': 'python-httpx/0.28.1',
}

const post = (body: unknown, more: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path: '/mcp',
  headers: { ...MCP, ...more },
  body,
})

export const REVISION = '2025-11-25'
const after = { 'mcp-protocol-version': REVISION }

export const MCP_EXCHANGE = {
  initialize: post({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'mcp', version: '0.1.0' } },
  }),
  initialized: post({ jsonrpc: '2.0', method: 'notifications/initialized' }, after),
  list: post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, after),
  call: (id: number, name: string, args: object) =>
    post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }, after),
} as const

/** From its server: `get_tool_server_data`, `execute_tool_server`. */
export const SERVER = {
  document: {
    method: 'GET',
    path: '/openapi.json',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  } satisfies Sent,
  call: (name: string, params: object): Sent => ({
    method: 'POST',
    path: `/${name}`,
    headers: { 'content-type': 'application/json' },
    body: params,
  }),
}

/** From the browser of somebody who added the tool server for themselves. */
export const preflight = (origin: string, path: string, method: string): Sent => ({
  method: 'OPTIONS',
  path,
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  },
})

/** How it reads the document: `convert_openapi_to_tool_payload`. */
export function toolsIn(document: { paths?: Record<string, Record<string, Record<string, unknown>>> }) {
  return Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      typeof operation['operationId'] === 'string' ? [{ name: operation['operationId'], path, method }] : [],
    ),
  )
}
