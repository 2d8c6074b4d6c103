/** A client of the wire, small enough to be wrong about nothing: one POST of revision 2026-07-28, and its answer. */
import { randomUUID } from 'node:crypto'

export interface Called {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON-RPC answer, or the last event of a stream. */
  readonly message: {
    id?: unknown
    result?: Record<string, unknown>
    error?: { code: number; message: string; data?: Record<string, unknown> }
  }
  /** The id under which records and log lines know this request. */
  readonly correlation: string
}

export interface Target {
  /** The MCP endpoint. */
  readonly url: string
  readonly key: string | undefined
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'fault-test', version: '1' },
}

/** The request as it goes out; `name` is what Mcp-Name repeats. */
export function requestOf(method: string, params: Record<string, unknown>, key: string | undefined) {
  const name = params['name'] ?? params['uri']
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }) }
}

export async function ask(
  { url, key }: Target,
  method: string,
  params: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<Called> {
  const correlation = randomUUID()
  const { headers, body } = requestOf(method, params, key)
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'x-correlation-id': correlation },
    body,
    signal: signal ?? null,
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    message: messageIn(text, response.headers),
    correlation,
  }
}

export const callTool = (target: Target, name: string, given: Record<string, unknown> = {}, signal?: AbortSignal) =>
  ask(target, 'tools/call', { name, arguments: given }, signal)

function messageIn(text: string, headers: Headers): Called['message'] {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const last = isStream
    ? text
        .trim()
        .split('\n')
        .findLast((line) => line.startsWith('data:'))
        ?.slice(5)
    : text
  return last === undefined || last.trim() === '' ? {} : (JSON.parse(last) as Called['message'])
}

/** The fault that a tool result carries for programs. */
export const faultIn = ({ message }: Called) =>
  ((message.result?.['_meta'] as Record<string, unknown> | undefined)?.['dev.toolway/fault'] ?? message.error?.data) as
    | { fault: string; code: string; message: string; retryable: boolean }
    | undefined

export const textIn = ({ message }: Called): string =>
  (message.result?.['content'] as { text?: string }[] | undefined)?.[0]?.text ?? ''
