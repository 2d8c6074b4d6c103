/**
 * A legacy MCP server over HTTP+SSE or WebSocket that behaves until a tool is called, and then misbehaves as the tool's name
 * says. Written on the bare protocols, because no SDK can be talked into most of it.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

interface Asked {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
}

/** One connection with the gateway, whatever it is made of. */
interface Line {
  say(value: unknown): void
  garbage(text: string): void
  /** The beginning of a message, and nothing more of it. */
  half(value: unknown): void
  /** A message of that many MiB, or as much of it as is taken. */
  pour(mebibytes: number): void
  cut(): void
}

const MIB = 1024 * 1024
const done = (id: unknown, text = 'done') => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
const noise = (at: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'unasked', progress: at },
})

type Misbehaviour = (line: Line, id: unknown) => unknown

export const STREAM_MISBEHAVIOURS = {
  good: (line, id) => line.say(done(id)),
  silent: () => {},
  twice: (line, id) => {
    line.say(done(id, 'first'))
    line.say(done(id, 'second'))
  },
  stranger: (line) => line.say(done(987_654)),
  'nobody-said': (line, id) => {
    line.say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } })
    line.say(done(id))
  },
  garbage: (line, id) => {
    line.garbage('<!doctype html>')
    line.garbage('{"jsonrpc":"2.0","id":')
    line.say(done(id, 'after the garbage'))
  },
  flood: (line, id) => {
    for (let at = 0; at < 20_000; at++) line.say(noise(at))
    line.say(done(id, 'after the flood'))
  },
  questions: (line, id) => {
    for (let at = 0; at < 5_000; at++) line.say({ jsonrpc: '2.0', id: `q${at}`, method: 'roots/list' })
    line.say(done(id, 'after the questions'))
  },
  telling: (line, id) =>
    line.say({ jsonrpc: '2.0', id, error: { code: -32000, message: 'what is Bearer secret-of-the-connection?' } }),
  half: (line, id) => {
    line.half(done(id))
    setTimeout(() => line.cut(), 20)
  },
  cut: (line) => {
    line.say(noise(1))
    setTimeout(() => line.cut(), 20)
  },
  huge: (line) => line.pour(48),
} satisfies Record<string, Misbehaviour>

export type StreamMisbehaviour = keyof typeof STREAM_MISBEHAVIOURS

export interface FaultyStream extends AsyncDisposable {
  readonly url: string
  /** Connections that are open now. */
  readonly size: number
  /** Tools that were called, in order. */
  readonly called: readonly string[]
}

function answer(line: Line, { id, method, params }: Asked, called: string[]): void {
  if (id === undefined || method === undefined) return
  const name = String(params?.['name'])
  if (method === 'tools/call') {
    called.push(name)
    return void (STREAM_MISBEHAVIOURS as Record<string, Misbehaviour>)[name]?.(line, id)
  }
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'faulty', version: '1' },
    },
    'tools/list': {
      tools: Object.keys(STREAM_MISBEHAVIOURS).map((tool) => ({ name: tool, inputSchema: { type: 'object' } })),
    },
    ping: {},
  }
  const result = results[method]
  const error = { code: -32601, message: 'no such method' }
  line.say(result === undefined ? { jsonrpc: '2.0', id, error } : { jsonrpc: '2.0', id, result })
}

const eventOf = (text: string) => `event: message\ndata: ${text}\n\n`

const sseLine = (response: ServerResponse): Line => ({
  say: (value) => void response.write(eventOf(JSON.stringify(value))),
  garbage: (text) => void response.write(eventOf(text)),
  half: (value) => void response.write(eventOf(JSON.stringify(value)).slice(0, 40)),
  pour(mebibytes) {
    response.write('data: ')
    for (let sent = 0; sent < mebibytes; sent++) response.write(Buffer.alloc(MIB, 0x78))
  },
  cut: () => void response.destroy(),
})

const socketLine = (socket: WebSocket, raw: Socket): Line => ({
  say: (value) => socket.send(JSON.stringify(value)),
  garbage: (text) => socket.send(text),
  // A text frame of 100 bytes that has four.
  half: () => void raw.write(Buffer.from([0x81, 100, 0x7b, 0x22, 0x6a, 0x73])),
  pour: (mebibytes) => socket.send('x'.repeat(mebibytes * MIB), () => {}),
  cut: () => void raw.destroy(),
})

export async function startFaultyStream(kind: 'sse' | 'socket'): Promise<FaultyStream> {
  const called: string[] = []
  const lines = new Map<string, Line>()
  let last = 0
  const server = createServer((request, response) => {
    response.on('error', () => {})
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (kind === 'sse' && request.method === 'GET') {
      const session = String(++last)
      const line = sseLine(response)
      lines.set(session, line)
      response.on('close', () => lines.delete(session))
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`event: endpoint\ndata: /messages?session=${session}\n\n`)
    }
    const line = lines.get(url.searchParams.get('session') ?? '')
    if (line === undefined) return void response.writeHead(404).end()
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      response.writeHead(202).end()
      answer(line, JSON.parse(body) as Asked, called)
    })
  })
  if (kind === 'socket') {
    new WebSocketServer({ server }).on('connection', (socket, request) => {
      const session = String(++last)
      const line = socketLine(socket, request.socket)
      lines.set(session, line)
      socket.on('error', () => {})
      socket.on('close', () => lines.delete(session))
      socket.on('message', (data) => answer(line, JSON.parse(String(data)) as Asked, called))
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: kind === 'sse' ? `http://127.0.0.1:${port}/sse` : `ws://127.0.0.1:${port}/mcp`,
    called,
    get size() {
      return lines.size
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const line of lines.values()) line.cut()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
