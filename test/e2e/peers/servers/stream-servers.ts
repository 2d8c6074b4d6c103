/**
 * MCP servers whose connection is their session: HTTP+SSE by the SDK's own transport of that name, WebSocket by one written to
 * the SDK's transport interface, as servers in the field do. The SDK's server speaks on them.
 */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { WebSocketServer, type WebSocket } from 'ws'
import { freePort } from '../../../../packages/gateway/src/testing/free-port.ts'

export interface StreamServer extends AsyncDisposable {
  readonly url: string
  /** Requests by which connections were opened: method, address, headers. */
  readonly opened: readonly { url: string; headers: Record<string, string | string[] | undefined> }[]
  /** Connections that are open now. */
  readonly size: number
  /** Break every connection, as a crash does; new ones are welcome. */
  cut(): void
  /** Nothing listens any more, until `comeBack`. */
  leave(): Promise<void>
  comeBack(): Promise<void>
}

/** A connection has been made; whoever serves it connects it to a server. */
export type Serve = (transport: Transport) => unknown

/** `GET /sse` and `POST /messages?sessionId=…`; anything else is 404, as with the servers of that time. */
export async function startSseServer(serve: Serve): Promise<StreamServer> {
  const open = new Map<string, SSEServerTransport>()
  const opened: StreamServer['opened'][number][] = []
  return listen(
    'http',
    '/sse',
    opened,
    () => open.size,
    (server) => {
      server.on('request', (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
        if (request.method === 'GET' && pathname === '/sse') {
          opened.push({ url: request.url ?? '', headers: request.headers })
          const transport = new SSEServerTransport('/messages', response)
          open.set(transport.sessionId, transport)
          response.on('close', () => open.delete(transport.sessionId))
          return void serve(transport)
        }
        const held = open.get(searchParams.get('sessionId') ?? '')
        if (request.method !== 'POST' || pathname !== '/messages' || held === undefined)
          return void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Not found</p>')
        held.handlePostMessage(request, response).catch(() => response.destroy())
      })
    },
  )
}

export async function startSocketServer(serve: Serve): Promise<StreamServer> {
  const open = new Set<WebSocket>()
  const opened: StreamServer['opened'][number][] = []
  return listen(
    'ws',
    '/mcp',
    opened,
    () => open.size,
    (server) => {
      const sockets = new WebSocketServer({
        server,
        handleProtocols: (offered) => (offered.has('mcp') ? 'mcp' : false),
      })
      sockets.on('connection', (socket, request) => {
        opened.push({ url: request.url ?? '', headers: request.headers })
        open.add(socket)
        socket.on('close', () => open.delete(socket))
        serve(transportOf(socket))
      })
    },
  )
}

/** The SDK's transport interface over one socket. */
function transportOf(socket: WebSocket): Transport {
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) =>
      new Promise((resolve, reject) =>
        socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve())),
      ),
    close: () => Promise.resolve(socket.close()),
  }
  socket.on('message', (data) => transport.onmessage?.(JSON.parse(String(data)) as JSONRPCMessage))
  socket.on('close', () => transport.onclose?.())
  socket.on('error', (error) => transport.onerror?.(error))
  return transport
}

async function listen(
  scheme: string,
  path: string,
  opened: StreamServer['opened'],
  size: () => number,
  prepare: (server: HttpServer) => void,
): Promise<StreamServer> {
  const sockets = new Set<Socket>()
  let server: HttpServer | undefined
  async function start(port: number): Promise<number> {
    const made = createServer()
    made.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    prepare(made)
    await new Promise<void>((resolve, reject) => made.once('error', reject).listen(port, '127.0.0.1', resolve))
    server = made
    return (made.address() as AddressInfo).port
  }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  async function leave(): Promise<void> {
    const going = server
    server = undefined
    if (going === undefined) return
    const closed = new Promise<void>((resolve) => going.close(() => resolve()))
    cut()
    await closed
  }
  // Programs that ask for any port are not given this one while it is away.
  const port = await start(await freePort())
  return {
    url: `${scheme}://127.0.0.1:${port}${path}`,
    opened,
    get size() {
      return size()
    },
    cut,
    leave,
    comeBack: async () => void (await start(port)),
    [Symbol.asyncDispose]: leave,
  }
}
