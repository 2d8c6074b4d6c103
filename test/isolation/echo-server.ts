/**
 * An upstream that tells whose it is and what it was sent: its organization's word, the credential and the session of the request.
 *
 * Two of them have equal names of everything; only the word in their texts differs. It speaks one era, over Streamable HTTP.
 */
import { hash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  inputRequired,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

export interface EchoServer extends AsyncDisposable {
  readonly url: string
}

/** The answer to a call of `whoami`, as JSON. */
export interface Echoed {
  readonly word: string
  /** Digest of the credential: the gateway masks the credential itself where a server repeats it. */
  readonly credential: string
  readonly session: string | null
  readonly said: unknown
}

export const digestOf = (credential: string): string => hash('sha256', credential)

const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] }
const QUESTION = inputRequired.elicit({ message: 'Who?', requestedSchema: FORM })
/** More than a page of the gateway's. */
const PADDING = Array.from({ length: 1_100 }, (_, at) => ({ name: `tool_${String(at).padStart(4, '0')}` }))

const TOOLS = [
  { name: 'question' },
  { name: 'whoami', annotations: { readOnlyHint: true } },
  { name: 'change', annotations: {} },
  { name: 'destroy', annotations: { destructiveHint: true } },
]

interface EchoParts {
  readonly word: string
  /** Whether it has more tools than fit on a page. */
  readonly padded?: boolean | undefined
}

/** `request` is the one being answered, where the SDK does not hand it to the one who answers. */
function createEcho({ word, padded }: EchoParts, request?: Request): Server {
  const server = new Server(
    { name: 'echo', version: '1.0.0' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} }, instructions: `This is ${word}.` },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: [...TOOLS, ...(padded === true ? PADDING : [])].map((tool) => ({
      ...tool,
      description: `Of ${word}`,
      inputSchema: { type: 'object' as const },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, { http, mcpReq }) => {
    if (params.name === 'question' && mcpReq.inputResponses === undefined)
      return inputRequired({ inputRequests: { who: QUESTION }, requestState: `state of ${word}` })
    const headers = (http?.req ?? request)?.headers
    const echoed: Echoed = {
      word,
      credential: digestOf(headers?.get('authorization') ?? ''),
      session: headers?.get('mcp-session-id') ?? null,
      said: params.arguments?.['said'],
    }
    return { content: [{ type: 'text', text: JSON.stringify(echoed) }] }
  })
  server.setRequestHandler('resources/list', () => ({
    resources: [{ uri: 'note://same', name: 'same', description: `Of ${word}` }],
  }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: `Of ${word}` }] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'greet', description: `Of ${word}` }] }))
  server.setRequestHandler('prompts/get', () => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `Of ${word}` } }],
  }))
  return server
}

function modern(parts: EchoParts) {
  const handler = createMcpHandler(({ requestInfo }) => createEcho(parts, requestInfo), { legacy: 'reject' })
  return { fetch: (request: Request) => handler.fetch(request), close: () => handler.close() }
}

function legacy(parts: EchoParts) {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  async function connect(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    await createEcho(parts).connect(transport)
    return transport
  }
  return {
    async fetch(request: Request): Promise<Response> {
      const id = request.headers.get('mcp-session-id')
      const transport = id === null ? await connect() : open.get(id)
      return transport === undefined ? new Response(null, { status: 404 }) : transport.handleRequest(request)
    },
    close: async () => void (await Promise.all([...open.values()].map((transport) => transport.close()))),
  }
}

export async function startEcho({
  era,
  ...parts
}: EchoParts & { readonly era: 'modern' | 'legacy' }): Promise<EchoServer> {
  const endpoint = era === 'modern' ? modern(parts) : legacy(parts)
  const serve = toNodeHandler(endpoint)
  // The SDK's type leaves out that Node's optional fields may also be present and undefined.
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await endpoint.close()
      http.closeAllConnections()
      await new Promise<void>((resolve) => http.close(() => resolve()))
    },
  }
}
