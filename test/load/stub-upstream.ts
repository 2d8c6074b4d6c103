/**
 * The upstream every target calls: the least an honest server of revision 2026-07-28 can be.
 *
 * Answers `server/discover`, `tools/list` and `tools/call` (echo) with results as protocol.md sections 1.3
 * to 1.5 want them. Refuses a request whose envelope or mirrored headers are wrong, so that a proxy which
 * forgets to rewrite them fails instead of looking fast.
 * Never keeps state between requests. Exits when its parent goes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const REVISION = '2026-07-28'
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'stub', version: '1.0.0' } }
const CACHE = { ttlMs: 300_000, cacheScope: 'public' }

const tool = (name: string, description: string, properties: Record<string, { type: string }>) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  annotations: { readOnlyHint: true },
})

const TOOLS = [
  tool('add', 'Add two numbers.', { a: { type: 'number' }, b: { type: 'number' } }),
  tool('echo', 'Say the same text again.', { text: { type: 'string' } }),
  tool('length', 'Count the characters of a text.', { text: { type: 'string' } }),
]

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly params?: {
    name?: string
    arguments?: { text?: unknown; a?: unknown; b?: unknown }
    _meta?: Record<string, unknown>
  }
}

type Answer = { status: number; result: object } | { status: number; error: { code: number; message: string } }

const refuse = (status: number, code: number, message: string): Answer => ({ status, error: { code, message } })
const complete = (result: object): Answer => ({
  status: 200,
  result: { resultType: 'complete', ...result, _meta: META },
})
const said = (text: string): Answer => complete({ content: [{ type: 'text', text }] })

function call({ name, arguments: given }: NonNullable<Asked['params']>): Answer {
  if (name === 'echo') return said(String(given?.text))
  if (name === 'add') return said(String(Number(given?.a) + Number(given?.b)))
  if (name === 'length') return said(String(String(given?.text).length))
  return refuse(200, -32602, `unknown tool ${name}`)
}

function answer({ method, params }: Asked, headers: IncomingMessage['headers']): Answer {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (params === undefined || version === undefined) return refuse(400, -32602, 'the _meta envelope is missing')
  if (params._meta?.['io.modelcontextprotocol/clientCapabilities'] === undefined)
    return refuse(400, -32602, 'clientCapabilities is missing')
  if (version !== REVISION) return refuse(400, -32022, `only ${REVISION} is served`)
  if (headers['mcp-protocol-version'] !== version || headers['mcp-method'] !== method)
    return refuse(400, -32020, 'a header does not match the body')
  if (method === 'tools/call') {
    return headers['mcp-name'] === params.name ? call(params) : refuse(400, -32020, 'Mcp-Name does not match the body')
  }
  if (method === 'tools/list') return complete({ tools: TOOLS, ...CACHE })
  if (method === 'server/discover')
    return complete({ supportedVersions: [REVISION], capabilities: { tools: {} }, ...CACHE })
  return refuse(404, -32601, `unknown method ${method}`)
}

function send(response: ServerResponse, id: unknown, { status, ...rest }: Answer): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, ...rest })
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST', 'content-length': 0 }).end()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    let asked: Asked
    try {
      asked = JSON.parse(Buffer.concat(chunks).toString())
    } catch {
      return send(response, null, refuse(400, -32700, 'not JSON'))
    }
    // A notification has no id and wants no answer.
    if (asked.id === undefined) return void response.writeHead(202, { 'content-length': 0 }).end()
    send(response, asked.id, answer(asked, request.headers))
  })
}

const server = createServer({ keepAliveTimeout: 120_000 }, receive)
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
