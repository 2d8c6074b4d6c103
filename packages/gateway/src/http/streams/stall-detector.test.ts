import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createStallDetector } from './stall-detector.ts'

const WAITING = Buffer.alloc(16 * 1024 * 1024, 0x78)
const BEAT = 10

/** A stream that has much to say, and then only beats. */
async function openStream() {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => {
    const reader = createStallDetector(response)
    response.write(WAITING)
    const beat = setInterval(() => {
      reader.checkStalled()
      if (!response.destroyed) response.write(': beat\n')
    }, BEAT)
    response.once('close', () => clearInterval(beat))
    resolve(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  return {
    socket,
    response: await promise,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        socket.destroy()
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}

test('a stream of which its peer takes nothing is cut off', async () => {
  await using open = await openStream()
  open.socket.pause()
  if (!open.response.closed) await once(open.response, 'close')
  expect(open.response.writableFinished).toBe(false)
})

test('a stream that is read stays, and so does one that is read slowly', () => {
  let cut = false
  const response = { writableLength: 0, destroy: () => (cut = true) }
  const reader = createStallDetector(response as unknown as ServerResponse)
  for (const waiting of [0, 0, 0, 0, 0, 900, 800, 700, 650, 800, 900, 890, 900, 910, 920, 100]) {
    response.writableLength = waiting
    reader.checkStalled()
  }
  expect(cut).toBe(false)
})
