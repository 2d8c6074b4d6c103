/**
 * The least that an honest server of revision 2025-11-25 can be: sessions by `initialize`, and the tool `echo`.
 *
 * Refuses a request without the session or the version it handed out, so that a proxy which mixes them up fails instead of
 * looking fast. Keeps the names of its sessions and nothing else. Exits when its parent goes.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const REVISION = '2025-11-25'
const ECHO = {
  name: 'echo',
  description: 'Say the same text again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}
const sessions = new Set<string>()

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { name?: string; arguments?: { text?: unknown } }
}
interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: object
}

const resultOf = (result: object): Reply => ({ status: 200, body: { result } })
const refuse = (status: number, code: number, message: string): Reply => ({
  status,
  body: { error: { code, message } },
})

function initialize(): Reply {
  const session = randomUUID()
  sessions.add(session)
  const result = {
    protocolVersion: REVISION,
    capabilities: { tools: {} },
    serverInfo: { name: 'stub', version: '1.0.0' },
  }
  return { ...resultOf(result), headers: { 'mcp-session-id': session } }
}

function answer({ id, method, params }: Asked, headers: IncomingMessage['headers']): Reply {
  if (method === 'initialize') return initialize()
  if (!sessions.has(String(headers['mcp-session-id']))) return refuse(404, -32001, 'no such session')
  if (headers['mcp-protocol-version'] !== REVISION) return refuse(400, -32600, `only ${REVISION} is served`)
  if (id === undefined) return { status: 202 }
  if (method === 'tools/list') return resultOf({ tools: [ECHO] })
  if (method !== 'tools/call' || params?.name !== 'echo') return refuse(200, -32601, `unknown: ${method}`)
  return resultOf({ content: [{ type: 'text', text: String(params.arguments?.text) }] })
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'DELETE') {
    sessions.delete(String(request.headers['mcp-session-id']))
    return void response.writeHead(204).end()
  }
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST', 'content-length': 0 }).end()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
    const { status, headers = {}, body } = answer(asked, request.headers)
    if (body === undefined) return void response.writeHead(status, { ...headers, 'content-length': 0 }).end()
    const text = JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...body })
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    response.writeHead(status, { ...headers, ...length }).end(text)
  })
}

const server = createServer({ keepAliveTimeout: 120_000 }, receive)
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
