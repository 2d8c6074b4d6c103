/** An MCP server on standard streams whose one tool answers with the `_meta` that it was sent. The first argument is its era. */
import { createInterface } from 'node:readline'

const era = process.argv[2]
const TOOL = { name: 'context', inputSchema: { type: 'object' } }
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'context', version: '1' } }

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly _meta?: object; readonly protocolVersion?: string }
}

const capabilities = { tools: {} }
const answers: Record<string, (params: Message['params']) => object> = {
  'tools/list': () => ({ tools: [TOOL], ...(era === 'modern' ? { ttlMs: 0, cacheScope: 'private' } : {}) }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params?._meta ?? {}) }] }),
  ...(era === 'modern'
    ? { 'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities }) }
    : {
        ping: () => ({}),
        initialize: () => ({
          protocolVersion: '2025-11-25',
          capabilities,
          serverInfo: { name: 'context', version: '1' },
        }),
      }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Message
  if (id === undefined) return
  const answer = answers[method]
  const body =
    answer === undefined
      ? { error: { code: -32601, message: 'no such method' } }
      : { result: { ...(era === 'modern' ? { resultType: 'complete', _meta: META } : {}), ...answer(params) } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
})
