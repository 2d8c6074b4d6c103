/** Sessions at a server: whose they are, what it means when the server says 404, and what is left when their client goes. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { startTestGateway, type TestConnection } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool as callLegacy, openSession } from '../e2e/peers/clients/raw-client.ts'
import { callTool, faultIn, textIn } from './caller.ts'
import { sayError, sayJson, startScriptedUpstream } from './scripted-upstream.ts'

const patiently = { interval: 20 }
const legacy = (url: string): TestConnection => ({
  alias: 'up',
  revision: '2025-11-25',
  timeout: 20,
  wire: { kind: 'http', url, headers: {} },
})

test('a 404 that answers the request is the answer: nothing is sent twice, and the session stays', async () => {
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act(heard, response) {
      if (heard.method !== 'tools/call' || heard.params['name'] !== 'gone') return false
      sayError(response, heard, 'there is no such thing', 404)
      return true
    },
    results: { 'tools/list': { tools: ['good', 'gone'].map((name) => ({ name, inputSchema: { type: 'object' } })) } },
  })
  await using gateway = await startTestGateway({ connections: [legacy(upstream.url)] })
  await gateway.settled('up')
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  const session = textIn(await callTool(target, 'good'))
  const answer = await callTool(target, 'gone')
  expect(answer.message.error).toMatchObject({ code: -32000, message: 'there is no such thing' })
  expect(upstream.of('tools/call').filter(({ params }) => params['name'] === 'gone')).toHaveLength(1)
  expect(textIn(await callTool(target, 'good'))).toBe(session)
})

test('a session that the server does not know is opened anew once; the second time the call is lost and says so', async () => {
  const unknown = new Set<string | undefined>()
  let forgetful = false
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act({ method, session }, response) {
      if (forgetful && method === 'tools/call') unknown.add(session)
      if (method === 'initialize' || !unknown.has(session)) return false
      response.writeHead(404).end()
      return true
    },
  })
  await using gateway = await startTestGateway({ connections: [legacy(upstream.url)] })
  await gateway.settled('up')
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  const first = textIn(await callTool(target, 'good'))
  unknown.add(first)
  const second = textIn(await callTool(target, 'good'))
  expect(second).toMatch(/^session-/)
  expect(second).not.toBe(first)

  const before = upstream.of('tools/call').length
  forgetful = true
  expect(faultIn(await callTool(target, 'good'))).toMatchObject({ fault: 'upstream.lost' })
  expect(upstream.of('tools/call')).toHaveLength(before + 2)
  forgetful = false
  expect(textIn(await callTool(target, 'good'))).toMatch(/^session-/)
})

test('a connection whose calls lose every session is listed with the error that its callers get, and is connected again after', async () => {
  let forgetful = false
  const unknown = new Set<string | undefined>()
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act({ method, id, session }, response) {
      if (forgetful && method === 'tools/call') unknown.add(session)
      if (method === 'initialize' || !unknown.has(session)) return false
      sayJson(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no valid session' } }, 400)
      return id !== undefined
    },
  })
  await using gateway = await startTestGateway({ connections: [legacy(upstream.url)] })
  await gateway.settled('up')
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  forgetful = true
  expect(faultIn(await callTool(target, 'good'))).toMatchObject({ fault: 'upstream.lost' })
  await expect.poll(async () => (await gateway.settled('up')).status, patiently).toBe('error')
  forgetful = false
  expect(textIn(await callTool(target, 'good'))).toMatch(/^session-/)
  await expect.poll(async () => (await gateway.settled('up')).status, patiently).toBe('connected')
})

test('a call that is answered 404 in a session that lives may have acted: it is not sent again', async () => {
  let acted = 0
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act({ method }, response) {
      if (method !== 'tools/call' || acted > 0) return false
      acted++
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such record')
      return true
    },
  })
  await using gateway = await startTestGateway({ connections: [legacy(upstream.url)] })
  await gateway.settled('up')
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  expect(faultIn(await callTool(target, 'good'))).toMatchObject({ fault: 'upstream.lost', retryable: false })
  expect(upstream.of('tools/call')).toHaveLength(1)
  expect(textIn(await callTool(target, 'good'))).toBe(upstream.of('tools/call')[0]?.session)
})

test('callers without a session of their own have one at the server each, by principal', async () => {
  const other = `uru_${'ab'.repeat(32)}`
  await using upstream = await startScriptedUpstream({ era: 'legacy' })
  await using gateway = await startTestGateway({
    connections: [legacy(upstream.url)],
    keys: [{ name: 'other', value: other, toolset: undefined }],
  })
  await gateway.settled('up')
  const sessionOf = async (key: string) => textIn(await callTool({ url: gateway.connectionUrl('up'), key }, 'good'))
  const [mine, theirs] = [await sessionOf(gateway.key), await sessionOf(other)]
  expect(mine).not.toBe(theirs)
  expect([await sessionOf(gateway.key), await sessionOf(other)]).toEqual([mine, theirs])
  // Nor is it the one that the gateway itself lists with.
  expect(upstream.of('tools/list').map(({ session }) => session)).not.toContain(mine)
})

test('a session whose client goes while it is being opened is closed at the server', async () => {
  let held: { answer: () => void; session: string } | undefined
  let holding = false
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act({ method, id, session = '' }, response: ServerResponse) {
      if (method !== 'initialize' || !holding) return false
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'slow', version: '1' } }
      held = {
        session,
        answer: () => sayJson(response, { jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': session }),
      }
      return true
    },
  })
  await using gateway = await startTestGateway({ connections: [legacy(upstream.url)] })
  await gateway.settled('up')
  const peer = await openSession(gateway.connectionUrl('up'), gateway.key)
  holding = true
  const calling = callLegacy(peer, 'good').catch(() => undefined)
  await expect.poll(() => held?.session, patiently).toBeDefined()
  const headers = { authorization: `Bearer ${gateway.key}`, 'mcp-session-id': peer.session }
  expect((await fetch(peer.url, { method: 'DELETE', headers })).status).toBe(204)
  held?.answer()
  await expect
    .poll(() => upstream.heard.filter(({ verb }) => verb === 'DELETE').map(({ session }) => session), patiently)
    .toEqual([held?.session])
  await calling
})

test('a server that opens a session of a revision without sessions is refused', async () => {
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act({ method, id }, response) {
      if (method !== 'initialize') return false
      const result = {
        protocolVersion: '2026-07-28',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      }
      sayJson(response, { jsonrpc: '2.0', id, result })
      return true
    },
  })
  await using gateway = await startTestGateway({ connections: [legacy(upstream.url)] })
  expect(await gateway.settled('up')).toMatchObject({
    status: 'error',
    reason: expect.stringContaining('unknown protocol revision'),
    tools: 0,
  })
})
