/**
 * An MCP server that behaves until a tool is called, and then misbehaves as the tool's name says. Written on the bare HTTP
 * server, because no SDK can be talked into most of it.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Asked {
  readonly id: unknown
  readonly method: string
  readonly params: Record<string, unknown>
}

const MIB = 1024 * 1024
const META = { 'io.modelcontextprotocol/serverInfo': { name: 'faulty', version: '1' } }
const done = (id: unknown, text = 'done') => ({
  jsonrpc: '2.0',
  id,
  result: { resultType: 'complete', content: [{ type: 'text', text }], _meta: META },
})
const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const raw = (response: ServerResponse, text: string | Buffer, type = 'application/json', status = 200) =>
  response.writeHead(status, { 'content-type': type }).end(text)
const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const event = (value: unknown) => `event: message\ndata: ${JSON.stringify(value)}\n\n`
const noise = (at: number) =>
  event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'unasked', progress: at } })

function drip(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 50)
  response.once('close', () => clearInterval(timer))
}

async function pour(response: ServerResponse, mebibytes: number): Promise<void> {
  const chunk = Buffer.alloc(MIB, 0x78)
  const closed = once(response, 'close')
  for (let sent = 0; sent < mebibytes && !response.destroyed; sent++) {
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed])
  }
}

type Misbehaviour = (response: ServerResponse, id: unknown, elsewhere: string) => unknown

export const MISBEHAVIOURS = {
  good: (response, id) => json(response, done(id)),
  silent: () => {},
  'silent-stream': (response) => stream(response).flushHeaders(),
  twice: (response, id) => stream(response).end(event(done(id, 'first')) + event(done(id, 'second'))),
  'twice-json': (response, id) => raw(response, JSON.stringify(done(id)) + JSON.stringify(done(id))),
  stranger: (response) => json(response, done(987_654)),
  'stranger-stream': (response) => stream(response).end(event(done('nobody'))),
  'text-id': (response, id) => json(response, done(String(id))),
  array: (response, id) => json(response, [done(id)]),
  'keys-twice': (response, id) => raw(response, JSON.stringify(done(id, 'last')).replace('{', '{"id":987654,')),
  deep: (response, id) =>
    raw(response, JSON.stringify(done(id, '#')).replace('"#"', '['.repeat(1e5) + ']'.repeat(1e5))),
  // A byte that cannot be decoded is shown as such: the rest of the answer still counts.
  latin1: (response, id) => raw(response, Buffer.from(JSON.stringify(done(id, 'caf\u00e9')), 'latin1')),
  utf16: (response, id) => raw(response, Buffer.from(JSON.stringify(done(id)), 'utf16le')),
  hints: (response, id) => {
    for (let at = 0; at < 100; at++)
      response.writeEarlyHints({ link: `</${at}>; rel=preload`, 'content-type': 'text/event-stream' })
    json(response, done(id, 'after the hints'))
  },
  'header-bomb': (response, id) => {
    for (let at = 0; at < 200; at++) response.setHeader(`x-bomb-${at}`, 'x'.repeat(1000))
    json(response, done(id))
  },
  half: (response, id) => raw(response, JSON.stringify(done(id)).slice(0, 40)),
  page: (response) => raw(response, '<!doctype html><title>Welcome</title>', 'text/html'),
  empty: (response) => raw(response, ''),
  accepted: (response) => response.writeHead(202).end(),
  s401: (response) => raw(response, 'no', 'text/plain', 401),
  s403: (response) => raw(response, 'no', 'text/plain', 403),
  s404: (response) => raw(response, 'no', 'text/plain', 404),
  s429: (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
  s500: (response) => raw(response, 'Traceback: secret-of-the-upstream', 'text/plain', 500),
  s503: (response, id) => json(response, { jsonrpc: '2.0', id, error: { code: -32000, message: 'busy' } }, 503),
  s302: (response, _, elsewhere) => response.writeHead(302, { location: elsewhere }).end(),
  s307: (response, _, elsewhere) => response.writeHead(307, { location: elsewhere }).end(),
  s308: (response, _, elsewhere) => response.writeHead(308, { location: elsewhere }).end(),
  cut: (response, id) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      .write(JSON.stringify(done(id)).slice(0, 40))
    setTimeout(() => response.destroy(), 20)
  },
  reset: (response) => response.socket?.resetAndDestroy(),
  'cut-stream': (response) => {
    stream(response).write(noise(1))
    setTimeout(() => response.destroy(), 20)
  },
  'half-event': (response, id) => stream(response).end(event(done(id)).slice(0, -30)),
  bytewise: async (response, id) => {
    stream(response)
    for (const byte of Buffer.from(event(done(id, 'caf\u00e9 \u{1f600}')).replaceAll('\n', '\r\n'))) {
      response.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  },
  // One question after another, and no answer: a modern server has no business asking at all.
  'question-flood': (response, id) => {
    stream(response)
    for (let at = 0; at < 20_000; at++)
      response.write(event({ jsonrpc: '2.0', id: at, method: 'elicitation/create', params: { message: 'And now?' } }))
    response.end(event(done(id, 'after the flood')))
  },
  'end-stream': (response) => stream(response).end(noise(1)),
  flood: (response, id) => {
    stream(response)
    for (let at = 0; at < 20_000; at++) response.write(noise(at))
    response.end(event(done(id, 'after the flood')))
  },
  endless: (response) => drip(stream(response), noise(1)),
  'endless-comments': (response) => drip(stream(response), ': still there\n\n'),
  trickle: (response) => drip(response.writeHead(200, { 'content-type': 'application/json' }), ' '),
  huge: async (response, id) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .write(`{"jsonrpc":"2.0","id":${Number(id)},"result":{"content":[{"type":"text","text":"`)
    await pour(response, 64)
    response.end('"}]}}')
  },
  'huge-said': async (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(64 * MIB) })
    await pour(response, 64)
    response.end()
  },
  'huge-event': async (response) => {
    stream(response).write('data: ')
    await pour(response, 64)
    response.end('\n\n')
  },
} satisfies Record<string, Misbehaviour>

export type MisbehaviourName = keyof typeof MISBEHAVIOURS

export interface FaultyUpstream extends AsyncDisposable {
  readonly url: string
  /** Requests to where redirects point. */
  elsewhere(): number
  /** Connections that are open now. */
  connections(): Promise<number>
  /** Calls of that tool that have come. */
  calls(name: MisbehaviourName): number
}

