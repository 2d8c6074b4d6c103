/** Content from signed addresses: its connection ends, also where nobody reads it. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { Fault } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createExceptions, NO_EXCEPTIONS } from '../http/exceptions.ts'
import type { ComposioTarget, ReachOf } from '../upstream.ts'
import { createSignedTransfer } from './signed-transfer.ts'

test('what Composio signs leads to no other server of a private network', async () => {
  const heard: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    heard.push(url)
    response.writeHead(200).end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const inner = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const { signal } = new AbortController()
    const sent = { content: Readable.from(['x']), size: 1, headers: {}, signal }
    const fetchAt = (url: string, address: string, exceptions = NO_EXCEPTIONS) => {
      const wire = { url, private: true, exceptions }
      const transfer = createSignedTransfer({ alias: 'composio', timeout: 9, wire } as ReachOf<ComposioTarget>)
      return Promise.allSettled([transfer.get(address, signal), transfer.put(address, sent)])
    }
    const refusals = async (...given: Parameters<typeof fetchAt>) =>
      (await fetchAt(...given)).map((one) => (one.status === 'rejected' ? (one.reason as Fault).code : one.status))
    expect(await refusals('http://127.0.0.1:9', `http://${inner}/a`)).toEqual(['egress.refused', 'egress.refused'])
    expect(await refusals('https://127.0.0.1:9', `http://${inner}/a`)).toEqual(['connector.failed', 'connector.failed'])
    expect(await refusals('http://127.0.0.1:9', `https://${inner}/a`)).toEqual(['egress.refused', 'egress.refused'])
    expect(heard).toEqual([])
    const allowed = createExceptions({ networks: ['127.0.0.0/8'], hosts: [] })
    expect(await refusals('http://127.0.0.1:9', `https://${inner}/a`, allowed)).not.toContain('egress.refused')
    for (const taken of await fetchAt(`http://${inner}`, `http://${inner}/a`))
      if (taken.status === 'fulfilled') await taken.value?.close()
    expect(heard).toEqual(['/a', '/a'])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

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
