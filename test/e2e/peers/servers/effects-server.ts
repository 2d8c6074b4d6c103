/** A server with one tool of each effect, and a note of what was called: for what a limit lets through. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

export interface EffectsServer extends AsyncDisposable {
  readonly url: string
  /** Names of the tools that were called, in order. */
  readonly called: readonly string[]
}

const inputSchema = { type: 'object' } as const
const TOOLS: Tool[] = [
  { name: 'look_up', description: 'Reads', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'list_all', description: 'Reads', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'write_note', description: 'Writes', inputSchema, annotations: { destructiveHint: false } },
  { name: 'drop_all', description: 'Destroys', inputSchema, annotations: { destructiveHint: true } },
]

/** With `lock`, whoever does not send that header with that value is turned away; `title` is its name for people. */
export async function startEffects(lock?: { header: string; value: string }, title?: string): Promise<EffectsServer> {
  const called: string[] = []
  const handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: 'effects', version: '1.0.0', ...(title === undefined ? {} : { title }) },
        { capabilities: { tools: {} } },
      )
      server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
      server.setRequestHandler('tools/call', ({ params }) => {
        called.push(params.name)
        return { content: [{ type: 'text', text: `did ${params.name}` }] }
      })
      return server
    },
    { legacy: 'reject' },
  )
  const serve = toNodeHandler({ fetch: (request: Request) => handler.fetch(request) })
  const http = createServer((request, response) => {
    if (lock !== undefined && request.headers[lock.header] !== lock.value)
      return void response.writeHead(401).end('no such key')
    void serve(request as NodeIncomingMessageLike, response)
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    called,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await handler.close()
      http.closeAllConnections()
      await closed
    },
  }
}
