/**
 * Tests rate limits and their errors. Each bucket at each HTTP handler: 429, a correct Retry-After, and no effect on callers that
 * share nothing with the limited one.
 */
// @module-tag long
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../packages/gateway/src/config.ts'
import { startTestGateway, TEST_KEY } from '../../../packages/gateway/src/testing/gateway.ts'
import { describeWithRedis, startTestRedis } from '../../../packages/gateway/src/testing/redis.ts'
import { ask, callTool, openSession, tell, type RawAnswer, type RawPeer } from '../peers/clients/raw-client.ts'
import { LINE_WAYS, modern, openLegacyLine, openLine } from '../peers/clients/raw-line.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { until } from '../peers/until.ts'

const OTHER_KEY = `uru_${'ab'.repeat(32)}`
const OTHER = {
  slug: 'other',
  name: 'Other',
  connections: [],
  toolsets: [],
  keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
}
const clientOf = (url: string, key: string | undefined = TEST_KEY): RawPeer => ({ url, key, era: 'modern' })
const list = (peer: RawPeer, headers: Record<string, string> = {}) => ask(peer, 'tools/list', {}, { headers })

/** Ask until it is refused; how often it was not, how long that took, and the refusal. */
async function exhaust(once: () => Promise<RawAnswer>, most = 50) {
  const began = performance.now()
  for (let through = 0; through < most; through++) {
    const answer = await once()
    if (answer.status === 429) return { through, took: performance.now() - began, refusal: answer }
  }
  throw new Error(`${most} requests were let through`)
}

/** As many as a minute has, and those that came back meanwhile. */
function expectThrough({ through, took }: { through: number; took: number }, perMinute: number) {
  expect(through).toBeGreaterThanOrEqual(perMinute)
  expect(through).toBeLessThanOrEqual(perMinute + Math.floor((took * perMinute) / 60_000))
}

function expectRefusal({ status, headers, answer }: RawAnswer, fault: string) {
  expect(status).toBe(429)
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(Number.isInteger(seconds)).toBe(true)
  expect(answer.error?.data).toMatchObject({ code: 'RATE_LIMITED', fault, retryable: true, retry_after: seconds })
  return seconds
}

