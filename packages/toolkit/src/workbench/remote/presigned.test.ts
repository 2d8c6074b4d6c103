import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPresigned } from './presigned.ts'

test('a storage that refuses without an end is left after a few words', async () => {
  let sent = 0
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const answer = async (response: ServerResponse) => {
    response.once('close', resolve).writeHead(500, { 'content-type': 'application/json' })
    while (!response.closed) {
      response.write('"'.repeat(64 * 1024))
      sent += 64 * 1024
      await turn()
    }
  }
  const server = createServer((_, response) => void answer(response)).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  const trusted = `http://127.0.0.1:${port}`
  const presigned = createPresigned({ trusted, guarded: () => expect.fail('it is trusted') })
  const get = async () => {
    for await (const _ of presigned.get(`${trusted}/x`, { signal: AbortSignal.timeout(60_000) }))
      expect.fail('no bytes')
  }
  await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', facts: { status: 500 } })
  await left
  expect(sent).toBeLessThan(64 * 1024 * 1024)
  server.closeAllConnections()
  server.close()
})
