import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createLane } from './load-lane.ts'
import { FIRST_ID } from './mcp-call.ts'

const answer = (id: number) => {
  const result = { resultType: 'complete', content: [{ type: 'text', text: `echo ${id}` }] }
  const body = JSON.stringify({ jsonrpc: '2.0', id, result })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** A lane to a server that does with its nth request what the nth of `turns` says. */
async function laneTo(...turns: ((socket: Socket, id: number) => void)[]) {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => turns.shift()?.(socket, Number(/"id":(\d+)/.exec(chunk.toString())?.[1])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  let id = FIRST_ID
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const lane = createLane({ target: { url, tool: 'echo' }, nextId: () => ++id, limitMs: 2_000 })
  return {
    lane,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      lane.close()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const good = (socket: Socket, id: number) => void socket.write(answer(id))

describe('a lane', () => {
  test('makes call after call over one connection, however the answer is cut', async () => {
    const inPieces = (socket: Socket, id: number) => {
      socket.write(answer(id).slice(0, 50))
      setTimeout(() => socket.write(answer(id).slice(50)), 20)
    }
    await using setup = await laneTo(good, inPieces, good)
    for (let call = 0; call < 3; call++) expect(await setup.lane.call()).toBeUndefined()
    expect(setup.connections()).toBe(1)
  })

  test('says what was wrong with a call and goes on with the next', async () => {
    await using setup = await laneTo(
      (socket) => void socket.write(answer(1)),
      (socket, id) => void socket.write(answer(id) + answer(id)),
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
      () => undefined,
      good,
    )
    expect(await setup.lane.call()).toContain('carries id 1')
    expect(await setup.lane.call()).toBe('more bytes than one reply')
    expect(await setup.lane.call()).toBe('the connection was closed')
    expect(await setup.lane.call()).toBe('no answer within 2000 ms')
    expect(await setup.lane.call()).toBeUndefined()
  })

  test('says that nobody listens', async () => {
    const setup = await laneTo()
    await setup[Symbol.asyncDispose]()
    expect(await setup.lane.call()).toContain('ECONNREFUSED')
  })
})
