import { Hono } from 'hono'
import { once } from 'node:events'
import { connect as dial, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { OPERATOR } from '../../identity/principal.ts'
import { Fault, type OrganizationId } from '@toolway/contract'
import type { JsonObject, Request } from '@toolway/protocol'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createRequestDispatcher } from '../../call/dispatch.ts'
import type { Admit } from '../../call/admit.ts'
import { createListeners } from '../../call/listening/listeners.ts'
import type { CallParts } from '../../call/call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { createChanges } from '../../catalog/changes.ts'
import { createToolListing } from '../../catalog/create-tool-listing.ts'
import { createSessions } from '../../sessions/sessions.ts'
import { createConnectionRegistry } from './connection-registry.ts'
import { createClients } from '../client-address.ts'
import { createTestAuditLog } from '../../testing/audit-log.ts'
import { createNoLimits } from '../../testing/limits.ts'
import { createOpenStreams } from '../streams/open-streams.ts'
import { createDoors } from '../doors.ts'
import { createServer } from '../server.ts'
import { createSseDoor } from './sse-door.ts'
import { CallsUnderWay } from '../streams/calls-under-way.ts'
import { createWebSocketDoor } from './websocket-door.ts'
import { PATIENCE_MS } from '../../testing/patience.ts'

const EVERYTHING = { connection: () => true, tool: () => true } as unknown as Parameters<typeof createToolListing>[2]
const STANDING = {
  principal: { ...OPERATOR, id: 'ada' },
  role: 'tenant_member',
  organizationId: 'org' as OrganizationId,
  owner: 'ada org',
  toolListing: createToolListing([], true, EVERYTHING),
  sees: () => true,
} as unknown as RequestContext

/** A server with the doors that last and nothing behind them, and the patience of a test. */
async function listen({
  admit = () => STANDING,
  streamQuota = createConnectionRegistry(),
}: { admit?: Admit; streamQuota?: ReturnType<typeof createConnectionRegistry> } = {}) {
  const faults: string[] = []
  const sessions = createSessions({ now: Date.now, onEnd() {} })
  const changes = createChanges()
  const draining = new AbortController()
  const open = createOpenStreams((inbound) => admit(inbound))
  const refuse = (code: string) => void faults.push(code)
  const auditLog = createTestAuditLog({ refuse })
  const [limits, clients] = [createNoLimits(), createClients([])]
  const parts = { limits, signer: { sign: () => '', verify: () => true } } as unknown as CallParts
  const dispatcher = createRequestDispatcher({ ...parts, sessions, changes, listeners: createListeners() })
  const shared = { admit, dispatcher, sessions, changes, auditLog, open, streamQuota, limits, clients }
  const doors = {
    ...shared,
    readPassThroughToken: () => undefined,
    bodyLimit: 1_000,
    draining: draining.signal,
    calls: new CallsUnderWay(),
  }
  const server = createServer(
    {
      guard: { check() {}, checkHost() {}, checkOrigin() {} },
      clients,
      limits,
      https: false,
      refused: refuse,
      answered() {},
      health: { draining: false },
      newCorrelationId: () => 'id',
      ...createDoors({
        connect: new Hono(),
        approvals: new Hono(),
        admin: new Hono(),
        pages: new Hono(),
        console: undefined,
        mcp: { answer: async (_, response) => void response.writeHead(503).end() },
        sse: createSseDoor({ ...doors, challenge: () => undefined, publicUrl: undefined }, { beat: 50 }),
        oauth: { takes: () => false, answer: async () => {} },
        webSocket: createWebSocketDoor(doors, { ping: 250, farewell: 5_000 }),
        eventSocket: { takes: () => false, enter: () => Promise.resolve() },
        health: { started: true, draining: false },
        readiness: () => ({ status: 'ready', problem: undefined, checks: {}, ages: {} }),
        metrics: undefined,
        newCorrelationId: () => 'id',
        identify() {},
        recalls: () => false,
        prove: () => '',
      }),
    },
    { headersTimeout: 100, requestTimeout: 200, keepAliveTimeout: 1_000, connectionsCheckingInterval: 20 },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address,
    faults,
    sessions,
    streamQuota,
    draining,
    [Symbol.asyncDispose]: () =>
      new Promise<void>(
        (resolve) => void (draining.abort(), server.closeAllConnections(), server.close(() => resolve())),
      ),
  }
}

