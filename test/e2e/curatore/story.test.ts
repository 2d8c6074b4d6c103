/** The test plan of the seed in its three phases, and what has to hold while the world is bad: between processes, over HTTP alone. */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readlink, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeWithRedis, startTestRedis } from '../../../packages/gateway/src/testing/redis.ts'
import { makeInstallation, type Installation, type Running } from '../../cli/installation.ts'
import { until } from '../peers/until.ts'
import { BACKEND_KEY, connect, KEY, linesOf, ORG, settingsFor, startCuratore, type Curatore } from './curatore.ts'
import { MCP_EXCHANGE } from './open-webui.ts'

const BACKEND = join(import.meta.dirname, '../peers/contract-backend/backend.script.ts')
const ASSET = '7f1d2c3b-0000-4000-8000-000000000001'
const patiently = { interval: 100 }

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: { params: Record<string, unknown> }
}

/** The backend as a process of its own, told what to do over HTTP. */
async function startBackend() {
  const child = spawn(process.execPath, [BACKEND, '--key', BACKEND_KEY], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  const state = async () => (await (await fetch(`${url}/_fake/state`)).json()) as { requests: readonly Asked[] }
  return {
    url,
    requests: async () => (await state()).requests,
    executed: async () => (await state()).requests.filter(({ path }) => path.endsWith('/execute')),
    become: (next: object) => fetch(`${url}/_fake/state`, { method: 'POST', body: JSON.stringify(next) }),
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

let backend: Awaited<ReturnType<typeof startBackend>>
let installation: Installation
let gateway: Running
beforeAll(async () => {
  backend = await startBackend()
  installation = await makeInstallation({ ...settingsFor(backend), TOOLWAY_BODY_LIMIT: '262144' })
  gateway = await installation.start()
})
afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await backend[Symbol.asyncDispose]()
})

const client = () => connect({ gateway } as Curatore)
const lines = () => linesOf(gateway.err())
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${gateway.address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: body as string,
  })
const contentOf = (result: unknown) => (result as { structuredContent: Record<string, unknown> }).structuredContent
const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? ''

describe('phase 1: the protocol', () => {
  test('a client connects and is shown the tools', async () => {
    await using mcp = await client()
    const names = (await mcp.listTools()).tools.map(({ name }) => name)
    expect(names).toHaveLength(14)
    for (const name of ['search_assets', 'get_content', 'llm_summarize']) expect(names).toContain(name)
  })
})

describe('phase 2: calls', () => {
  test('S1-TST-02: search_assets with limit 3 gives three at most', async () => {
    await using mcp = await client()
    const result = await mcp.callTool({ name: 'search_assets', arguments: { query: 'x', limit: 3 } })
    expect(contentOf(result)['result']).toHaveLength(3)
    expect((await backend.executed()).at(-1)?.body?.params).toEqual({ query: 'x', limit: 3, org_id: ORG })
  })

  test('S1-TST-03: materialize_text with top_k 2 works, by the name that it had', async () => {
    await using mcp = await client()
    const result = await mcp.callTool({ name: 'materialize_text', arguments: { asset_ids: ['a', 'b', 'c'], top_k: 2 } })
    expect(contentOf(result)['documents']).toMatchObject([{ id: 'a' }, { id: 'b' }])
    expect((await backend.executed()).at(-1)?.body?.params).toMatchObject({ top_k: 2, max_total_chars: 50_000 })
  })

  test('S1-TST-04: llm_summarize works', async () => {
    await using mcp = await client()
    const result = await mcp.callTool({ name: 'llm_summarize', arguments: { text: 'A long text.' } })
    expect(textOf(result)).toContain('A long text. in 1000 tokens')
  })
})

