import { connect } from 'node:tls'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { MOST_HELLO_BYTES, readOpening } from './client-hello.ts'

/** The first bytes that OpenSSL sends for a name. */
async function helloFor(servername: string): Promise<Buffer> {
  const first = Promise.withResolvers<Buffer>()
  const server = createServer((socket) => socket.once('data', (bytes) => (first.resolve(bytes), socket.destroy())))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername })
  client.on('error', () => undefined)
  const bytes = await first.promise
  server.close()
  return bytes
}

test('the name of a hello is read, however its bytes arrive', async () => {
  const hello = await helloFor('api.example.com')
  expect(readOpening(hello)).toEqual({ kind: 'tls', name: 'api.example.com' })
  for (let length = 0; length < hello.length; length++)
    expect(readOpening(hello.subarray(0, length)), `${length} bytes`).toEqual({ kind: 'incomplete' })
})

test('a hello spread over several records is one hello', async () => {
  const hello = await helloFor('api.example.com')
  const body = hello.subarray(5)
  const record = (part: Buffer) => Buffer.concat([Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part])
  const spread = Buffer.concat([record(body.subarray(0, 3)), record(body.subarray(3, 90)), record(body.subarray(90))])
  expect(readOpening(spread)).toEqual({ kind: 'tls', name: 'api.example.com' })
})

test('a hello without a name has none', async () => {
  expect(readOpening(await helloFor(''))).toEqual({ kind: 'tls', name: undefined })
})

test('what is no hello is no TLS, and no byte of it is waited for', () => {
  for (const text of ['GET / HTTP/1.1\r\n', 'SSH-2.0-OpenSSH_9.2\r\n', '\x16\x02\x00', '\x00'])
    expect(readOpening(Buffer.from(text, 'latin1')), text).toEqual({ kind: 'other' })
})

test('a hello without an end is refused at the limit', () => {
  const endless = Buffer.alloc(MOST_HELLO_BYTES + 6)
  endless.set([22, 3, 1, 0x40, 0x00, 1, 0x00, 0x3f, 0xff])
  expect(readOpening(endless)).toMatchObject({ kind: 'other' })
})

test('a damaged hello names nobody: no flip of a bit reads as another listed name', async () => {
  const hello = await helloFor('api.example.com')
  for (let at = 0; at < hello.length; at++) {
    const damaged = Buffer.from(hello)
    damaged[at] = 0xff
    const opening = readOpening(damaged)
    if (opening.kind === 'tls' && opening.name !== undefined) expect(opening.name).toHaveLength(15)
  }
})
