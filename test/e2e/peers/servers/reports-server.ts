/**
 * A server whose answers are too much to read, and whose arguments it does not check itself: for budgets and for checks at the gateway.
 *
 * It notes what reached it. Without sessions, in the era that is asked for.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'

export interface ReportsServer extends AsyncDisposable {
  readonly url: string
  /** Tool and arguments of each call, in order. */
  readonly received: readonly { readonly name: string; readonly given: unknown }[]
}

const readOnly = { readOnlyHint: true }
const count = { type: 'object', properties: { count: { type: 'integer' } } } as const
const TOOLS: Tool[] = [
  {
    name: 'search',
    description: 'Searches',
    annotations: readOnly,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        since: { type: 'string', format: 'date-time' },
        filters: { type: 'object', properties: { owner: { type: 'string' } }, additionalProperties: false },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  {
    name: 'orders',
    description: 'Lists orders, with a text that says the same',
    annotations: readOnly,
    inputSchema: count,
    outputSchema: {
      type: 'object',
      properties: {
        orders: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer' }, customer: { type: 'object' }, note: { type: 'string' } },
            required: ['id', 'customer'],
          },
        },
        total: { type: 'integer' },
      },
      required: ['orders', 'total'],
    },
  },
  { name: 'report', description: 'A long text, line by line', annotations: readOnly, inputSchema: count },
  { name: 'mixed', description: 'Long text around a picture and a file', annotations: readOnly, inputSchema: count },
  {
    name: 'misfit',
    description: 'Answers with what its own schema does not allow',
    annotations: readOnly,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] },
  },
]

export const SECRET_MAIL = 'ada.lovelace@customer.example'

function ordersOf(length: number) {
  const orders = Array.from({ length }, (_, id) => ({
    id,
    customer: { name: `Customer ${id}`, email: SECRET_MAIL },
    note: `Order ${id} wants to be wrapped with care and sent before the end of the week.`,
  }))
  return { orders, total: length }
}

const linesOf = (length: number) =>
  Array.from({ length }, (_, at) => `Line ${at + 1}: the quick brown fox jumps over the lazy dog, ünïcödé.`).join('\n')

function answer(name: string, given: Record<string, unknown>): CallToolResult {
  const length = typeof given['count'] === 'number' ? given['count'] : 3
  if (name === 'orders') {
    const structuredContent = ordersOf(length)
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  }
  if (name === 'report') return { content: [{ type: 'text', text: linesOf(length) }] }
  if (name === 'mixed')
    return {
      content: [
        { type: 'text', text: linesOf(length) },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'file:///report.txt', name: 'report.txt' },
        { type: 'text', text: linesOf(length) },
      ],
    }
  if (name === 'misfit') {
    const structuredContent = { total: 'many', more: 'data' }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  }
  return { content: [{ type: 'text', text: JSON.stringify(given) }] }
}

export async function startReports(era: 'legacy' | 'modern' = 'modern'): Promise<ReportsServer> {
  const received: { name: string; given: unknown }[] = []
  const create = () => {
    const server = new Server({ name: 'reports', version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } })
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
    server.setRequestHandler('tools/call', ({ params }) => {
      received.push({ name: params.name, given: params.arguments })
      return answer(params.name, params.arguments ?? {})
    })
    server.setRequestHandler('resources/list', () => ({
      resources: [{ uri: 'toolway://results/of-the-server', name: 'Its own' }],
    }))
    server.setRequestHandler('resources/read', ({ params }) => ({
      contents: [{ uri: params.uri, text: `read from the server: ${params.uri}` }],
    }))
    return server
  }
  const handler = createMcpHandler(create, { legacy: 'reject' })
  const legacy = async (request: Request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({})
    await create().connect(transport)
    return transport.handleRequest(request)
  }
  const serve = toNodeHandler({
    fetch: (request: Request) => (era === 'modern' ? handler.fetch(request) : legacy(request)),
  })
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    received,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await handler.close()
      http.closeAllConnections()
      await closed
    },
  }
}
