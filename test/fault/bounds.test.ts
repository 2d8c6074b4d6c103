/** One caller asks for much, or one server gives much: what it may cost is bounded, and everybody is told where the bound was. */
// @module-tag long
import { expect, test } from 'vitest'
import { listCatalogs } from '../../packages/gateway/src/catalog/catalogs.ts'
import { startTestGateway, type TestConnection, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { sayResult, startScriptedUpstream } from './scripted-upstream.ts'

const MIB = 1024 * 1024
const modern = (url: string): TestConnection => ({
  alias: 'up',
  revision: '2026-07-28',
  timeout: 20,
  wire: { kind: 'http', url, headers: {} },
})

interface Answered {
  readonly id: number
  readonly result?: { content: { text: string }[] }
  readonly error?: { message: string; data: { fault: string } }
}

/** A batch of that many calls of one tool. */
async function callMany({ connectionUrl, key }: TestGateway, count: number): Promise<Answered[]> {
  const params = { name: 'good', arguments: {} }
  const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
  const response = await fetch(connectionUrl('up'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2025-03-26',
    },
    body: JSON.stringify(messages),
  })
  return (await response.json()) as Answered[]
}

test('the answers of a batch are 32 MiB at most: what does not fit is refused for itself, and not asked for any more', async () => {
  const text = 'x'.repeat(9 * MIB)
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    results: { 'tools/call': { content: [{ type: 'text', text }] } },
  })
  await using gateway = await startTestGateway({
    connections: [modern(upstream.url)],
    settings: { TOOLWAY_RESULT_LIMIT: String(64 * MIB) },
  })
  await gateway.settled('up')
  const answers = await callMany(gateway, 40)
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, id) => id))
  const full = answers.filter(({ result }) => result !== undefined)
  expect(full.map(({ result }) => result?.content[0]?.text.length)).toEqual([9 * MIB, 9 * MIB, 9 * MIB])
  const told = answers.filter(({ result }) => result === undefined).map(({ error }) => error?.data.fault)
  expect(new Set(told)).toEqual(new Set(['batch.too-large']))
  // Those that were under way when it was full, and none after them.
  expect(upstream.of('tools/call').length).toBeLessThanOrEqual(8)
})

test('the calls of a batch run four at a time', async () => {
  let [running, most] = [0, 0]
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    act(heard, response) {
      if (heard.method !== 'tools/call') return false
      most = Math.max(most, ++running)
      setTimeout(() => {
        running--
        sayResult(response, heard, { content: [{ type: 'text', text: 'done' }] })
      }, 20)
      return true
    },
  })
  await using gateway = await startTestGateway({ connections: [modern(upstream.url)] })
  await gateway.settled('up')
  const answers = await callMany(gateway, 30)
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(30)
  expect(most).toBeLessThanOrEqual(4)
})

test('a server that never stops talking about itself is not kept, and says why', async () => {
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    capabilities: { tools: {}, experimental: { 'x.y/z': { text: 'x'.repeat(1024 * 1024) } } },
  })
  await using gateway = await startTestGateway({ connections: [modern(upstream.url)] })
  expect(await gateway.settled('up')).toMatchObject({
    status: 'error',
    reason: expect.stringContaining('262144'),
    tools: 0,
  })
  expect(upstream.of('tools/list')).toHaveLength(0)
})

test('a server whose lists never end in size keeps no list, and says why', async () => {
  const tools = [{ name: 'big', description: 'x'.repeat(9 * MIB), inputSchema: { type: 'object' } }]
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    act(heard, response) {
      if (heard.method !== 'tools/list') return false
      const nextCursor = `after ${JSON.stringify(heard.params['cursor'] ?? '').length}`
      sayResult(response, heard, { tools, nextCursor, ttlMs: 0, cacheScope: 'private' })
      return true
    },
  })
  await using gateway = await startTestGateway({ connections: [modern(upstream.url)] })
  expect(await gateway.settled('up')).toMatchObject({ status: 'connected', tools: 0 })
  const [catalog] = await gateway.db.organization(gateway.organization.id, (sql) => listCatalogs(sql))
  expect(catalog?.left_out?.map(({ reason }) => reason).join()).toContain('larger than 64 KiB')
  expect(upstream.of('tools/list').length).toBeLessThanOrEqual(3)
})
