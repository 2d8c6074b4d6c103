/**
 * JSON-RPC by hand over what lasts, a WebSocket or the pair of 2024-11-05: every message that comes is kept as it came, with what
 * ended it. One face for both, so that a story can be told once.
 */
import { once } from 'node:events'
import { MODERN_META, type RawMessage } from './raw-client.ts'
import { openSocket, sseOf } from './lasting-transports.ts'
import { until } from '../until.ts'

export interface RawLine extends AsyncDisposable {
  /** Everything that came, in order. */
  readonly heard: readonly RawMessage[]
  /** Set when the other side, or this one, has ended it. A stream has no code. */
  readonly closed: { code: number; reason: string } | undefined
  /** A message as it is; resolves when it is on its way, with the HTTP status where there is one. */
  say(message: unknown): Promise<number>
  /** A request and its answer. */
  ask(method: string, params?: Record<string, unknown>, id?: string | number): Promise<RawMessage>
  /** Leave without a word. */
  drop(): void
}

export type LineWay = 'sse' | 'socket'
export const LINE_WAYS: readonly LineWay[] = ['sse', 'socket']

export interface LineParts {
  readonly way: LineWay
  /** Of the MCP endpoint. */
  readonly url: string
  readonly key: string | undefined
  readonly headers?: Record<string, string>
}

export const openLine = ({ way, url, key, headers = {} }: LineParts): Promise<RawLine> =>
  way === 'sse' ? openPair(url, key, headers) : openOnSocket(url, key, headers)

/** A line with a session, as a legacy client opens it. */
export async function openLegacyLine(parts: LineParts, revision = '2025-11-25', capabilities = {}): Promise<RawLine> {
  const line = await openLine(parts)
  const clientInfo = { name: 'raw', version: '1.0.0' }
  await line.ask('initialize', { protocolVersion: revision, capabilities, clientInfo }, 'opening')
  await line.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return line
}

/** The params of a modern request. */
export const modern = (params: Record<string, unknown> = {}) => ({ ...params, _meta: MODERN_META })

interface Way {
  say(message: unknown): Promise<number>
  drop(): void
}

function lineOf(heard: RawMessage[], ended: { value: RawLine['closed'] }, { say, drop }: Way): RawLine {
  let last = 0
  return {
    heard,
    get closed() {
      return ended.value
    },
    say,
    async ask(method, params, id = `r${++last}`) {
      const from = heard.length
      await say({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      const answer = () => heard.slice(from).find((one) => one.id === id && one.method === undefined)
      await until(`${method} is answered`, () => answer() !== undefined || ended.value !== undefined)
      const found = answer()
      if (found === undefined) throw new Error(`${method} was not answered: the line ended (${ended.value?.code})`)
      return found
    },
    drop,
    async [Symbol.asyncDispose]() {
      drop()
      await until('the line is gone', () => ended.value !== undefined)
    },
  }
}

async function openOnSocket(url: string, key: string | undefined, headers: Record<string, string>): Promise<RawLine> {
  const socket = openSocket(url, key, headers)
  const heard: RawMessage[] = []
  const ended: { value: RawLine['closed'] } = { value: undefined }
  socket.on('message', (data: Buffer) => void heard.push(JSON.parse(data.toString()) as RawMessage))
  socket.once('close', (code, reason) => (ended.value = { code, reason: reason.toString() }))
  await once(socket, 'open')
  return lineOf(heard, ended, {
    say: async (message) => {
      socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
      return 0
    },
    drop: () => socket.terminate(),
  })
}

async function openPair(url: string, key: string | undefined, headers: Record<string, string>): Promise<RawLine> {
  const leaving = new AbortController()
  const own = { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  const response = await fetch(sseOf(url), { headers: { ...own, accept: 'text/event-stream' }, signal: leaving.signal })
  if (!response.ok) throw new Error(`the stream was refused: ${response.status} ${await response.text()}`)
  const heard: RawMessage[] = []
  const ended: { value: RawLine['closed'] } = { value: undefined }
  let address = ''
  const take = (event: string) => {
    const said = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(event)?.[1] ?? ''
    if (said('event') === 'endpoint') address = new URL(said('data'), url).href
    if (said('event') === 'message') heard.push(JSON.parse(said('data')) as RawMessage)
  }
  void readEvents(response, take).finally(() => (ended.value = { code: 0, reason: '' }))
  await until('the address for messages is told', () => address !== '')
  return lineOf(heard, ended, {
    say: async (message) => {
      const body = typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message)
      const posted = await fetch(address, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body,
      })
      await posted.text()
      return posted.status
    },
    drop: () => leaving.abort(),
  })
}

async function readEvents(response: Response, take: (event: string) => void): Promise<void> {
  let rest = ''
  try {
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) take(event)
    }
  } catch {
    // It was left, or cut: it has ended either way.
  }
}
