import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { cutUnread } from './unread-answers.ts'

const BIG = Buffer.alloc(32 * 1024 * 1024, 0x78)

/** A server whose every answer is too large for what the system takes; `patience` is that of the test. */
async function listen(patience: number) {
  const answers: ServerResponse[] = []
  const server = createServer((_, response) => {
    answers.push(response)
    response.end(BIG)
    cutUnread(response, patience)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await expect.poll(() => answers.length).toBe(1)
  return {
    socket,
    answer: answers[0] as ServerResponse,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        socket.destroy()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

test('an answer that nobody reads is held for a while, and its connection cut then', async () => {
  await using held = await listen(50)
  held.socket.pause()
  if (!held.answer.closed) await once(held.answer, 'close')
  expect(held.answer.writableFinished).toBe(false)
})

test('an answer that is read slowly arrives whole, however long that takes', async () => {
  await using held = await listen(3_000)
  let size = 0
  held.socket.on('data', (chunk: Buffer) => {
    size += chunk.length
    held.socket.pause()
    setTimeout(() => held.socket.resume(), 10)
  })
  await once(held.answer, 'finish')
  await expect.poll(() => size).toBeGreaterThan(BIG.length)
})
