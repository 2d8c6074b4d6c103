/**
 * Clients that go away at any byte: of their request, of the answer, or that stay and never read it. Nothing is asked for who did
 * not finish asking, a modern call ends at the server with its client, a legacy one goes on, and nothing of them is kept.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { openSession } from '../e2e/peers/clients/raw-client.ts'
import { callTool, requestOf, textIn } from './caller.ts'
import { headOf, openRaw } from './raw-socket.ts'
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'

const patiently = { interval: 20 }
const TOKEN = 'progress of the test'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let upstream: ScriptedUpstream
/** Answers of the tool `slow` that are under way at the server. */
const underWay = new Set<ServerResponse>()

/** Reports progress every few milliseconds; ends when it is told to, or cut. */
function answerSlowly(response: ServerResponse, progressToken: unknown): void {
  underWay.add(response)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let progress = 0
  const timer = setInterval(() => {
    const params = { progressToken, progress: ++progress, message: 'é'.repeat(20) }
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`)
  }, 2)
  response.once('close', () => {
    clearInterval(timer)
    underWay.delete(response)
  })
}

beforeAll(async () => {
  const tools = ['good', 'slow'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  upstream = parts.use(
    await startScriptedUpstream({
      era: 'modern',
      results: { 'tools/list': { tools, ttlMs: 0, cacheScope: 'private' } },
      act(heard, response) {
        const { name, _meta: meta } = heard.params
        if (heard.method !== 'tools/call' || name === 'good') return false
        answerSlowly(response, (meta as Record<string, unknown>)['progressToken'])
        return true
      },
    }),
  )
  const wire = { kind: 'http' as const, url: upstream.url, headers: {} }
  gateway = parts.use(
    await startTestGateway({ connections: [{ alias: 'up', revision: '2026-07-28', timeout: 60, wire }] }),
  )
  await gateway.settled('up')
})
afterAll(() => parts.disposeAsync())

const target = () => ({ url: gateway.connectionUrl('up'), key: gateway.key })
const calls = (name: string) => upstream.of('tools/call').filter(({ params }) => params['name'] === name).length

/** A whole request as bytes: of a modern client, or of a legacy one in its session. */
function bytesOf(name: string, session?: string): Buffer {
  const { headers, body } = requestOf('tools/call', { name, arguments: { note: 'é' } }, gateway.key)
  const { params, ...rest } = JSON.parse(body) as { params: { _meta: object } }
  const _meta = { ...(session === undefined ? params._meta : {}), progressToken: TOKEN }
  // With the blanks cut off it is whole JSON, and no whole request.
  const said = `${JSON.stringify({ ...rest, params: { ...params, _meta } })}${' '.repeat(20)}`
  const { 'mcp-method': _, 'mcp-name': __, ...plain } = headers
  const own: Record<string, string> =
    session === undefined ? headers : { ...plain, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
  const all = { host: new URL(gateway.address).host, ...own, 'content-length': String(Buffer.byteLength(said)) }
  return Buffer.from(headOf(`POST ${new URL(target().url).pathname}`, all) + said)
}

async function leaveAfter(bytes: Buffer, abruptly: boolean): Promise<void> {
  const raw = await openRaw(gateway.address)
  raw.write(bytes)
  if (bytes.length > 0 && raw.socket.writableLength > 0) await once(raw.socket, 'drain')
  if (abruptly) raw.socket.resetAndDestroy()
  else raw.socket.destroy()
  await raw.closed
}

describe('a client that goes away', () => {
  test('at any byte of its request has asked for nothing', async () => {
    const whole = bytesOf('good')
    const cuts = Array.from({ length: whole.length }, (_, at) => at)
    const lane = async (abruptly: boolean) => {
      for (let at = cuts.pop(); at !== undefined; at = cuts.pop()) await leaveAfter(whole.subarray(0, at), abruptly)
    }
    await Promise.all([lane(true), lane(false), lane(true), lane(false)])
    // A request that arrives late would be counted between these.
    for (let round = 1; round <= 20; round++) {
      expect(textIn(await callTool(target(), 'good'))).toBe('no session')
      expect(calls('good')).toBe(round)
    }
  })

  test('at any byte of its answer ends its call at the server, and leaves nothing here', async () => {
    const leave = async (bytes: number) => {
      using raw = await openRaw(gateway.address)
      raw.write(bytesOf('slow'))
      await expect.poll(() => raw.received().length, { ...patiently, interval: 1 }).toBeGreaterThanOrEqual(bytes)
    }
    const before = calls('slow')
    const sizes = Array.from({ length: 60 }, (_, at) => at * 13)
    for (let at = 0; at < sizes.length; at += 6) await Promise.all(sizes.slice(at, at + 6).map(leave))
    // A client that left before its call was made has called nothing either.
    expect(calls('slow') - before).toBeGreaterThanOrEqual(sizes.length - 1)
    await expect.poll(() => underWay.size, patiently).toBe(0)
    expect(textIn(await callTool(target(), 'good'))).toBe('no session')
  })

  test('is not taken for a cancellation in the legacy era: its call goes on until it is cancelled', async () => {
    const peer = await openSession(target().url, gateway.key)
    {
      using raw = await openRaw(gateway.address)
      raw.write(bytesOf('slow', peer.session))
      await expect.poll(() => raw.received(), patiently).toContain(TOKEN)
    }
    await expect.poll(() => underWay.size, patiently).toBe(1)
    expect(textIn(await callTool(target(), 'good'))).toBe('no session')
    expect(underWay.size).toBe(1)
    const headers = { authorization: `Bearer ${gateway.key}`, 'mcp-session-id': peer.session }
    expect((await fetch(peer.url, { method: 'DELETE', headers })).status).toBe(204)
    await expect.poll(() => underWay.size, patiently).toBe(0)
  })
})