/** A socket, what it has heard, and how it ended. */
async function connect(address: string, options: { autoPong?: boolean } = {}) {
  const socket = new WebSocket(`ws://${address}/mcp`, ['mcp'], options)
  const heard: JsonObject[] = []
  socket.on('message', (data: Buffer) => void heard.push(JSON.parse(data.toString()) as JsonObject))
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }))
  await once(socket, 'open')
  const say = (method: string, id: Request['id'] = 1, params: JsonObject = {}) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return { socket, heard, closed, say, [Symbol.dispose]: () => socket.terminate() }
}
const until = (look: () => boolean) => vi.waitUntil(look, { timeout: PATIENCE_MS, interval: 10 })
const OPENING = { protocolVersion: '2025-11-25', capabilities: {} }

describe('a WebSocket', () => {
  test('whose peer no longer answers pings is cut off', async () => {
    await using server = await listen()
    using dead = await connect(server.address, { autoPong: false })
    using alive = await connect(server.address)
    expect((await dead.closed).code).toBe(1006)
    expect(alive.socket.readyState).toBe(WebSocket.OPEN)
    await until(() => server.streamQuota.size === 1)
  })

  test('that sent half a frame and then nothing is cut off, because it answers no ping', async () => {
    await using server = await listen()
    using half = await connect(server.address)
    const { _socket: raw } = half.socket as unknown as { _socket: { write(bytes: Buffer): void } }
    raw.write(Buffer.from([0x81, 0xfe, 0x01, 0xf4, 0, 0, 0, 0, 0x7b]))
    half.socket.pong = () => {}
    expect((await half.closed).code).toBe(1006)
  })

  test('whose peer is silent but lives stays open', async () => {
    await using server = await listen()
    using quiet = await connect(server.address)
    let pings = 0
    quiet.socket.on('ping', () => pings++)
    await until(() => pings > 5)
    expect(quiet.socket.readyState).toBe(WebSocket.OPEN)
  })

  test('at an endpoint that goes away is closed, though no key has changed and nobody says anything', async () => {
    let exists = true
    const admit = () => {
      if (!exists) throw new Fault('place.unknown')
      return STANDING
    }
    await using server = await listen({ admit })
    using line = await connect(server.address)
    exists = false
    expect(await line.closed).toMatchObject({ code: 4404 })
  })

  test('whose key now leads elsewhere is closed before its next message is read', async () => {
    let owner = STANDING.owner
    await using server = await listen({ admit: () => ({ ...STANDING, owner }) })
    using line = await connect(server.address)
    owner = 'somebody else'
    line.say('ping')
    expect(await line.closed).toMatchObject({ code: 4404 })
    expect(line.heard).toEqual([])
  })

  test('stays while nobody can say whose key it is: a request is told to come again, and goes on being answered', async () => {
    let fault: Fault | undefined
    const admit = () => {
      if (fault !== undefined) throw fault
      return STANDING
    }
    await using server = await listen({ admit })
    using line = await connect(server.address)
    let pings = 0
    line.socket.on('ping', () => pings++)
    fault = new Fault('gateway.not-ready', { problem: 'its database does not answer' })
    line.socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    line.say('ping', 'early')
    await until(() => line.heard.length === 1 && pings > 2)
    expect(line.heard).toEqual([
      {
        jsonrpc: '2.0',
        id: 'early',
        error: expect.objectContaining({ message: expect.stringContaining('not ready') }),
      },
    ])
    fault = undefined
    line.say('ping', 'late')
    await until(() => line.heard.length === 2)
    expect(line.heard[1]).toEqual({ jsonrpc: '2.0', id: 'late', result: {} })
  })

  test('hears its messages in their order, however long admission takes for one of them', async () => {
    let slow = 0
    const admit = () => (slow++ % 3 === 1 ? pause(20).then(() => STANDING) : STANDING)
    await using server = await listen({ admit })
    using line = await connect(server.address)
    for (let id = 0; id < 30; id++) line.say('ping', id)
    await until(() => line.heard.length === 30)
    expect(line.heard.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, id) => id))
  })

  test('is told in words when something breaks inside, and learns no more', async () => {
    const admit = () => {
      throw new Error('secret words of a database')
    }
    await using server = await listen({ admit })
    using line = await connect(server.address)
    expect(await line.closed).toEqual({ code: 1011, reason: 'An internal error occurred in the gateway.' })
  })

  test('too many of one caller are refused for now, and the next one that closes makes room', async () => {
    await using server = await listen({ streamQuota: createConnectionRegistry({ most: 10, mostOfOne: 2 }) })
    using first = await connect(server.address)
    using second = await connect(server.address)
    using third = await connect(server.address)
    expect(await third.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('At most 2') })
    first.socket.terminate()
    await until(() => server.streamQuota.size === 1)
    using fourth = await connect(server.address)
    fourth.say('ping')
    await until(() => fourth.heard.length === 1)
    expect(second.socket.readyState).toBe(WebSocket.OPEN)
  })

  test('too many of one caller are too many at whichever address', async () => {
    let owner = STANDING.owner
    const streamQuota = createConnectionRegistry({ mostOfOne: 1 })
    await using server = await listen({ admit: () => ({ ...STANDING, owner }), streamQuota })
    using first = await connect(server.address)
    owner = 'ada org elsewhere'
    using second = await connect(server.address)
    expect(await second.closed).toMatchObject({ code: 1013 })
    first.socket.terminate()
  })

  test('whose session is ended by somebody else is closed with 4410', async () => {
    await using server = await listen()
    using line = await connect(server.address)
    line.say('initialize', 1, OPENING)
    await until(() => line.heard.length === 1)
    expect(server.sessions.size).toBe(1)
    server.sessions.close()
    expect(await line.closed).toMatchObject({ code: 4410 })
    await until(() => server.streamQuota.size === 0)
  })

  test('is not opened while the gateway drains: the request is answered as a request', async () => {
    await using server = await listen()
    server.draining.abort()
    const socket = new WebSocket(`ws://${server.address}/mcp`)
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
    expect(response.statusCode).toBe(503)
    socket.on('error', () => {}).terminate()
  })

  test('whose handshake is never finished is cut off as any slow request is', async () => {
    await using server = await listen()
    const [host, port] = server.address.split(':')
    const raw = dial(Number(port), host)
    let answer = ''
    raw.on('data', (chunk) => (answer += chunk.toString()))
    raw.write('GET /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-web')
    await once(raw, 'close')
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
    expect(server.streamQuota.size).toBe(0)
  })
})

