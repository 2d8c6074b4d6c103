/**
 * A server of SDK 2 that lets in whoever has one of its tokens, until it does not: for accounts that are connected by a key. It serves
 * both eras, and says which token each call came with.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

export interface GuardedServer extends AsyncDisposable {
  readonly url: string
  /** Those that it takes now. */
  readonly tokens: Set<string>
  /** The names of the tools that were called, in order: of those that were let in. */
  readonly called: readonly string[]
  /** Values of `Authorization` that a tool was called with, let in or not. */
  readonly presented: readonly string[]
  /** Whether its 401 says with what it wants to be asked. */
  challenges: boolean
}

const inputSchema = { type: 'object' } as const
const TOOLS: Tool[] = [
  { name: 'who_am_i', description: 'Reads', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'write_note', description: 'Writes', inputSchema },
]

function createPrompting(called: string[]): Server {
  const server = new Server({ name: 'guarded', version: '1.0.0' }, { capabilities: { tools: {}, prompts: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
  server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'greet' }] }))
  server.setRequestHandler('prompts/get', () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
  }))
  server.setRequestHandler('tools/call', ({ params }) => {
    called.push(params.name)
    return { content: [{ type: 'text', text: `${params.name} for whoever has the key` }] }
  })
  return server
}

export async function startGuarded(...tokens: string[]): Promise<GuardedServer> {
  const called: string[] = []
  const presented: string[] = []
  const good = new Set(tokens)
  const handler = createMcpHandler(() => createPrompting(called))
  const serve = toNodeHandler({ fetch: (request: Request) => handler.fetch(request) })
  const guarded = {
    tokens: good,
    called,
    presented,
    challenges: true,
  }
  const http = createServer((request, response) => {
    const { authorization = '' } = request.headers
    presented.push(authorization)
    if (good.has(authorization.replace(/^Bearer /, ''))) return void serve(request as NodeIncomingMessageLike, response)
    response.writeHead(401, guarded.challenges ? { 'www-authenticate': 'Bearer realm="guarded"' } : {}).end()
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return Object.assign(guarded, {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await handler.close()
      http.closeAllConnections()
      await closed
    },
  })
}