describe('phase 3: what must not pass', () => {
  test('S1-TST-05, S1-POL-02: limit 500 is clamped to 50, and the client learns it', async () => {
    await using mcp = await client()
    const result = await mcp.callTool({ name: 'search_assets', arguments: { query: 'x', limit: 500 } })
    expect(contentOf(result)['result']).toHaveLength(50)
    expect((await backend.executed()).at(-1)?.body?.params).toEqual({ query: 'x', limit: 50, org_id: ORG })
    expect(result._meta?.['dev.toolway/policy']).toEqual({
      changes: [{ place: '/limit', how: 'clamped', from: 500, to: 50 }],
    })
  })

  test('S1-TST-06: a facet that there is not is refused, and nothing is sent', async () => {
    await using mcp = await client()
    const before = (await backend.executed()).length
    const result = await mcp.callTool({
      name: 'search_assets',
      arguments: { query: 'x', facet_filters: { custom: { fake_field: 'x' } } },
    })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toMatch(/^INVALID_ARGUMENT.*fake_field/)
    expect(await backend.executed()).toHaveLength(before)
  })

  test('S1-TST-07: a parameter that is missing is refused, and nothing is sent', async () => {
    await using mcp = await client()
    const before = (await backend.executed()).length
    const result = await mcp.callTool({ name: 'search_assets', arguments: { limit: 3 } })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toMatch(/^INVALID_ARGUMENT.*query/)
    expect(await backend.executed()).toHaveLength(before)
  })
})

describe('a limit that refuses', () => {
  test('S1-ERR-02: is a violation of policy that names the allowed maximum, and nothing is sent', async () => {
    await using here = await startCuratore(
      {},
      'version: "2.0"\nclamps: { search_assets: { limit: { max: 50, mode: reject } } }\n',
    )
    await using mcp = await connect(here)
    const refused = await mcp.callTool({ name: 'search_assets', arguments: { query: 'x', limit: 500 } })
    expect(refused).toMatchObject({ isError: true })
    expect(textOf(refused)).toMatch(/^POLICY_VIOLATION.*\/limit: 500 exceeds the allowed maximum of 50/)
    expect(JSON.stringify((await here.call('search_assets', { query: 'x', limit: 51 })).body)).toContain(
      'POLICY_VIOLATION',
    )
    expect(here.backend.asked('execute')).toEqual([])
    await mcp.callTool({ name: 'search_assets', arguments: { query: 'x', limit: 50 } })
    expect(here.backend.asked('execute').at(-1)?.body).toMatchObject({ params: { limit: 50 } })
    const { body } = await here.ask('/policy')
    expect(body).toMatchObject({ clamps: { search_assets: { limit: { max: 50, mode: 'reject' } } } })
  })
})

describe('what it is', () => {
  test('S1-ARC-06: integration, tool interface, policy boundary, validator and proxy of one organization at once', async () => {
    const rest = async (path: string, body: object) => (await post(path, JSON.stringify(body))).json()
    // Integration for Open WebUI.
    expect(
      (await post('/mcp', JSON.stringify(MCP_EXCHANGE.initialize.body), MCP_EXCHANGE.initialize.headers)).status,
    ).toBe(200)
    // A tool interface for anybody with the key.
    expect(await rest('/get_asset', { asset_id: ASSET })).toMatchObject({ structuredContent: { id: ASSET } })
    // The boundary of what may be asked.
    await rest('/llm_generate', { prompt: 'p', max_tokens: 8000 })
    expect((await backend.executed()).at(-1)?.body?.params).toMatchObject({ max_tokens: 2000 })
    // The contract, held against arguments.
    expect(JSON.stringify(await rest('/get', { item_type: 'nothing', item_id: 'x' }))).toContain('INVALID_ARGUMENT')
    // One organization, whatever a caller says.
    await rest('/get_asset', { asset_id: ASSET, org_id: 'globex' })
    expect((await backend.executed()).at(-1)?.body?.params).toEqual({ asset_id: ASSET, org_id: ORG })
  })

  test('S1-ARC-04, S1-ARC-07, S1-CWR-01, S1-CWR-02, S1-CWR-03, S1-CWR-04: of the backend it asks contracts, metadata and calls of functions, and nothing else', async () => {
    const kinds = new Set(
      (await backend.requests())
        .filter(({ path }) => path !== '/_fake/state')
        .map(({ method, path }) => `${method} ${path.replace(/functions\/[^/]+/, 'functions/*').replace(/\/$/, '')}`),
    )
    expect([...kinds].sort()).toEqual([
      'GET /api/v1/cwr/contracts',
      'GET /api/v1/data/metadata/catalog',
      'GET /api/v1/data/metadata/facets',
      'POST /api/v1/cwr/functions/*/execute',
    ])
  })

  test.runIf(process.platform === 'linux')('S1-ARC-02: it is connected to its backend and to nobody else', async () => {
    const links = await Promise.all(
      (await readdir(`/proc/${gateway.pid}/fd`)).map((fd) => readlink(`/proc/${gateway.pid}/fd/${fd}`).catch(() => '')),
    )
    const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
    const portOf = (text: string | undefined) => Number.parseInt(text?.split(':')[1] ?? '', 16)
    const connected = (await readFile('/proc/net/tcp', 'utf8'))
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/\s+/))
      .filter((row) => row[3] === '01' && inodes.has(row[9] ?? ''))
      .filter((row) => portOf(row[1]) !== Number(new URL(gateway.address).port))
    expect(connected.length).toBeGreaterThan(0)
    expect(new Set(connected.map((row) => portOf(row[2])))).toEqual(new Set([Number(new URL(backend.url).port)]))
  })

  test('S1-CAL-01, S1-SEC-01: nobody without a key is let in, and each is told how to ask', async () => {
    for (const headers of [{}, { authorization: 'Bearer nothing' }, { authorization: `Basic ${KEY}` }]) {
      const response = await fetch(`${gateway.address}/mcp`, {
        method: 'POST',
        headers: { ...MCP_EXCHANGE.list.headers, ...headers },
        body: JSON.stringify(MCP_EXCHANGE.list.body),
      })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
  })

  test('S1-CAL-02: the organization is settled before anything is read', async () => {
    const before = (await backend.executed()).length
    for (const path of ['/o/nobody/t/default/get_asset', '/o/nobody/t/default/mcp', '/o/default/t/nothing/get_asset'])
      expect({ path, status: (await post(path, '{ this is not JSON')).status }).toEqual({ path, status: 404 })
    expect((await post('/get_asset', '{ this is not JSON')).status).toBe(400)
    expect(await backend.executed()).toHaveLength(before)
  })
})

