/** Where connections may lead: what an operator names in so many words, and what a name of somebody else's may not reach. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { startTestGateway, type TestConnection } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, faultIn, textIn } from './caller.ts'
import { startFaultyUpstream } from './faulty-upstream.ts'

const http = (alias: string, url: string): TestConnection => ({
  alias,
  revision: '2026-07-28',
  timeout: 5,
  wire: { kind: 'http', url, headers: {} },
})

test('an address of this machine is reached when the operator wrote it, and refused to a name that merely resolves to it', async () => {
  await using upstream = await startFaultyUpstream()
  const named = upstream.url.replace('127.0.0.1', 'localhost')
  await using gateway = await startTestGateway({ connections: [http('written', upstream.url), http('named', named)] })
  expect(await gateway.settled('written')).toMatchObject({ status: 'connected' })
  expect(await gateway.settled('named')).toMatchObject({ status: 'connected' })
  const target = { url: gateway.url, key: gateway.key }
  expect(textIn(await callTool(target, 'written__good'))).toBe('done')
  expect(textIn(await callTool(target, 'named__good'))).toBe('done')

  // As any other name would be kept whose owner lets it resolve to a private address.
  const Id = z.object({ id: z.string() })
  await gateway.db.system(
    (sql) => sql(Id)`
    update connections set settings = jsonb_set(settings, '{private}', 'false'), updated_at = now() where alias = 'named' returning id`,
  )
  let refused = await callTool(target, 'named__good')
  await expect
    .poll(async () => faultIn((refused = await callTool(target, 'named__good')))?.fault)
    .toBe('egress.refused')
  expect(faultIn(refused)).toMatchObject({ code: 'PERMISSION_DENIED', retryable: false })
  expect(refused.text).not.toMatch(/localhost|127\.0\.0\.1/)
  expect(textIn(await callTool(target, 'written__good'))).toBe('done')
})

test('the metadata of clouds is out of reach, whoever wrote it and however', async () => {
  const hosts = [
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '0xa9fea9fe',
    '2852039166',
    '0.0.0.0',
    '[::]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
  ]
  await using gateway = await startTestGateway({
    connections: hosts.map((host, at) => http(`c${at}`, `http://${host}/latest`)),
  })
  for (const [at, host] of hosts.entries()) {
    expect({ host, ...(await gateway.settled(`c${at}`)) }).toMatchObject({
      host,
      status: 'error',
      reason: expect.stringContaining('is in a network that is not allowed'),
    })
  }
})

test('a client that goes away in the middle of its call ends it at the server too, and the record says so', async () => {
  await using upstream = await startFaultyUpstream()
  await using gateway = await startTestGateway({ connections: [{ ...http('faulty', upstream.url), timeout: 60 }] })
  await gateway.settled('faulty')
  const idle = await upstream.connections()
  const leaving = new AbortController()
  const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
  const calls = Array.from({ length: 10 }, () => callTool(target, 'silent', {}, leaving.signal).catch(() => 'gone'))
  await expect.poll(() => upstream.calls('silent')).toBe(10)
  leaving.abort()
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['gone']))
  await expect.poll(() => upstream.connections()).toBeLessThanOrEqual(Math.max(idle, 2))
  const Row = z.object({ outcome: z.string(), code: z.string().nullable() })
  const records = () => gateway.db.system((sql) => sql(Row)`select outcome, code from records where target = 'silent'`)
  await expect
    .poll(records)
    .toEqual(Array.from({ length: 10 }, () => ({ outcome: 'cancelled', code: 'call.cancelled' })))
})

test('a redirect that never ends is followed three times, and none to another origin', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    // By another name it is another origin.
    const location = request.url === '/other' ? `http://localhost:${port}/there` : '/again'
    response.writeHead(307, { location }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const connections = [http('moved', `http://127.0.0.1:${port}/mcp`), http('other', `http://127.0.0.1:${port}/other`)]
    await using gateway = await startTestGateway({ connections })
    for (const [alias, words] of [
      ['moved', 'HTTP 307'],
      ['other', 'redirects to another address, which is not followed'],
    ] as const)
      expect(await gateway.settled(alias)).toMatchObject({ status: 'error', reason: expect.stringContaining(words) })
    const count = (path: string) => asked.filter((url) => url === path).length
    // A further look may be under way.
    await expect.poll(() => count('/again') - 3 * count('/mcp')).toBe(0)
    expect(count('/there')).toBe(0)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
