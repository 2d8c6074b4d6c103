/**
 * A server with an app, by the official packages (`ext-apps` over SDK 2): it offers its app to hosts that show apps, and plain text
 * to all others, as its documentation says servers do. One era at a time.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  getUiCapability,
  registerAppResource,
  registerAppTool,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/server'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { ClientCapabilities } from '@modelcontextprotocol/server'

export const VIEW = 'ui://weather/view.html'
export const PAGE = '<!doctype html><title>Weather</title>'
export const LOOK = {
  csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://cdn.example.com'] },
  permissions: { geolocation: {} },
  prefersBorder: true,
}
const ICON = 'ui://weather/icon.png'

function build(name: string, declared: () => ClientCapabilities | undefined): McpServer {
  const server = new McpServer(
    { name, version: '1.0.0' },
    { capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/ui': {} } } },
  )
  const html = { uri: VIEW, mimeType: RESOURCE_MIME_TYPE, text: PAGE, _meta: { ui: LOOK } }
  registerAppResource(server, 'view', VIEW, { mimeType: RESOURCE_MIME_TYPE, _meta: { ui: LOOK } }, () => ({
    contents: [html],
  }))
  const icon = { uri: ICON, mimeType: 'image/png', blob: 'iVBORw0KGgo=' }
  registerAppResource(server, 'icon', ICON, {}, () => ({ contents: [icon] }))
  const offer = () => {
    const shows = getUiCapability(declared())?.mimeTypes?.includes(RESOURCE_MIME_TYPE) === true
    const said = shows ? 'an app' : 'text'
    const answer = () => ({ content: [{ type: 'text' as const, text: said }] })
    if (!shows) return void server.registerTool('weather', { description: 'As text' }, answer)
    registerAppTool(server, 'weather', { description: 'As an app', _meta: { ui: { resourceUri: VIEW } } }, answer)
    const forApp = { ui: { resourceUri: VIEW, visibility: ['app' as const] } }
    registerAppTool(server, 'refresh', { description: 'For the app', _meta: forApp }, answer)
    const named = () => ({ content: [{ type: 'text' as const, text: `from ${name}` }] })
    registerAppTool(server, 'origin', { description: 'Its server', _meta: { ui: { resourceUri: VIEW } } }, named)
    const forModel = { ui: { resourceUri: VIEW, visibility: ['model' as const] } }
    registerAppTool(server, 'internal', { description: 'For the model', _meta: forModel }, named)
  }
  if (declared() === undefined) server.server.oninitialized = offer
  else offer()
  return server
}

export async function startAppsServer(
  era: 'modern' | 'legacy',
  name = 'apps',
): Promise<AsyncDisposable & { readonly url: string }> {
  const endpoint = era === 'modern' ? modernEndpoint(name) : legacyEndpoint(name)
  const serve = toNodeHandler(endpoint)
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await endpoint.close()
      http.closeAllConnections()
      await new Promise<void>((resolve) => void http.close(() => resolve()))
    },
  }
}

interface Enveloped {
  readonly params?: { readonly _meta?: Record<string, ClientCapabilities> }
}

/** The client's capabilities are in each request. */
function modernEndpoint(name: string) {
  const declared = new AsyncLocalStorage<ClientCapabilities>()
  const handler = createMcpHandler(() => build(name, () => declared.getStore() ?? {}), { legacy: 'reject' })
  return {
    async fetch(request: Request) {
      const body = request.method === 'POST' ? ((await request.clone().json()) as Enveloped) : {}
      const capabilities = body.params?._meta?.['io.modelcontextprotocol/clientCapabilities'] ?? {}
      return declared.run(capabilities, () => handler.fetch(request))
    },
    close: () => handler.close(),
  }
}

/** The client's capabilities are declared when its session opens. */
function legacyEndpoint(name: string) {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  async function connect() {
    const built: { server?: McpServer } = {}
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    const server = build(name, () => built.server?.server.getClientCapabilities())
    built.server = server
    await server.connect(transport)
    return transport
  }
  return {
    async fetch(request: Request) {
      const id = request.headers.get('mcp-session-id')
      const transport = id === null ? await connect() : open.get(id)
      return transport?.handleRequest(request) ?? new Response(null, { status: 404 })
    },
    async close() {
      await Promise.all([...open.values()].map((transport) => transport.close()))
    },
  }
}