describe('what a call leaves', () => {
  test('S1-OBS-01, S1-OBS-02: one line with its seven facts, and one id in three places', async () => {
    const id = 'from-the-chat.42'
    const response = await post('/search_assets', '{"query":"x"}', { 'x-correlation-id': id })
    const text = await response.text()
    expect(response.headers.get('x-correlation-id')).toBe(id)
    expect((await backend.executed()).at(-1)?.headers['x-correlation-id']).toBe(id)
    const line = await until('its line', () => lines().find((one) => one['request_id'] === id))
    expect(line).toMatchObject({
      tool_name: 'search_assets',
      org_id: ORG,
      bytes_in: 13,
      bytes_out: Buffer.byteLength(text),
      outcome: 'ok',
      duration_ms: expect.any(Number) as number,
    })
    const wrong = await post('/search_assets', '{"limit":"many"}', { 'x-correlation-id': 'wrong-1' })
    await wrong.text()
    const refusal = await until('the refusal', () => lines().find((one) => one['request_id'] === 'wrong-1'))
    expect(refusal).toMatchObject({ outcome: 'refused', detail: { invalid: ['/limit', '/query'] } })
    // Made where none was given, and the same at both ends.
    const made = (await post('/get_asset', `{"asset_id":"${ASSET}"}`)).headers.get('x-correlation-id')
    expect(made).toMatch(/^[\w.-]{8,}$/)
    expect((await backend.executed()).at(-1)?.headers['x-correlation-id']).toBe(made)
    // The same over MCP.
    const mcp = await post('/mcp', JSON.stringify(MCP_EXCHANGE.call(5, 'get_asset', { asset_id: ASSET }).body), {
      ...MCP_EXCHANGE.list.headers,
      'x-correlation-id': 'over-mcp',
    })
    expect(mcp.headers.get('x-correlation-id')).toBe('over-mcp')
    expect(gateway.err()).not.toContain(KEY)
    expect(gateway.err()).not.toContain(BACKEND_KEY)
  })

  test('S1-SUC-03: a body that is too large is refused, and a result that is too long is cut and says so', async () => {
    expect((await post('/search_assets', `{"query":"${'x'.repeat(300_000)}"}`)).status).toBe(413)
    await using small = await startCuratore({ TOOLWAY_RESULT_LIMIT: '4096' })
    const { body } = await small.call('get_content', { asset_ids: ['a', 'b'] })
    expect(Buffer.byteLength(textOf(body))).toBeLessThan(8_192)
    expect(JSON.stringify(body)).toMatch(/Truncated by Toolway: .* 4096 are passed on/)
  })
})

