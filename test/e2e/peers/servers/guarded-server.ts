/**
 * A server of SDK 2 that lets in whoever has one of its tokens, until it does not: for accounts that are connected by a key. It serves
 * both eras, and says which token each call came with.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

interface LoggedRequest {
  /** Of JSON-RPC; empty where the request has no message. */
  method: string
  authorization: string
}

export interface GuardedServer extends AsyncDisposable {
  readonly url: string
  /** Those that it takes now. */
  readonly tokens: Set<string>
  /** The names of the tools that were called, in order: of those that were let in. */
  readonly called: readonly string[]
  /** All requests, let in or not: the gateway looks at its lists and listens whenever it likes, so the last is nobody's in particular. */
  readonly requests: readonly Readonly<LoggedRequest>[]
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
  const requests: LoggedRequest[] = []
  const good = new Set(tokens)
  const handler = createMcpHandler(() => createPrompting(called))
  const serve = toNodeHandler({ fetch: (request: Request) => answer(request) })
  const guarded = {
    tokens: good,
    called,
    requests,
    challenges: true,
  }
  async function answer(request: Request): Promise<Response> {
    const authorization = request.headers.get('authorization') ?? ''
    const [, method = ''] = /"method":\s*"([^"]+)"/.exec(await request.clone().text()) ?? []
    requests.push({ method, authorization })
    if (good.has(authorization.replace(/^Bearer /, ''))) return handler.fetch(request)
    const headers = guarded.challenges ? { 'www-authenticate': 'Bearer realm="guarded"' } : undefined
    return new Response(null, { status: 401, ...(headers && { headers }) })
  }
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
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
