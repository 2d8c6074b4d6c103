import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Pipe } from '@toolway/protocol/client'
import { openSocket, type SocketParts } from './socket.ts'

interface Script {
  readonly protocol?: string | false
  /** Instead of an upgrade. */
  readonly refuse?: string
  onSocket?(socket: WebSocket, request: IncomingMessage): void
}

async function listen({ protocol = 'mcp', refuse, onSocket }: Script = {}) {
  const upgrades: IncomingMessage[] = []
  const server = createServer((_, response) => void response.writeHead(404).end())
  const raws = new Set<Socket>()
  server.on('connection', (raw) => raws.add(raw))
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol, autoPong: false })
  server.on('upgrade', (request, raw, head) => {
    upgrades.push(request)
    if (refuse !== undefined)
      return void raw.end(`HTTP/1.1 ${refuse}\r\nlocation: /elsewhere\r\nconnection: close\r\n\r\n`)
    sockets.handleUpgrade(request, raw, head, (socket) => {
      socket.on('error', () => {})
      onSocket?.(socket, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    upgrades,
    connections: () => [...raws].filter(({ destroyed }) => !destroyed).length,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const raw of raws) raw.destroy()
        server.close(() => resolve())
      }),
  }
}

function open(url: string, more: Partial<SocketParts> = {}, signal = AbortSignal.timeout(5_000)) {
  const texts: string[] = []
  const end = Promise.withResolvers<string>()
  const parts = { alias: 'up', timeout: 5, url: new URL(url), allowPrivate: true, headers: {}, ...more }
  const pipe = openSocket(
    parts,
    { onText: (text) => void texts.push(text), onEnd: ({ code }) => end.resolve(code) },
    signal,
  )
  return { pipe, texts, ended: end.promise }
}
const codeOf = (pipe: Promise<Pipe>) =>
  pipe.then(
    (opened) => (opened.close(), 'open'),
    (thrown: unknown) => Fault.of(thrown).code,
  )

describe('a WebSocket to a server', () => {
  test('asks for the subprotocol, carries the secrets in its upgrade, and gives texts both ways', async () => {
    await using server = await listen({
      onSocket: (socket) => socket.on('message', (data) => socket.send(`echo ${String(data)}`)),
    })
    const { pipe, texts } = open(`ws://127.0.0.1:${server.port}/mcp?key=1#part`, {
      headers: { authorization: 'Bearer x' },
    })
    await (await pipe).send('hello')
    await expect.poll(() => texts).toEqual(['echo hello'])
    const [upgrade] = server.upgrades
    expect(upgrade?.url).toBe('/mcp?key=1')
    expect(upgrade?.headers).toMatchObject({ authorization: 'Bearer x', 'sec-websocket-protocol': 'mcp' })
    expect(upgrade?.headers['sec-websocket-extensions']).toBeUndefined()
    ;(await pipe).close()
  })

  test('reaches no private address, in no spelling, unless the operator said so', async () => {
    await using server = await listen()
    for (const host of ['localhost', '127.0.0.1', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]']) {
      const { pipe } = open(`ws://${host}:${server.port}/`, { allowPrivate: false })
      expect({ host, code: await codeOf(pipe) }).toEqual({ host, code: 'egress.refused' })
    }
    for (const host of ['169.254.169.254', '0.0.0.0', '[fe80::1]'])
      expect({ host, code: await codeOf(open(`wss://${host}/`).pipe) }).toEqual({ host, code: 'egress.refused' })
    expect(server.upgrades).toEqual([])
    expect(server.connections()).toBe(0)
  })

  test.each([
    ['302 Found', 'upstream.unreachable'],
    ['307 Temporary Redirect', 'upstream.unreachable'],
    ['401 Unauthorized', 'upstream.needs-auth'],
    ['403 Forbidden', 'upstream.needs-auth'],
    ['404 Not Found', 'upstream.unreachable'],
    ['429 Too Many Requests', 'upstream.limited'],
    ['500 Oops', 'upstream.unreachable'],
  ])('that is answered %s is %s, and follows nobody', async (refuse, code) => {
    await using server = await listen({ refuse })
    expect(await codeOf(open(`ws://127.0.0.1:${server.port}/`).pipe)).toBe(code)
    expect(server.upgrades).toHaveLength(1)
  })

  test.each([false, 'chat'] as const)(
    'is refused by a server that speaks another subprotocol (%s)',
    async (protocol) => {
      await using server = await listen({ protocol })
      expect(await codeOf(open(`ws://127.0.0.1:${server.port}/`).pipe)).toBe('upstream.unreachable')
    },
  )

  test('where nothing listens, or nobody answers in time, says so', async () => {
    const gone = await listen()
    await gone[Symbol.asyncDispose]()
    expect(await codeOf(open(`ws://127.0.0.1:${gone.port}/`).pipe)).toBe('upstream.unreachable')
    await using silent = await listen()
    const late = new AbortController()
    const { pipe } = open(`ws://127.0.0.1:${silent.port}/`, {}, late.signal)
    late.abort()
    expect(await codeOf(pipe)).toBe('upstream.timeout')
    await expect.poll(() => silent.connections()).toBe(0)
  })

  test('that brings a message larger than an answer may be ends, and says that', async () => {
    await using server = await listen({ onSocket: (socket) => socket.send('x'.repeat(33 * 1024 * 1024), () => {}) })
    const { pipe, ended } = open(`ws://127.0.0.1:${server.port}/`)
    await pipe
    expect(await ended).toBe('result.too-large')
  })

  test('to a peer that answers no ping is ended', async () => {
    await using server = await listen()
    const { pipe, ended } = open(`ws://127.0.0.1:${server.port}/`, { lookEvery: 20 })
    await pipe
    expect(await ended).toBe('upstream.lost')
    await expect.poll(() => server.connections()).toBe(0)
  })

  test('to a peer that answers pings lasts, and answers the peer’s', async () => {
    let pings = 0
    let pongs = 0
    await using server = await listen({
      onSocket(socket) {
        socket.on('ping', () => {
          pings++
          socket.pong()
        })
        socket.on('pong', () => pongs++)
        socket.ping()
      },
    })
    const { pipe } = open(`ws://127.0.0.1:${server.port}/`, { lookEvery: 250 })
    const opened = await pipe
    await expect.poll(() => pongs).toBe(1)
    await expect.poll(() => pings).toBeGreaterThan(5)
    await opened.send('still here')
    opened.close()
  })

  test('to a peer that does not read refuses more than it may hold, and sends none of it', async () => {
    await using server = await listen({ onSocket: (_, request) => void request.socket.pause() })
    const { pipe, ended } = open(`ws://127.0.0.1:${server.port}/`)
    const opened = await pipe
    const mebibyte = 'x'.repeat(1024 * 1024)
    const outcomes: string[] = []
    for (let at = 0; at < 40; at++)
      opened.send(mebibyte).then(
        () => outcomes.push('sent'),
        (thrown: unknown) => outcomes.push(Fault.of(thrown).code),
      )
    await expect.poll(() => outcomes.filter((one) => one === 'upstream.busy').length).toBeGreaterThan(10)
    opened.close()
    expect(await ended).toBe('upstream.lost')
  })

  test('that was closed sends nothing more', async () => {
    await using server = await listen()
    const { pipe, ended } = open(`ws://127.0.0.1:${server.port}/`)
    const opened = await pipe
    opened.close()
    expect(await ended).toBe('upstream.lost')
    expect(await opened.send('too late').catch((thrown: unknown) => Fault.of(thrown).code)).toBe('upstream.lost')
  })
})
