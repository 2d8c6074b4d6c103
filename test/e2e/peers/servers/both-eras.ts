/**
 * A server that speaks both eras on one endpoint, as one does after a mere update of its SDK: its tools push their questions, which
 * only a legacy session carries. Each tool counts its runs.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] }
const NOTHING = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {} })
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/** The runs of each tool, by its name. */
export type Runs = Record<string, number>

export function createBothEras(runs: Runs): McpServer {
  const server = new McpServer({ name: 'both-eras', version: '1.0.0' })
  const count = (name: string) => (runs[name] = (runs[name] ?? 0) + 1)
  const push = (name: string, readOnlyHint: boolean) =>
    server.registerTool(
      name,
      { description: 'Asks in the middle of a call', inputSchema: NOTHING, annotations: { readOnlyHint } },
      async (_, ctx) => {
        const run = count(name)
        const form = { message: 'Who are you?', requestedSchema: FORM }
        const { action, content } = await ctx.mcpReq.elicitInput(form, { relatedRequestId: ctx.mcpReq.id })
        return text(`run ${run}: ${action} ${JSON.stringify(content)}`)
      },
    )
  push('push_read', true)
  push('push_write', false)
  server.registerTool('rounds', { description: 'Asks by its result', inputSchema: NOTHING }, (_, ctx) => {
    count('rounds')
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'who')
    if (answer.kind === 'elicit') return text(`rounds: ${JSON.stringify(answer.content)}`)
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: FORM }) },
    })
  })
  server.registerTool('plain', { description: 'Asks nothing', inputSchema: NOTHING }, () => {
    count('plain')
    return text('plain')
  })
  return server
}

export interface BothErasServer extends AsyncDisposable {
  readonly url: string
  readonly runs: Runs
  /** The methods that came, each with its era. */
  readonly heard: string[]
  /** What becomes of requests in the legacy era; `paged`: calls run, and a proxy puts a page in the place of the answer. */
  legacy: 'served' | 'refused' | 'silent' | 'paged'
}

export async function startBothEras(): Promise<BothErasServer> {
  const runs: Runs = {}
  const heard: string[] = []
  const modern = createMcpHandler(() => createBothEras(runs), { legacy: 'reject' })
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const begin = async () => {
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    await createBothEras(runs).connect(transport)
    return transport
  }
  const serve = toNodeHandler({
    async fetch(request: Request) {
      const isLegacy = await isLegacyRequest(request)
      const { method } = request.method === 'POST' ? ((await request.clone().json()) as { method?: string }) : request
      heard.push(`${isLegacy ? 'legacy' : 'modern'} ${method}`)
      if (!isLegacy || server.legacy === 'refused') return modern.fetch(request)
      if (server.legacy === 'silent') return new Promise<Response>(() => {})
      const transport = open.get(request.headers.get('mcp-session-id') ?? '') ?? (await begin())
      const answer = await transport.handleRequest(request)
      if (server.legacy !== 'paged' || method !== 'tools/call') return answer
      await answer.text()
      return new Response('<html>Bad gateway</html>', { headers: { 'content-type': 'text/html' } })
    },
  })
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  const server: BothErasServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    runs,
    heard,
    legacy: 'served',
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await Promise.all([modern.close(), ...[...open.values()].map((transport) => transport.close())])
      http.closeAllConnections()
      await closed
    },
  }
  return server
}
