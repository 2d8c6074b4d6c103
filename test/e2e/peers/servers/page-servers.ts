/**
 * Servers that send a person to a page (URL elicitation): a legacy one by SDK 1, which also says when the page is done with or refuses a
 * call until it is, and a modern one by SDK 2.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, inputRequired, inputResponse, McpServer as ServerTwo } from '@modelcontextprotocol/server'
import { McpServer as ServerOne } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'

export const PAGE_URL = 'https://example.com/connect?for=ada'
const MESSAGE = 'Please connect your account.'
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

export interface LegacyPages extends AsyncDisposable {
  readonly url: string
  /** The ids of the pages that were asked for. */
  readonly pages: readonly string[]
  /** From now on `guarded` lets calls pass. */
  connect(): void
  /** A person is done with a page. */
  finish(page: string): Promise<void>
}

export async function startLegacyPages(): Promise<LegacyPages> {
  const pages: string[] = []
  const finishers = new Map<string, () => Promise<void>>()
  const state = { connected: false }
  const open = new Map<string, StreamableHTTPServerTransport>()

  function build(): ServerOne {
    const server = new ServerOne({ name: 'pages', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.registerTool('connect', { description: 'Sends to a page' }, async ({ requestId }) => {
      const elicitationId = randomUUID()
      pages.push(elicitationId)
      finishers.set(elicitationId, server.server.createElicitationCompletionNotifier(elicitationId))
      const page = { mode: 'url' as const, message: MESSAGE, url: PAGE_URL, elicitationId }
      // On the stream of the call, as the specification would have it.
      const { action } = await server.server.elicitInput(page, { relatedRequestId: requestId })
      return text(`the person says ${action}`)
    })
    server.registerTool('guarded', { description: 'Wants a page first' }, () => {
      if (state.connected) return text('connected')
      throw new UrlElicitationRequiredError([
        { mode: 'url', message: MESSAGE, url: PAGE_URL, elicitationId: 'guarded-1' },
      ])
    })
    return server
  }
  async function connect() {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    await build().connect(transport)
    return transport
  }
  const http = createServer((request, response) => {
    const session = request.headers['mcp-session-id']
    const held = typeof session === 'string' ? open.get(session) : undefined
    if (session !== undefined && held === undefined) return void response.writeHead(404).end()
    void (held === undefined ? connect() : Promise.resolve(held)).then((one) => one.handleRequest(request, response))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    pages,
    connect: () => void (state.connected = true),
    finish: (page) => finishers.get(page)?.() ?? Promise.reject(new Error('no such page')),
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map((transport) => transport.close()))
      http.closeAllConnections()
      await new Promise<void>((resolve) => void http.close(() => resolve()))
    },
  }
}

export async function startModernPages(): Promise<AsyncDisposable & { readonly url: string }> {
  const build = () => {
    const server = new ServerTwo({ name: 'pages', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.registerTool('connect', { description: 'Sends to a page' }, (ctx) => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'page')
      if (answer.kind === 'elicit') return text(`the person says ${answer.action}`)
      return inputRequired({ inputRequests: { page: inputRequired.elicitUrl({ message: MESSAGE, url: PAGE_URL }) } })
    })
    return server
  }
  const handler = createMcpHandler(build, { legacy: 'reject' })
  const serve = toNodeHandler({ fetch: (request: Request) => handler.fetch(request) })
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close()
      http.closeAllConnections()
      await new Promise<void>((resolve) => void http.close(() => resolve()))
    },
  }
}