describe('an organization', () => {
  test('S3-RATE-02: over its limit is answered 429, and after Retry-After it is let through again', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ORGANIZATION: '60' }, others: [OTHER] })
    const { through, refusal } = await exhaust(() => list(clientOf(gateway.url)), 100)
    expect(through).toBeGreaterThanOrEqual(60)
    const seconds = expectRefusal(refusal, 'limit.organization')
    expect((await list(clientOf(gateway.url, OTHER_KEY))).status).toBe(200)
    await pause(seconds * 1_000)
    expect((await list(clientOf(gateway.url))).status).toBe(200)
  })

  test('S3-RATE-03: has the limit of the gateway, or its own, which counts at once', async () => {
    await using gateway = await startTestGateway({
      settings: { TOOLWAY_LIMIT_ORGANIZATION: '3', TOOLWAY_AUTH: 'off' },
      others: [OTHER],
    })
    expectThrough(await exhaust(() => list(clientOf(gateway.url))), 3)
    const changed = await fetch(`${gateway.address}/api/v1/admin/tenants/other`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ settings: { requests_per_minute: 7 } }),
    })
    expect(changed.status).toBe(200)
    const exhausted = await exhaust(() => list(clientOf(gateway.url, OTHER_KEY)))
    expectThrough(exhausted, 7)
    expect(exhausted.refusal.answer.error?.message).toContain('7 requests per minute')
    const capped = await fetch(`${gateway.address}/api/v1/admin/tenants/other`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ settings: { max_requests_per_minute: 2 } }),
    })
    expect(capped.status).toBe(200)
    expect((await list(clientOf(gateway.url, OTHER_KEY))).answer.error?.message).toContain('2 requests per minute')
  })

  test('is a hundred requests per minute where nobody said anything', () => {
    expect(loadConfig({}, '/').config.TOOLWAY_LIMIT_ORGANIZATION).toBe(100)
  })

  test('counts a batch by its items, and answers those that are over one by one', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ORGANIZATION: '5' } })
    const session = await openSession(gateway.url, TEST_KEY, '2025-03-26')
    const batch = Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${TEST_KEY}`,
        'mcp-session-id': session.session,
      },
      body: JSON.stringify([...batch, { jsonrpc: '2.0', id: 'ping', method: 'ping' }]),
    })
    const answers = (await response.json()) as RawAnswer['answer'][]
    // One of the five was the opening.
    expect(answers.filter(({ result, id }) => result !== undefined && id !== 'ping')).toHaveLength(4)
    expect(answers.find(({ id }) => id === 'ping')).toMatchObject({ result: {} })
    const refused = answers.filter(({ error }) => error !== undefined)
    expect(refused).toHaveLength(6)
    for (const { error } of refused) {
      expect(error?.data).toMatchObject({ fault: 'limit.organization', retry_after: expect.any(Number) })
    }
  })

  test('counts neither pings nor notifications', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ORGANIZATION: '2' } })
    const session = await openSession(gateway.url, TEST_KEY)
    for (let n = 0; n < 10; n++) {
      expect((await ask(session, 'ping')).status).toBe(200)
      expect((await tell(session, 'notifications/roots/list_changed')).status).toBe(202)
    }
    expect((await list(session)).status).toBe(200)
    expectRefusal(await list(session), 'limit.organization')
    expectRefusal(await ask({ ...session, session: undefined } as never, 'initialize', OPENING), 'limit.organization')
  })

  test('is refused on admin routes as a problem, with the same header', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_KEY: '3', TOOLWAY_AUTH: 'off' } })
    const get = () => fetch(`${gateway.address}/api/v1/admin/tenants`)
    const began = performance.now()
    for (let n = 0; n < 3; n++) expect((await get()).status).toBe(200)
    const refused = await get()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
    // One comes back every twenty seconds, counted from the first.
    const left = 20 - (performance.now() - began) / 1_000
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.ceil(left))
    expect(await refused.json()).toMatchObject({ code: 'limit.key', title: 'RATE_LIMITED', status: 429 })
  })

  test.each(LINE_WAYS)('is refused over %s with the seconds to wait, and the line stays', async (way) => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ORGANIZATION: '3' } })
    await using line = await openLegacyLine({ way, url: gateway.url, key: TEST_KEY })
    for (let n = 0; n < 2; n++) expect(await line.ask('tools/list')).toHaveProperty('result')
    expect((await line.ask('tools/list')).error?.data).toMatchObject({
      fault: 'limit.organization',
      retry_after: expect.any(Number),
    })
    expect(await line.ask('ping')).toHaveProperty('result')
  })
})

const OPENING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

describe('an address', () => {
  test('S1-SEC-05: is limited whoever asks, and believed only from a trusted proxy', async () => {
    await using gateway = await startTestGateway({
      settings: { TOOLWAY_LIMIT_ADDRESS: '3' },
    })
    const liar = () =>
      list(clientOf(gateway.url), { 'x-forwarded-for': `203.0.113.${Math.trunc(performance.now()) % 250}` })
    expectThrough(await exhaust(liar), 3)
    expectRefusal(await liar(), 'limit.address')

    await using behind = await startTestGateway({
      settings: { TOOLWAY_LIMIT_ADDRESS: '3', TOOLWAY_TRUSTED_PROXIES: '127.0.0.1' },
    })
    const from = (address: string) => () => list(clientOf(behind.url), { 'x-forwarded-for': `1.2.3.4, ${address}` })
    expectThrough(await exhaust(from('203.0.113.9')), 3)
    expect((await from('203.0.113.10')()).status).toBe(200)
    expectThrough(await exhaust(from('2001:db8::1')), 3)
    expectRefusal(await from('2001:db8::ffff')(), 'limit.address')
  })

  test('is limited before anybody looks at its key: a flood of guesses is one, too', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ADDRESS: '5' } })
    const guess = () => list(clientOf(gateway.url, undefined))
    const exhausted = await exhaust(guess)
    const { refusal } = exhausted
    expectThrough(exhausted, 5)
    expectRefusal(refusal, 'limit.address')
    expect(refusal.headers.get('www-authenticate')).toBeNull()
    const elsewhere = await fetch(`${gateway.address}/api/v1/nowhere`)
    expect(elsewhere.status).toBe(429)
    expect(elsewhere.headers.get('retry-after')).toMatch(/^\d+$/)
    // A health probe is not counted as a client.
    expect((await fetch(`${gateway.address}/health/ready`)).status).toBe(200)
  })

  test('is limited frame by frame over a WebSocket, and told so', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ADDRESS: '4' } })
    await using line = await openLine({ way: 'socket', url: gateway.url, key: TEST_KEY })
    for (let n = 0; n < 3; n++) expect(await line.ask('tools/list', modern())).toHaveProperty('result')
    expect((await line.ask('tools/list', modern())).error?.data).toMatchObject({
      fault: 'limit.address',
      retry_after: expect.any(Number),
    })
    await using late = await openLine({ way: 'socket', url: gateway.url, key: TEST_KEY })
    await until('it is closed', () => late.closed !== undefined)
    expect(late.closed?.code).toBe(4429)
  })
})

describe('buckets', () => {
  test('S3-RATE-04: a batch counts its items, and endpoints that are not there share one bucket', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ORGANIZATION: '4' }, others: [OTHER] })
    const paths = [
      'o/acme/t/x',
      'o/other/t/default',
      'api/v1/nobody/connectors/x',
      'api/v1/other/connectors/y',
      'o/z/t/z',
    ]
    const statuses: number[] = []
    for (const path of paths) statuses.push((await list(clientOf(`${gateway.address}/${path}/mcp`))).status)
    expect(statuses).toEqual([404, 404, 404, 404, 429])
    // Requests for endpoints that exist are still within the limit.
    expect((await list(clientOf(gateway.url))).status).toBe(200)
    const session = await openSession(`${gateway.address}/mcp`, OTHER_KEY, '2025-03-26')
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${OTHER_KEY}`,
        'mcp-session-id': session.session,
      },
      body: JSON.stringify(Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))),
    })
    const answers = (await response.json()) as RawAnswer['answer'][]
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(3)
  })

  test('U-15: address, organization, key and connection each refuse with 429 and Retry-After, and each may be off', async () => {
    await using server = await startProbe()
    for (const [name, fault] of [
      ['TOOLWAY_LIMIT_ADDRESS', 'limit.address'],
      ['TOOLWAY_LIMIT_ORGANIZATION', 'limit.organization'],
      ['TOOLWAY_LIMIT_KEY', 'limit.key'],
      ['TOOLWAY_LIMIT_CONNECTION', 'limit.connection'],
      [undefined, undefined],
    ] as const) {
      await using first = await startTestGateway({ connections: [{ alias: 'docs', wire: httpWire(server.url) }] })
      await first.settled('docs')
      const rates = name === undefined ? {} : { [name]: 3 }
      await using gateway = await first.another(rates)
      const call = () => callTool(clientOf(`${gateway.address}/mcp`), 'docs__echo', { text: 'x' })
      if (fault === undefined) {
        for (let n = 0; n < 120; n++) expect((await call()).status).toBe(200)
      } else {
        const exhausted = await exhaust(call)
        expectThrough(exhausted, 3)
        expectRefusal(exhausted.refusal, fault)
      }
    }
  })

  test('tell /metrics how many they refused', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ORGANIZATION: '1' } })
    await exhaust(() => list(clientOf(gateway.url)))
    const metrics = await fetch(`${gateway.address}/metrics`, { headers: { authorization: `Bearer ${TEST_KEY}` } })
    const text = await metrics.text()
    expect(text).toContain('toolway_limited_total{bucket="organization"} 1')
    expect(text).toContain('toolway_refusals_total{code="limit.organization"} 1')
  })
})

