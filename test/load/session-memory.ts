/**
 * Measures the memory that a gateway holds for the sessions of legacy clients: a thousand idle ones, and three thousand whose
 * event buffers are full, each with a session at a server behind it.
 *
 * A real gateway in a process of its own, real requests; the growth of its memory after garbage collection. A warm-up with
 * sessions that have ended is not counted: memory that a gateway needs to serve at all is not a cost of sessions.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Held } from './counts/held.ts'
import { startPeer, type Peer } from './processes/peer-process.ts'

export interface SessionMemory {
  readonly idle: { readonly sessions: number; readonly heapBytes: number; readonly rssBytes: number }
  readonly full: {
    readonly sessions: number
    /** Bytes of JSON that were sent to each, of which as much is kept as may be. */
    readonly sentBytes: number
    readonly heapBytes: number
    readonly rssBytes: number
  }
}

const IDLE = 1_000
const FULL = 3_000
const WARM_UP = 200
const AT_ONCE = 16
const EVENTS = 100
const LINE = 'x'.repeat(500)
const REVISION = '2025-11-25'
const FOR_START_MS = 60_000

/** Begins something that is sure to be ended. */
type Start = <T extends AsyncDisposable>(begin: () => T) => T

/** Ends what it starts; `start` sees to it also when the run is interrupted. */
export async function measureSessionMemory(core: number | undefined, start: Start): Promise<SessionMemory> {
  await using stub = await startTalker()
  const folder = start(makeFolder)
  const probe = new URL('./processes/memory-gateway.ts', import.meta.url)
  const gateway = start(() => startPeer(probe, [stub.url, folder.path], core))
  const { port, key } = (await gateway.next(FOR_START_MS)) as { port: number; key: string }
  const client = createClient(`http://127.0.0.1:${port}/api/v1/default/connectors/stub/mcp`, key)
  try {
    return await measure(gateway, client)
  } finally {
    gateway.tell({ ask: 'end' })
    await gateway.next(FOR_START_MS)
  }
}

function makeFolder() {
  const path = mkdtempSync(join(tmpdir(), 'toolway-memory-'))
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  chmodSync(path, 0o755)
  return {
    path,
    // A database whose process was killed takes a moment to end itself.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }),
  }
}

async function measure(gateway: Peer, client: ReturnType<typeof createClient>): Promise<SessionMemory> {
  const held = async () => {
    gateway.tell({ ask: 'held' })
    return (await gateway.next()) as Held
  }
  const since = (now: Held, then: Held) => ({ heapBytes: now.heap - then.heap, rssBytes: now.rss - then.rss })
  const early = await manyTimes(WARM_UP, client.open)
  await eachOf(early, client.fill)
  await eachOf(early, client.end)
  const empty = await held()
  const idle = await manyTimes(IDLE, client.open)
  const withIdle = await held()
  const all = [...idle, ...(await manyTimes(FULL - IDLE, client.open))]
  const sent = await eachOf(all, client.fill)
  const withFull = await held()
  return {
    idle: { sessions: IDLE, ...since(withIdle, empty) },
    full: { sessions: FULL, sentBytes: sent[0] ?? 0, ...since(withFull, empty) },
  }
}

/** A legacy client, one request at a time for each of its sessions. Throws on whatever is not as it should be. */
function createClient(url: string, key: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const ask = async (method: string, params: object, session?: string) => {
    const own = session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': REVISION }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...own }, body })
    return { session: response.headers.get('mcp-session-id') ?? '', text: await response.text() }
  }
  return {
    async open(): Promise<string> {
      const clientInfo = { name: 'memory', version: '1.0.0' }
      const { session, text } = await ask('initialize', { protocolVersion: REVISION, capabilities: {}, clientInfo })
      if (session === '') throw new Error(`no session was opened: ${text.slice(0, 300)}`)
      return session
    },
    /** Have the server say so much that nothing more is kept; the bytes that came. */
    async fill(session: string): Promise<number> {
      const { text } = await ask('tools/call', { name: 'talk', arguments: {} }, session)
      if (text.split(LINE).length !== EVENTS + 1 || !text.includes('"result"'))
        throw new Error(`the server did not say all of it: ${text.slice(0, 300)}`)
      return text.length
    },
    async end(session: string): Promise<void> {
      await fetch(url, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': session } })
    },
  }
}

const manyTimes = <Value>(count: number, work: () => Promise<Value>) =>
  eachOf(Array.from({ length: count }), () => work())

/** Over all, a few at a time, in the order of the questions. */
async function eachOf<One, Value>(all: readonly One[], work: (one: One) => Promise<Value>): Promise<Value[]> {
  const answers: Value[] = []
  const rest = all.entries()
  const worker = async () => {
    for (const [at, one] of rest) answers[at] = await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return answers
}

/** A legacy server whose one tool says a hundred lines before it answers. */
async function startTalker() {
  const server = createServer((request, response) => void talk(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function talk(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
  if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 204 : 405).end()
  const { id, method = '' } = JSON.parse(body) as { id?: unknown; method?: string }
  if (id === undefined) return void response.writeHead(202).end()
  const message = (more: object) => JSON.stringify({ jsonrpc: '2.0', ...more })
  if (method === 'tools/call') {
    const line = message({ method: 'notifications/message', params: { level: 'info', data: LINE } })
    const answer = message({ id, result: { content: [{ type: 'text', text: 'said' }] } })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return void response.end(`${`data: ${line}\n\n`.repeat(EVENTS)}data: ${answer}\n\n`)
  }
  const opened = {
    protocolVersion: REVISION,
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: 'talker', version: '1.0.0' },
  }
  const result = method === 'initialize' ? opened : { tools: [{ name: 'talk', inputSchema: { type: 'object' } }] }
  response
    .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': randomUUID() })
    .end(message({ id, result }))
}
