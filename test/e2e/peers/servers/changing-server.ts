/** A server whose tools are others from one moment to the next, and which can keep its door shut: for what locks and syncs see of it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

export interface ChangingServer extends AsyncDisposable {
  readonly url: string
  /** Names of the tools that were called, in order. */
  readonly called: readonly string[]
  /** Offer these from now on, and say so. */
  offer(tools: readonly Tool[]): void
  /** Answer 401 to everybody, or to nobody. */
  shut(isShut: boolean): void
}

export const changingTool = (name: string, description = `Does ${name}.`, more: Partial<Tool> = {}): Tool => ({
  name,
  description,
  inputSchema: { type: 'object' },
  ...more,
})

export async function startChanging(first: readonly Tool[]): Promise<ChangingServer> {
  const called: string[] = []
  let [tools, isShut] = [first, false]
  const handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: 'changing', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      )
      server.setRequestHandler('tools/list', () => ({ tools: [...tools] }))
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
    if (isShut) response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    else void serve(request as NodeIncomingMessageLike, response)
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    called,
    offer(next) {
      tools = next
      handler.notify.toolsChanged()
    },
    shut: (next) => void (isShut = next),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await handler.close()
      http.closeAllConnections()
      await closed
    },
  }
}