describeWithRedis('two gateways', () => {
  const limitsOf = async (address: string) =>
    ((await (await fetch(`${address}/health/ready`)).json()) as { checks: { limits: string } }).checks.limits

  test('count together with Redis, alone without, and say which', { tags: 'long' }, async () => {
    await using redis = await startTestRedis()
    const settings = { TOOLWAY_LIMIT_ORGANIZATION: '10' }
    await using first = await startTestGateway({ settings: { ...settings, REDIS_URL: redis.url } })
    await using second = await first.another()
    expect(await limitsOf(first.address)).toBe('redis')
    let through = 0
    const began = performance.now()
    for (let n = 0; n < 12; n++) {
      const { address } = n % 2 === 0 ? first : second
      const { status } = await list(clientOf(`${address}/mcp`))
      if (status === 200) through++
    }
    expectThrough({ through, took: performance.now() - began }, 10)

    redis.shut()
    await list(clientOf(first.url))
    await until('Redis is missed', async () => (await limitsOf(first.address)) !== 'redis')
    expect(await limitsOf(first.address)).toBe('memory, because redis does not respond')
    expect((await fetch(`${first.address}/health/ready`)).status).toBe(200)
    const { through: alone } = await exhaust(() => list(clientOf(first.url)))
    expect(alone).toBeGreaterThanOrEqual(8)
    redis.open()
    await until('Redis is found', async () => (await limitsOf(first.address)) === 'redis')

    await using without = await startTestGateway({ settings })
    expect(await limitsOf(without.address)).toBe('memory')
    expectThrough(await exhaust(() => list(clientOf(without.url))), 10)
    const lost = first.log.filter(({ message }) => message.startsWith('Redis does not answer'))
    expect(lost.length).toBeLessThanOrEqual(2)
  })
})
