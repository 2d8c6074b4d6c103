/**
 * A server of the zoo over Streamable HTTP, HTTP+SSE or WebSocket (`zoo.script.ts` has stdio). It does only what its answers need: no
 * sessions, no streams of its own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Transport } from './rows/row.ts'
import { answerTo, type Shown } from './zoo-messages.ts'

export interface ZooServer extends AsyncDisposable {
  readonly url: string
  /** Bodies of the calls, as they came. */
  readonly bodies: readonly string[]
}

export async function startZooServer(
  shown: Shown,
  transport: Exclude<Transport, 'stdio'> = 'http',
): Promise<ZooServer> {
  const bodies: string[] = []
  const answer = (body: string) => {
    if (body.includes('"tools/call"')) bodies.push(body)
    return answerTo(shown, body)
  }
  const server = createServer(transport === 'sse' ? overPairs(answer) : overHttp(answer))
  const sockets = transport === 'websocket' ? overSockets(answer, server) : undefined
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const [scheme, path] = { http: ['http', '/mcp'], sse: ['http', '/sse'], websocket: ['ws', '/mcp'] }[transport]
  return {
    url: `${scheme}://127.0.0.1:${port}${path}`,
    bodies,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets?.clients ?? []) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Answer = (body: string) => string | undefined
type Listener = (request: IncomingMessage, response: ServerResponse) => void

async function textOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string
  return body
}

const overHttp =
  (answer: Answer): Listener =>
  (request, response) => {
    void textOf(request).then((body) => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const text = answer(body)
      if (text === undefined) return void response.writeHead(202).end()
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })
  }

/** HTTP+SSE of revision 2024-11-05: the stream names where messages go, and carries what answers them. */
function overPairs(answer: Answer): Listener {
  const streams: ServerResponse[] = []
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    if (request.method === 'GET' && pathname === '/sse') {
      const own = streams.push(response) - 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`event: endpoint\ndata: /messages?s=${own}\n\n`)
    }
    void textOf(request).then((body) => {
      const stream = streams[Number(searchParams.get('s') ?? -1)]
      if (pathname !== '/messages' || stream === undefined) return void response.writeHead(404).end()
      response.writeHead(202).end()
      const text = answer(body)
      if (text !== undefined) stream.write(`event: message\ndata: ${text}\n\n`)
    })
  }
}

function overSockets(answer: Answer, server: ReturnType<typeof createServer>): WebSocketServer {
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => (offered.has('mcp') ? 'mcp' : false) })
  sockets.on('connection', (socket) =>
    socket.on('message', (bytes) => {
      const text = answer(String(bytes))
      if (text !== undefined) socket.send(text)
    }),
  )
  return sockets
}