describe('a stream of the older pair', () => {
  const openStream = async (address: string) => {
    const response = await fetch(`http://${address}/sse`)
    const seen = { text: '', ended: false }
    const read = async () => {
      for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
        seen.text += chunk
    }
    void read()
      .catch(() => {})
      .then(() => (seen.ended = true))
    return seen
  }

  test('is kept alive by comments, which are no messages', async () => {
    await using server = await listen()
    const stream = await openStream(server.address)
    await until(() => stream.text.split(': keep-alive\n\n').length > 3)
    expect(stream.text.replaceAll(': keep-alive\n\n', '')).toMatch(
      /^event: endpoint\ndata: \/messages\?sessionId=\w+\n\n$/,
    )
  })

  test('at an endpoint that goes away ends', async () => {
    let exists = true
    const admit = () => {
      if (!exists) throw new Fault('place.unknown')
      return STANDING
    }
    await using server = await listen({ admit })
    const stream = await openStream(server.address)
    exists = false
    await until(() => stream.ended)
    await until(() => server.streamQuota.size === 0)
  })

  test('too many of one caller are refused for now', async () => {
    await using server = await listen({ streamQuota: createConnectionRegistry({ most: 1 }) })
    const stream = await openStream(server.address)
    const refused = await fetch(`http://${server.address}/sse`)
    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain('channel.limit')
    expect(stream.ended).toBe(false)
  })
})
