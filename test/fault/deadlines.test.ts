/** Servers that take their time in every step but the call itself: each step ends with the connection's own limit, and is told so. */
// @module-tag long
import { expect, test } from 'vitest'
import { startTestGateway, type TestConnection } from '../../packages/gateway/src/testing/gateway.ts'
import { ask as askRaw, callTool as callLegacy, openSession } from '../e2e/peers/clients/raw-client.ts'
import { callTool, faultIn, textIn } from './caller.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'
import type { ServerResponse } from 'node:http'

const http = (alias: string, url: string, timeout: number, revision: '2025-11-25' | '2026-07-28'): TestConnection => ({
  alias,
  revision,
  timeout,
  wire: { kind: 'http', url, headers: {} },
})

/** Something comes all the time, and never the end. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

test('a server whose answers never end is given up at every step, with the reason', async () => {
  const steps = {
    discover: { era: 'modern', method: 'server/discover' },
    open: { era: 'legacy', method: 'initialize' },
    opened: { era: 'legacy', method: 'notifications/initialized' },
    list: { era: 'modern', method: 'tools/list' },
    oldlist: { era: 'legacy', method: 'tools/list' },
  } as const
  await using stack = new AsyncDisposableStack()
  const connections = await Promise.all(
    Object.entries(steps).map(async ([alias, { era, method }]) => {
      const upstream = await startScriptedUpstream({
        era,
        act(heard, response) {
          if (heard.method === method) drip(response)
          return heard.method === method
        },
      })
      stack.use(upstream)
      return http(alias, upstream.url, 1, era === 'modern' ? '2026-07-28' : '2025-11-25')
    }),
  )
  await using gateway = await startTestGateway({ connections })
  const told = await Promise.all(
    Object.keys(steps).map(async (alias) => ({ alias, ...(await gateway.settled(alias)) })),
  )
  for (const one of told) expect(one).toMatchObject({ status: 'error', reason: expect.stringContaining('within 1 s') })
})

test('a server that does not open a session for a caller costs that caller an answer that says so, and a body', async () => {
  let deaf = false
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act: ({ method }) => deaf && method === 'initialize',
  })
  await using gateway = await startTestGateway({ connections: [http('up', upstream.url, 5, '2025-11-25')] })
  await gateway.settled('up')
  const url = gateway.connectionUrl('up')
  const peer = await openSession(url, gateway.key)
  deaf = true
  const modern = await callTool({ url, key: gateway.key }, 'good')
  expect(modern.status).toBe(200)
  expect(faultIn(modern)).toMatchObject({ fault: 'upstream.timeout' })
  const legacy = await callLegacy(peer, 'good')
  expect(legacy.status).toBe(200)
  expect(legacy.answer).toMatchObject({ id: 0, result: { isError: true } })
  expect(legacy.text).toContain('upstream.timeout')
  deaf = false
  expect(textIn(await callTool({ url, key: gateway.key }, 'good'))).toMatch(/^session-/)
})

test('a log level is in force for the session although a server never takes it, and is one of eight', async () => {
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    capabilities: { tools: {}, logging: {} },
    act: ({ method }) => method === 'logging/setLevel',
  })
  await using gateway = await startTestGateway({ connections: [http('up', upstream.url, 600, '2025-11-25')] })
  await gateway.settled('up')
  const peer = await openSession(gateway.connectionUrl('up'), gateway.key)
  for (const level of ['debug', 'emergency']) {
    const { answer } = await askRaw(peer, 'logging/setLevel', { level })
    expect(answer.result).toEqual({})
  }
  const heard = () => upstream.of('logging/setLevel').map(({ params }) => params['level'])
  await expect.poll(() => [heard()[0], heard().at(-1)]).toEqual(['debug', 'emergency'])
  // Nor does it hold up the calls of that session, at the server or here.
  expect((await callLegacy(peer, 'good')).answer.result?.content?.[0]?.text).toMatch(/^session-/)
  const before = heard().length
  for (const level of ['loud', 'DEBUG', '', 7, undefined]) {
    expect((await askRaw(peer, 'logging/setLevel', { level })).answer.error).toMatchObject({ code: -32602 })
  }
  expect(heard()).toHaveLength(before)
})
