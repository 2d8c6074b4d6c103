/**
 * The upstream the conformance suites are pointed at: an MCP server, written with the official SDK, that has
 * every tool, resource and prompt the suites call and speaks both eras on one endpoint.
 *
 * `node test/conformance/everything-server.ts --port 3000 [--era legacy|modern|dual]`
 *
 * A fixture for loopback: it knows no authentication and never listens on another address.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  createRequestStateCodec,
  InMemoryServerEventBus,
  isLegacyRequest,
} from '@modelcontextprotocol/server'
import { createEverything } from './everything/everything.ts'
import { createLegacySessions } from './everything/legacy-sessions.ts'
import type { Asks } from './everything/push-tools.ts'
import type { RoundState } from './everything/round-tools.ts'

/** The revisions that the server speaks: before 2026-07-28, from it on, or both on one endpoint. */
export type ServerEra = 'legacy' | 'modern' | 'dual'

/** A running everything server; `url` is its MCP endpoint. */
export interface EverythingServer extends AsyncDisposable {
  url: string
  port: number
  close(): Promise<void>
}

/**
 * Starts the server on 127.0.0.1, for both eras and on a free port unless told otherwise. `asks`: how its older tools ask modern
 * clients.
 */
export async function startEverythingServer(
  options: { port?: number; era?: ServerEra; asks?: Asks } = {},
): Promise<EverythingServer> {
  const { port = 0, era = 'dual', asks = 'pushed' } = options
  const endpoint = createEndpoint(era, asks)
  const serve = toNodeHandler(endpoint)
  const hostIsLocal = localhostHostValidation()
  const originIsLocal = localhostOriginValidation()
  const http = createServer((request, response) => {
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return
    // The SDK's type leaves out that Node's optional fields may also be present and undefined.
    if (request.url?.split('?')[0] === '/mcp') void serve(request as NodeIncomingMessageLike, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const bound = (http.address() as AddressInfo).port
  const close = async () => {
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    await endpoint.close()
    http.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${bound}/mcp`, port: bound, close, [Symbol.asyncDispose]: close }
}

function createEndpoint(era: ServerEra, asks: Asks) {
  // The method is in the seal, so that a state minted for a prompt opens nothing in a tool.
  const states = createRequestStateCodec<RoundState>({ key: randomBytes(32), bind: (ctx) => ctx.mcpReq.method })
  const bus = new InMemoryServerEventBus()
  const modern = createMcpHandler(() => createEverything({ bus, states, asks }), { legacy: 'reject', bus })
  const legacy = createLegacySessions({ bus, states })
  const fetch = async (request: Request) => {
    const isLegacy = era === 'dual' ? await isLegacyRequest(request) : era === 'legacy'
    return isLegacy ? legacy.fetch(request) : modern.fetch(request)
  }
  const close = async () => {
    await Promise.all([modern.close(), legacy.close()])
  }
  return { fetch, close }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string' }, era: { type: 'string', default: 'dual' } } })
  const era = (['legacy', 'modern', 'dual'] as const).find((known) => known === values.era)
  const port = Number(values.port ?? 0)
  if (era === undefined || !Number.isInteger(port)) {
    process.stderr.write('usage: everything-server.ts --port N [--era legacy|modern|dual]\n')
    process.exit(2)
  }
  const server = await startEverythingServer({ port, era })
  process.stdout.write(`everything server (${era}) on ${server.url}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
}
