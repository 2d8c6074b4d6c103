/**
 * A server of revision 2026-07-28 with ten thousand tools, a thousand to a page: what lists are measured with.
 *
 * It answers `server/discover` and `tools/list` and nothing else. Exits when its parent goes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { REVISION } from './generator/mcp-call.ts'

export const MANY_TOOLS = 10_000
const PAGE = 1_000

const TOOLS = Array.from({ length: MANY_TOOLS }, (_, index) => ({
  name: `tool_${String(index).padStart(5, '0')}`,
  description: `Says the text that it was given, as number ${index} of many.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}))
const COMPLETE = {
  resultType: 'complete',
  ttlMs: 300_000,
  cacheScope: 'public',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'many', version: '1.0.0' } },
}

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { cursor?: string }
}

function answer({ method, params }: Asked): object {
  if (method === 'server/discover')
    return { result: { ...COMPLETE, supportedVersions: [REVISION], capabilities: { tools: {} } } }
  if (method !== 'tools/list') return { error: { code: -32601, message: `unknown method ${method}` } }
  const from = Number(params?.cursor ?? 0)
  const next = from + PAGE < MANY_TOOLS ? { nextCursor: String(from + PAGE) } : {}
  return { result: { ...COMPLETE, tools: TOOLS.slice(from, from + PAGE), ...next } }
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST', 'content-length': 0 }).end()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
    const said = answer(asked)
    const body = JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...said })
    response.writeHead('error' in said ? 404 : 200, { 'content-type': 'application/json' }).end(body)
  })
}

if (process.send !== undefined) {
  const server = createServer({ keepAliveTimeout: 120_000 }, receive)
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
  process.on('disconnect', () => process.exit(0))
}
