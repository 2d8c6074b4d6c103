/** Content from signed addresses: its connection ends, also where nobody reads it. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { ComposioTarget, ReachOf } from '../upstream.ts'
import { createSignedTransfer } from './signed-transfer.ts'

test('content that nobody takes keeps no connection', async () => {
  const responses: ServerResponse[] = []
  const server = createServer((_, response) => {
    responses.push(response)
    response.writeHead(200, { 'content-length': '1000000' })
    response.write('begin')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const reach = { alias: 'composio', timeout: 60, wire: { url, private: true } } as ReachOf<ComposioTarget>
    const { size, close } = await createSignedTransfer(reach).get(`${url}/a`, new AbortController().signal)
    expect(size).toBe(1_000_000)
    const [response] = responses
    const closed = response && once(response, 'close')
    await close()
    await closed
    expect(response?.writableFinished).toBe(false)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
