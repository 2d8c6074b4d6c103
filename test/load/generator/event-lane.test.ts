import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createEventLane } from './event-lane.ts'
import { FIRST_ID } from './mcp-call.ts'

interface Asked {
  readonly id?: number
  readonly method: string
}
type Turn = (stream: ServerResponse, id: number, post: Socket) => void

const say = (stream: ServerResponse, message: object) =>
  void stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
const good = (stream: ServerResponse, id: number) =>
  say(stream, { id, result: { content: [{ type: 'text', text: `echo ${id}` }] } })

/** A lane to a server of the oldest transport, which does with its nth call what the nth of `turns` says. */
async function laneTo(...turns: Turn[]) {
  const methods: string[] = []
  const streams: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      streams.push(response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`event: endpoint\ndata: /messages?session=${streams.length}\n\n`)
    }
    const stream = streams[Number(request.url?.split('=')[1]) - 1]
    void text(request).then((body) => {
      const { id = 0, method } = JSON.parse(body) as Asked
      methods.push(method)
      if (stream !== undefined && method === 'initialize') say(stream, { id, result: {} })
      if (stream !== undefined && method === 'tools/call') turns.shift()?.(stream, id, request.socket)
      response.writeHead(202).end('Accepted')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let id = FIRST_ID
  const target = { url: `http://127.0.0.1:${port}/mcp`, tool: 'echo', isStream: true } as const
  const lane = createEventLane({ target, nextId: () => ++id, limitMs: 2_000 })
  return {
    lane,
    methods,
    sessions: () => streams.length,
    async [Symbol.asyncDispose]() {
      lane.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('a lane of the oldest transport', () => {
  test('opens one session and makes call after call in it', async () => {
    const noted: Turn = (stream, id) => {
      say(stream, { method: 'notifications/message', params: {} })
      say(stream, { id: 'p1', method: 'ping' })
      good(stream, id)
    }
    await using setup = await laneTo(good, noted, good)
    for (let n = 0; n < 3; n++) expect(await setup.lane.call()).toBeUndefined()
    expect(setup.methods.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/call'])
    expect(setup.sessions()).toBe(1)
  })

  test('counts an error, a stale answer and silence as faults', async () => {
    const refusing: Turn = (stream, id) => say(stream, { id, error: { code: -32603, message: 'x' } })
    const stale: Turn = (stream, id) => good(stream, id - 1)
    const silent: Turn = () => undefined
    await using setup = await laneTo(refusing, stale, silent)
    expect(await setup.lane.call()).toContain('error {"code":-32603')
    expect(await setup.lane.call()).toContain('the call 100000002')
    expect(await setup.lane.call()).toBe('no answer within 2000 ms')
  })

  test('reports a closed stream and opens another for the next call', async () => {
    await using setup = await laneTo((stream) => void stream.end(), good)
    expect(await setup.lane.call()).toBe('the stream was closed')
    expect(await setup.lane.call()).toBeUndefined()
    expect(setup.sessions()).toBe(2)
  })

  test('opens another session when its messages are taken no more', async () => {
    await using setup = await laneTo((_, __, post) => void post.destroy(), good)
    expect(await setup.lane.call()).toMatch(/closed|ECONNRESET/)
    expect(await setup.lane.call()).toBeUndefined()
    expect(setup.sessions()).toBe(2)
  })

  test('reports where there is no stream', async () => {
    await using server = await laneTo()
    const lane = createEventLane({
      target: { url: 'http://127.0.0.1:1/mcp', tool: 'echo', isStream: true },
      nextId: () => FIRST_ID,
      limitMs: 2_000,
    })
    expect(await lane.call()).toContain('ECONNREFUSED')
    expect(server.sessions()).toBe(0)
  })
})
