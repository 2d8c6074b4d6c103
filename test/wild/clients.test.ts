/** Requests that careless clients send, at the door of a gateway: each is taken, or refused in words that name what is wrong. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { REFUSED_REQUESTS, TAKEN_REQUESTS, type ClientRequest } from './rows/clients.ts'
import { OBJECT } from './rows/definitions.ts'
import { startZooServer } from './zoo-server.ts'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const server = parts.use(await startZooServer({ era: 'legacy', tools: [{ name: 'good', inputSchema: OBJECT }] }))
  gateway = parts.use(await openGateway({ connections: [{ alias: 'tidy', wire: httpWire(server.url) }] }))
})
afterAll(() => parts.disposeAsync())

async function send({ body, headers = {}, suffix = '' }: ClientRequest) {
  const all = {
    authorization: `Bearer ${gateway.key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
    ...headers,
  }
  const response = await fetch(`${gateway.connectionUrl('tidy')}${suffix}`, {
    method: 'POST',
    headers: Object.fromEntries(
      Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
    ),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

test.each(TAKEN_REQUESTS)('a request with %s is answered', async (_, request) => {
  const { status, text } = await send(request)
  expect(text).toContain('"result":{')
  expect(status).toBe(200)
})

test.each(REFUSED_REQUESTS)('a request with %s is refused in words', async (_, request, status, words) => {
  const answer = await send(request)
  expect(answer.text).toContain('"error"')
  expect(answer.text).toMatch(words)
  expect(answer.status, answer.text).toBe(status)
  // And the gateway goes on.
  expect((await send({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } })).status).toBe(200)
})
