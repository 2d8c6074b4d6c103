/** Servers of revision 2026-07-28 that have the tools they are given, each under an address of its own, and note what was called. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

export interface ServedTools {
  readonly alias: string
  readonly title: string
  readonly tools: readonly Tool[]
}

export interface Called {
  readonly alias: string
  readonly name: string
  readonly arguments: Record<string, unknown>
}

export interface ToolsServer extends AsyncDisposable {
  urlOf(alias: string): string
  readonly called: readonly Called[]
  /** Aliases of those that were sent any request, in order. */
  readonly asked: readonly string[]
  /** The tools of one from now on; whoever listens is told. */
  change(alias: string, tools: readonly Tool[]): void
}

/** Each tool answers with its own name, unless `answer` says something else. */
export async function startToolsServer(
  all: readonly ServedTools[],
  answer: (called: Called) => object | undefined = () => undefined,
): Promise<ToolsServer> {
  const called: Called[] = []
  const asked: string[] = []
  const tools = new Map(all.map((one) => [one.alias, one.tools]))
  const handlers = new Map(
    all.map(({ alias, title }) => {
      const create = () => {
        const server = new Server(
          { name: alias, title, version: '1.0.0' },
          { capabilities: { tools: { listChanged: true } } },
        )
        server.setRequestHandler('tools/list', () => ({ tools: [...(tools.get(alias) ?? [])] }))
        server.setRequestHandler('tools/call', ({ params }) => {
          const one = { alias, name: params.name, arguments: params.arguments ?? {} }
          called.push(one)
          return { content: [{ type: 'text', text: `did ${params.name}` }], ...answer(one) }
        })
        return server
      }
      return [alias, createMcpHandler(create, { legacy: 'reject' })] as const
    }),
  )
  const http = createServer((request, response) => {
    const alias = (request.url ?? '').split('/')[1] ?? ''
    asked.push(alias)
    const handler = handlers.get(alias)
    if (handler === undefined) return void response.writeHead(404).end()
    const serve = toNodeHandler({ fetch: (one: Request) => handler.fetch(one) })
    // The SDK's type leaves out that Node's optional fields may also be present and undefined.
    void serve(request as NodeIncomingMessageLike, response)
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    urlOf: (alias) => `http://127.0.0.1:${port}/${alias}/mcp`,
    called,
    asked,
    change(alias, next) {
      tools.set(alias, next)
      handlers.get(alias)?.notify.toolsChanged()
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await Promise.all([...handlers.values()].map((handler) => handler.close()))
      http.closeAllConnections()
      await closed
    },
  }
}