export async function startFaultyUpstream(): Promise<FaultyUpstream> {
  let uncorrelated = 0
  const called: unknown[] = []
  const server = createServer((request, response) => {
    response.on('error', () => {})
    if (request.url === '/elsewhere') {
      uncorrelated++
      return void response.end()
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    // By another name it is another origin, where nothing is sent on to.
    request.on('end', () => {
      const asked = JSON.parse(body) as Asked
      if (asked.method === 'tools/call') called.push(asked.params['name'])
      answer(asked, response, `http://localhost:${port}/elsewhere`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url: `${url}/mcp`,
    elsewhere: () => uncorrelated,
    calls: (name) => called.filter((one) => one === name).length,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

const CAPABILITIES = { tools: {} }

function answer({ id, method, params }: Asked, response: ServerResponse, elsewhere: string): void {
  const misbehave: Misbehaviour | undefined = MISBEHAVIOURS[params?.['name'] as MisbehaviourName]
  if (method === 'tools/call' && misbehave !== undefined) return void misbehave(response, id, elsewhere)
  if (id === undefined) return void response.writeHead(202).end()
  const results: Record<string, object> = {
    'server/discover': {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: CAPABILITIES,
      _meta: META,
    },
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: CAPABILITIES,
      serverInfo: { name: 'faulty', version: '1' },
    },
    'tools/list': {
      resultType: 'complete',
      tools: Object.keys(MISBEHAVIOURS).map((name) => ({ name, inputSchema: { type: 'object' } })),
      ttlMs: 0,
      cacheScope: 'private',
      _meta: META,
    },
  }
  const result = results[method]
  if (result === undefined) json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
  else json(response, { jsonrpc: '2.0', id, result })
}
