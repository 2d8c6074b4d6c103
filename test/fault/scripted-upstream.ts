/**
 * An MCP server on the bare HTTP server that answers as it should until its script says otherwise, and remembers what it heard.
 * It keeps to one era; its sessions are named `session-1`, `session-2`, … in the order in which they were opened.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Heard {
  readonly verb: string
  readonly headers: IncomingHttpHeaders
  /** Of the request; of an `initialize`, the one that its answer gives. */
  readonly session: string | undefined
  readonly id: unknown
  /** '' where there is no body. */
  readonly method: string
  readonly params: Record<string, unknown>
}

export interface Script {
  readonly era: 'modern' | 'legacy'
  readonly capabilities?: Record<string, unknown>
  /** Of a legacy server; the newest unless said otherwise. */
  readonly revision?: string
  /** A free one unless said otherwise. */
  readonly port?: number
  /** Results by method, beside those that every server has. */
  readonly results?: Readonly<Record<string, object>>
  /** Replaces the answer if it returns true; false leaves the normal answer. */
  act?(heard: Heard, response: ServerResponse): boolean
}

export interface ScriptedUpstream extends AsyncDisposable {
  readonly url: string
  readonly heard: readonly Heard[]
  of(method: string): readonly Heard[]
}

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1' } }

export const sayJson = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
export const sayResult = (response: ServerResponse, { id }: Pick<Heard, 'id'>, result: object) =>
  sayJson(response, {
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', ...result, _meta: { ...META, ...(result as { _meta?: object })._meta } },
  })
export const sayError = (response: ServerResponse, { id }: Pick<Heard, 'id'>, message: string, status = 200) =>
  sayJson(response, { jsonrpc: '2.0', id, error: { code: -32000, message } }, status)

export async function startScriptedUpstream(script: Script): Promise<ScriptedUpstream> {
  const heard: Heard[] = []
  let sessions = 0

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    const { id, method = '', params = {} } = (body === '' ? {} : JSON.parse(body)) as Partial<Heard>
    const opens = method === 'initialize' && script.era === 'legacy'
    const session = opens ? `session-${++sessions}` : request.headers['mcp-session-id']?.toString()
    const one: Heard = { verb: request.method ?? '', headers: request.headers, session, id, method, params }
    heard.push(one)
    if (script.act?.(one, response) !== true) answer(script, one, response)
  }

  const server = createServer((request, response) => {
    response.on('error', () => {})
    take(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(script.port ?? 0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    of: (method) => heard.filter((one) => one.method === method),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

function answer(
  { era, capabilities = { tools: {} }, results = {}, revision = '2025-11-25' }: Script,
  one: Heard,
  response: ServerResponse,
): void {
  const { verb, id, method, session } = one
  if (verb === 'DELETE') return void response.writeHead(204).end()
  if (verb !== 'POST') return void response.writeHead(405).end()
  if (id === undefined) return void response.writeHead(202).end()
  const own: Record<string, object> = {
    'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' },
    'tools/call': { content: [{ type: 'text', text: session ?? 'no session' }] },
    'logging/setLevel': {},
    ping: {},
    ...(era === 'modern' ? { 'server/discover': { supportedVersions: ['2026-07-28'], capabilities } } : {}),
    ...results,
  }
  if (era === 'legacy' && method === 'initialize') {
    const result = { protocolVersion: revision, capabilities, serverInfo: { name: 'scripted', version: '1' } }
    return sayJson(response, { jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': session ?? '' })
  }
  const result = own[method]
  if (result === undefined)
    sayJson(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
  else sayResult(response, one, result)
}