describe('a bad day', () => {
  test(
    'S1-ERR-04: fuzzed bodies, huge JSON and a backend that drops its connections end nothing, and memory stays bounded',
    { tags: 'long' },
    async () => {
      const resident = async () =>
        Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${gateway.pid}/status`, 'utf8').catch(() => ''))?.[1] ?? 0) /
        1024
      const before = await resident()
      const paths = [
        '/mcp',
        '/search_assets',
        '/mcp/tools/call',
        '/openai/tools/get',
        '/rest/tools/get/call',
        '/policy/reload',
      ]
      const statuses = new Set<number>()
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.json(),
            fc.string({ unit: 'binary' }),
            fc.json().map((text) => text.slice(1)),
          ),
          fc.constantFrom(...paths),
          async (body, path) => {
            const response = await post(path, body)
            await response.arrayBuffer()
            statuses.add(response.status)
            return response.status < 500
          },
        ),
        { numRuns: 250, seed: 20_261_122 },
      )
      expect(statuses).toContain(400)
      const deep = `{"query":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
      for (const body of [deep, `{"query":"${'é'.repeat(120_000)}"}`, new Uint8Array(100_000).fill(0xff)])
        expect((await post('/search_assets', body)).status).toBeLessThan(500)
      for (const mode of ['dropping', 'nonsense', 'page', 'failing']) {
        await backend.become({ modes: { execute: mode } })
        const answers = await Promise.all(
          Array.from({ length: 10 }, async () => (await post('/get_asset', `{"asset_id":"${ASSET}"}`)).text()),
        )
        for (const answer of answers) {
          expect(answer).toContain('"isError":true')
          expect(answer).not.toContain(new URL(backend.url).host)
        }
      }
      await backend.become({ modes: { execute: 'well' } })
      const works = async () => (await post('/get_asset', `{"asset_id":"${ASSET}"}`)).text()
      await expect.poll(works, patiently).toContain('structuredContent')
      expect((await fetch(`${gateway.address}/health/live`)).status).toBe(200)
      expect((await resident()) - before).toBeLessThan(200)
      expect(lines().filter(({ message }) => message === 'unhandled promise rejection')).toEqual([])
    },
  )

  test('S1-SEC-05: one address is let through so often in a minute, and then told when to come back', async () => {
    await using here = await startCuratore({ TOOLWAY_LIMIT_ADDRESS: '' })
    const statuses: number[] = []
    let refused: Awaited<ReturnType<typeof here.ask>> | undefined
    for (let n = 0; n < 70 && refused === undefined; n++) {
      const answer = await here.ask('/rest/tools')
      statuses.push(answer.status)
      if (answer.status === 429) refused = answer
    }
    // Sixty a minute, and what came back meanwhile.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(60)
    expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(refused?.body).toMatchObject({ code: 'limit.address' })
    // A client that only claims another address is still counted as the same one.
    const liar = { authorization: `Bearer ${KEY}`, 'x-forwarded-for': '203.0.113.7' }
    expect((await here.ask('/rest/tools', { headers: liar })).status).toBe(429)
    expect((await here.ask('/health/ready')).status).toBe(200)
  })
})

describeWithRedis('several gateways', () => {
  test('count together where a Redis is set, and go on alone where it goes away', { tags: 'long' }, async () => {
    await using redis = await startTestRedis()
    const shared = {
      REDIS_URL: `${redis.url}/2`,
      TOOLWAY_LIMIT_ADDRESS: 'off',
      TOOLWAY_LIMIT_ORGANIZATION: '20',
    }
    await using one = await startCuratore(shared)
    const other = await one.installation.start({ ...one.settings, ...shared })
    expect((await one.ask('/health/ready')).body).toMatchObject({ checks: { limits: 'redis' } })
    let through = 0
    const begun = performance.now()
    for (let n = 0; n < 60; n++) {
      const address = n % 2 === 0 ? one.gateway.address : other.address
      const { status } = await fetch(`${address}/rest/tools`, { headers: { authorization: `Bearer ${KEY}` } })
      if (status === 200) through++
    }
    // Twenty, and one every three seconds. Alone, each would have let as many through.
    const room = 20 + (performance.now() - begun) / 3_000
    expect(through).toBeLessThanOrEqual(Math.ceil(room) + 1)
    redis.shut()
    await expect
      .poll(async () => (await one.ask('/health/ready')).body, patiently)
      .toMatchObject({
        status: 'ready',
        checks: { limits: 'memory, because redis does not respond' },
      })
  })
})
