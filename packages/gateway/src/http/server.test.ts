import { Hono } from 'hono'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readBody } from './body.ts'
import { createClients } from './client-address.ts'
import { createNoLimits } from '../testing/limits.ts'
import { createDoors } from './doors.ts'
import { createServer } from './server.ts'

/** A server with a door that reads the body and does nothing else, and the patience of a test. */
async function listen() {
  const outcomes: string[] = []
  const mcp = async (request: IncomingMessage, response: ServerResponse) => {
    outcomes.push(
      await readBody(request, 1_000).then(
        () => 'whole',
        (fault: { code: string }) => fault.code,
      ),
    )
    response.end()
  }
  const server = createServer(
    {
      guard: { check() {}, checkHost() {}, checkOrigin() {} },
      clients: createClients([]),
      limits: createNoLimits(),
      https: false,
      refused() {},
      answered() {},
      health: { draining: false },
      newCorrelationId: () => 'id',
      ...createDoors({
        connect: new Hono(),
        approvals: new Hono(),
        admin: new Hono(),
        pages: new Hono(),
        console: undefined,
        mcp: { answer: mcp },
        files: {
          addressOf: (path) => (path.startsWith('/files/') ? { way: 'u', token: '' } : undefined),
          answer: async (request, response) =>
            void (request.method === 'PATCH' ? mcp(request, response) : response.end()),
        },
        sse: { answer: async () => {} },
        oauth: { takes: () => false, answer: async () => {} },
        webSocket: { takes: () => false, enter: async () => {} },
        eventSocket: { takes: () => false, enter: () => Promise.resolve() },
        health: { started: true, draining: false },
        readiness: () => ({ status: 'ready', problem: undefined, checks: {}, ages: {} }),
        metrics: undefined,
        newCorrelationId: () => 'id',
        prove: (challenge, { address, port }) => `${challenge} at ${address} ${port}`,
        identify() {},
        recalls: () => false,
      }),
    },
    { headersTimeout: 100, requestTimeout: 200, keepAliveTimeout: 1_000, connectionsCheckingInterval: 20 },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  /** Sends the text and returns all data received until the server ends the connection. */
  async function say(text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    socket.write(text)
    await once(socket, 'close')
    return answer
  }
  return {
    say,
    outcomes,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

describe('the HTTP server', () => {
  test('cuts off a client that never ends its headers, and tells it so', async () => {
    await using server = await listen()
    expect(await server.say('POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow')).toMatch(/^HTTP\/1.1 408 /)
    expect(server.outcomes).toEqual([])
  })

  test('cuts off a client that never ends its body, and the door hears of it', async () => {
    await using server = await listen()
    expect(
      await server.say(
        'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\nhalf',
      ),
    ).toMatch(/^HTTP\/1.1 408 /)
    await expect.poll(() => server.outcomes).toEqual(['request.cut-off'])
  })

  test('lets only the body of an upload last, and that of no other request at the same address', async () => {
    await using server = await listen()
    const begin = (method: string) =>
      server.say(`${method} /files/u/x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf`)
    const upload = begin('PATCH')
    for (const method of ['OPTIONS', 'GET', 'HEAD']) expect(await begin(method), method).toMatch(/^HTTP\/1.1 200 /)
    expect(server.outcomes).toEqual([])
    await server[Symbol.asyncDispose]()
    await upload
  })
})
