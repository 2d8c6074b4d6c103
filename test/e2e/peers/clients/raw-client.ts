/**
 * JSON-RPC by hand over fetch, for what no SDK would ever send: everybody using id 0, wrong keys, a hang-up in the middle.
 */
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
}
const MIRRORED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

export interface RawMessage {
  readonly id?: string | number
  readonly method?: string
  readonly result?: Record<string, unknown> & { content?: { type: string; text: string }[]; isError?: boolean }
  readonly error?: { code: number; message: string; data?: Record<string, unknown> }
  readonly params?: Record<string, unknown>
}
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The messages of a stream, or the one of a JSON body. The answer is the last. */
  readonly messages: readonly RawMessage[]
  readonly answer: RawMessage
}

export interface RawOptions {
  readonly id?: string | number
  readonly headers?: Record<string, string>
  readonly meta?: Record<string, unknown>
  readonly signal?: AbortSignal
}

export interface RawPeer {
  readonly url: string
  readonly key: string | undefined
  readonly era: 'modern' | 'legacy'
  /** Of a legacy client. */
  readonly session?: string
}

/** Send one request and read its answer to the end. */
export async function ask(
  peer: RawPeer,
  method: string,
  params: Record<string, unknown> = {},
  options: RawOptions = {},
): Promise<RawAnswer> {
  const response = await start(peer, method, params, options)
  const text = await response.text()
  const messages = messagesOf(text, response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text, messages, answer: messages.at(-1) ?? {} }
}

/** Send one request; the caller reads the response, or leaves. */
export function start(
  { url, key, era, session }: RawPeer,
  method: string,
  params: Record<string, unknown>,
  { id = 0, headers = {}, meta, signal }: RawOptions = {},
): Promise<Response> {
  const _meta = { ...(era === 'modern' ? MODERN_META : {}), ...meta }
  const name = params[MIRRORED[method] ?? '']
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(era === 'modern' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method } : {}),
      ...(era === 'modern' && typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: Object.keys(_meta).length > 0 ? { ...params, _meta } : params,
    }),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** A legacy client's notification. Returns the status and the body. */
export async function tell({ url, key, session }: RawPeer, method: string, params: Record<string, unknown> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', method, params }),
  })
  return { status: response.status, text: await response.text() }
}

/** Open a session as a legacy client does. */
export async function openSession(
  url: string,
  key: string,
  revision = '2025-11-25',
  capabilities: Record<string, unknown> = {},
): Promise<RawPeer & { session: string }> {
  const peer: RawPeer = { url, key, era: 'legacy' }
  const clientInfo = { name: 'raw', version: '1.0.0' }
  const { headers } = await ask(peer, 'initialize', { protocolVersion: revision, capabilities, clientInfo })
  const opened = { ...peer, session: headers.get('mcp-session-id') ?? '' }
  await tell(opened, 'notifications/initialized')
  return opened
}

export const callTool = (peer: RawPeer, name: string, given: Record<string, unknown> = {}, options: RawOptions = {}) =>
  ask(peer, 'tools/call', { name, arguments: given }, options)

function messagesOf(text: string, type: string): RawMessage[] {
  if (type.includes('text/event-stream')) {
    return text.split('\n').flatMap((line) => (/^data: ./.test(line) ? [JSON.parse(line.slice(6)) as RawMessage] : []))
  }
  return type.includes('json') && text !== '' ? [JSON.parse(text) as RawMessage] : []
}
