import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Load, Order, Report } from './generator/load-generator.ts'
import { callParts, faultIn, FIRST_ID, openSession } from './generator/mcp-call.ts'
import { measureLongList } from './long-list.ts'
import { endpointOf, type Peer, startPeer } from './processes/peer-process.ts'

// One process for all three: what is asked of the stub must also come through the two yardsticks.
const peers: Peer[] = []
const urls: Record<string, string> = {}

async function start(script: string, ...args: string[]): Promise<string> {
  const peer = startPeer(new URL(script, import.meta.url), args, undefined)
  peers.push(peer)
  return endpointOf(peer)
}

beforeAll(async () => {
  const stub = await start('./stub-upstream.ts')
  const [raw, sdk] = await Promise.all([start('./raw-proxy.ts', stub), start('./sdk-proxy.ts', stub)])
  Object.assign(urls, { stub, raw, sdk })
})

afterAll(async () => {
  await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()))
})

async function ask(url = '', change: { headers?: Record<string, string>; body?: object } = {}) {
  const { headers, body } = callParts({ url, tool: 'echo' }, FIRST_ID)
  const sent = JSON.stringify({ ...JSON.parse(body), ...change.body })
  const reply = await fetch(url, { method: 'POST', headers: { ...headers, ...change.headers }, body: sent })
  return { status: reply.status, contentType: reply.headers.get('content-type') ?? '', body: await reply.text() }
}

describe('a measured call', () => {
  test.each(['stub', 'raw', 'sdk'])('is answered well through %s', async (name) => {
    expect(faultIn(await ask(urls[name]), FIRST_ID)).toBeUndefined()
  })
})

describe('a measured call of a legacy client', () => {
  test('is answered in its session, and not in another', async () => {
    const url = await start('./legacy-stub.ts')
    const call = async (session: string) => {
      const { headers, body } = callParts({ url, tool: 'echo', session }, FIRST_ID)
      const reply = await fetch(url, { method: 'POST', headers, body })
      return { status: reply.status, contentType: 'application/json', body: await reply.text() }
    }
    expect(faultIn(await call(await openSession({ url, tool: 'echo' })), FIRST_ID, true)).toBeUndefined()
    expect(faultIn(await call('another'), FIRST_ID, true)).toContain('status 404')
  })
})

describe('the long list', () => {
  test('is walked to its end', async () => {
    const url = await start('./many-tools-stub.ts')
    expect(await measureLongList({ url, tool: '' })).toMatchObject({ tools: 10_000, pages: 10 })
  })
})

describe('the generator', () => {
  test('keeps the rate that it is told', async () => {
    const peer = startPeer(new URL('./generator/load-generator.ts', import.meta.url), [], undefined)
    peers.push(peer)
    const target = { url: urls.stub ?? '', tool: 'echo' }
    const load: Load = { target, connections: 4, seconds: 0.5, mostCalls: 1_000, perSecond: 40 }
    peer.tell({ open: load } satisfies Order)
    await peer.next()
    peer.tell({ go: true } satisfies Order)
    const report = (await peer.next()) as Report
    // Each that is due in half a second, also where the machine is late; without a rate it would be thousands.
    expect('outcome' in report && report.outcome.calls).toBe(20)
  })
})

describe('the stub', () => {
  const { _meta } = JSON.parse(callParts({ url: 'http://x/', tool: 'echo' }, FIRST_ID).body).params

  test('lists its tools and tells its version', async () => {
    const list = { headers: { 'mcp-method': 'tools/list' }, body: { method: 'tools/list', params: { _meta } } }
    const { result } = JSON.parse((await ask(urls.stub, list)).body)
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' })
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['add', 'echo', 'length'])
    const discover = {
      headers: { 'mcp-method': 'server/discover' },
      body: { method: 'server/discover', params: { _meta } },
    }
    expect(JSON.parse((await ask(urls.stub, discover)).body).result.supportedVersions).toEqual(['2026-07-28'])
  })

  test.each([
    ['a name that does not match', { headers: { 'mcp-name': 'stub__echo' } }, 400, -32020],
    ['a version that does not match', { headers: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
    ['no envelope', { body: { params: { name: 'echo' } } }, 400, -32602],
    ['a method it has not', { headers: { 'mcp-method': 'ping' }, body: { method: 'ping' } }, 404, -32601],
  ])('refuses %s', async (_, change, status, code) => {
    const reply = await ask(urls.stub, change)
    expect(reply.status).toBe(status)
    expect(JSON.parse(reply.body)).toMatchObject({ id: FIRST_ID, error: { code } })
  })
})
