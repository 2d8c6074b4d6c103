/** Servers that forget their sessions when they are told to, or after each call, and say so as a row does: over HTTP, HTTP+SSE and WebSocket. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { startScriptedUpstream } from '../fault/scripted-upstream.ts'
import type { SaysLost } from './rows/sessions.ts'

const TOOLS = { tools: [{ name: 'good', inputSchema: { type: 'object' } }] }
const INITIALIZED = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
}
const RESULTS: Readonly<Record<string, object>> = {
  initialize: INITIALIZED,
  'tools/list': TOOLS,
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
}

interface Rpc {
  readonly id?: number
  readonly method: string
}

export interface Forgetting {
  /** How a ping in a session that is there is answered: as everything else, always well, or never well. */
  readonly pings?: 'as the others' | 'well' | 'never'
  /** Each session is forgotten once a call has run in it. */
  readonly afterEachCall?: boolean
}

export async function startForgetful(
  says: SaysLost,
  { pings = 'as the others', afterEachCall = false }: Forgetting = {},
) {
  const forgotten = new Set<string | undefined>()
  const ran: unknown[] = []
  let isForgetful = false
  const server = await startScriptedUpstream({
    era: 'legacy',
    capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
    results: { 'resources/subscribe': {} },
    act(heard, response) {
      const { method, session, verb } = heard
      if (method === 'initialize' || verb === 'DELETE') return false
      if (isForgetful && method === 'tools/call') forgotten.add(session)
      if (pings === 'well' && method === 'ping') return false
      const isLost = forgotten.has(session) || (pings === 'never' && method === 'ping')
      if (isLost) says(heard, response)
      else if (method === 'tools/call') {
        ran.push(heard.params['name'])
        if (afterEachCall) forgotten.add(session)
      }
      return isLost
    },
  })
  return Object.assign(server, {
    ran,
    forget: () => {
      for (const { session } of server.of('initialize')) forgotten.add(session)
    },
    forgetAlways: (is: boolean) => (isForgetful = is),
  })
}

const closed = (close: (done: () => void) => void) => new Promise<void>((resolve) => close(resolve))

/** HTTP+SSE behind a proxy: the stream stays open while the server behind it has forgotten the session. */
export async function startForgetfulPairs(says: (response: ServerResponse) => void, { afterEachCall = false } = {}) {
  const [streams, forgotten, ran] = [new Map<string, ServerResponse>(), new Set<string>(), [] as string[]]
  const server = createServer((request, response) => {
    const session = new URL(request.url ?? '', 'http://x').searchParams.get('s')
    if (request.method === 'GET') {
      const own = `s${streams.size + 1}`
      streams.set(own, response)
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`event: endpoint\ndata: /m?s=${own}\n\n`)
    }
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      if (session === null) return void response.writeHead(405).end()
      if (forgotten.has(session)) return says(response)
      const { id, method } = JSON.parse(body) as Rpc
      response.writeHead(202).end()
      if (method === 'tools/call') {
        ran.push(session)
        if (afterEachCall) forgotten.add(session)
      }
      const result = RESULTS[method] ?? {}
      if (id !== undefined) streams.get(session)?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    ran,
    forget: () => {
      for (const session of streams.keys()) forgotten.add(session)
    },
    [Symbol.asyncDispose]: () => closed((done) => void (server.closeAllConnections(), server.close(done))),
  }
}

/** WebSocket: the socket stays open, and each message in a forgotten session gets this error. */
export async function startForgetfulSocket(error: object, { afterEachCall = false } = {}) {
  const ran: number[] = []
  const forgotten = new Set<number>()
  let sessions = 0
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mcp' })
  await new Promise<void>((resolve) => void server.once('listening', resolve))
  server.on('connection', (socket) => {
    const own = ++sessions
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as Rpc
      if (id === undefined) return
      const isLost = forgotten.has(own)
      if (method === 'tools/call' && !isLost) {
        ran.push(own)
        if (afterEachCall) forgotten.add(own)
      }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...(isLost ? { error } : { result: RESULTS[method] ?? {} }) }))
    })
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ran,
    get size() {
      return server.clients.size
    },
    forget: () => {
      for (let at = 1; at <= sessions; at++) forgotten.add(at)
    },
    [Symbol.asyncDispose]: () =>
      closed((done) => {
        for (const socket of server.clients) socket.terminate()
        server.close(() => done())
      }),
  }
}
