/**
 * Messages of servers with one or two members dropped, null, of another kind, renamed, repeated or in another order: 20,000 a run, always
 * the same ones. None may crash or hang anything, take a neighbour along, or end without a reason.
 */
// @module-tag long
import { expect, test } from 'vitest'
import { Fault } from '../../packages/contract/src/index.ts'
import { fetchCapabilities } from '../../packages/gateway/src/upstreams/capabilities/fetch-capabilities.ts'
import { createHttpUpstream } from '../../packages/gateway/src/upstreams/http/http-upstream.ts'
import { createSessionPool } from '../../packages/gateway/src/upstreams/session-pool.ts'
import { GATEWAY } from '../../packages/gateway/src/upstreams/upstream.ts'
import { NOBODY, type LegacySession } from '../../packages/protocol/src/client/index.ts'
import type { Json, JsonObject } from '../../packages/protocol/src/json.ts'
import { startScriptedUpstream, type Heard, type ScriptedUpstream } from '../fault/scripted-upstream.ts'
import { SCHEMA } from './rows/definitions.ts'
import { createVaried } from './varied.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const REVISIONS = { modern: '2026-07-28', legacy: '2025-11-25' } as const
/** For both eras together. */
const COUNTS = { calls: 12_000, lists: 6_000, greetings: 2_000 }
const LIMIT_SECONDS = 60
const TEST_MS = 900_000

const envelope = ({ id }: Heard, result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: id as number, result })
const CONTENT: JsonObject = {
  resultType: 'complete',
  content: [
    { type: 'text', text: 'done', annotations: { priority: 1, audience: ['user'] } },
    { type: 'resource', resource: { uri: 'good://a', text: 'a', mimeType: 'text/plain' } },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ],
  structuredContent: { city: 'Bern', list: [1, 2] },
  isError: false,
  _meta: { 'x.y/z': 1 },
}
const GOOD: JsonObject = { name: 'good', inputSchema: SCHEMA }
const TOOL: JsonObject = {
  ...{ name: 'varied', title: 'Varied', description: 'A tool.', inputSchema: SCHEMA, outputSchema: SCHEMA },
  annotations: { readOnlyHint: true, title: 'x' },
  icons: [{ src: 'https://example.com/a.png', sizes: ['48x48'] }],
  _meta: { 'x.y/z': 1 },
}

/** A server that sends what `next` makes of its own message at one method. */
const startVarying = (era: Era, method: string, next: (heard: Heard) => Json | undefined): Promise<ScriptedUpstream> =>
  startScriptedUpstream({
    era,
    act(heard, response) {
      if (heard.method !== method) return false
      const message = next(heard)
      const text = JSON.stringify(message) ?? ''
      const streams = era === 'modern' ? text.length % 2 === 0 : text.length % 3 === 0
      response
        .writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
        .end(streams ? `data: ${text}\n\n` : text)
      return true
    },
  })

function upstreamAt(url: string, revision: (typeof REVISIONS)[Era] | undefined) {
  let last = 0
  const pool = createSessionPool<LegacySession>({ now: Date.now })
  const upstream = createHttpUpstream({
    reach: {
      ...{ connectionId: 'con_1', alias: 'web', timeout: LIMIT_SECONDS, revision, pinned: false },
      wire: { url, private: true, headers: {} },
    },
    ids: () => ++last,
    pool,
    onRevision() {},
    onStateChange() {},
  })
  const dispose = async () => {
    await upstream.close()
    pool.close()
  }
  return { upstream, [Symbol.asyncDispose]: dispose }
}

/** The code of a failure that a person can read about; a hang and a fault of the gateway's own are none. */
function reasonOf(thrown: unknown, variation: Json): string {
  const shown = JSON.stringify(variation)
  expect(thrown, shown).toBeInstanceOf(Fault)
  const { code, message } = thrown as Fault
  expect(code, `${message} ${shown}`).toMatch(/^(?:upstream|result)\.(?!timeout)/)
  expect(message.length, shown).toBeGreaterThan(10)
  return code
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
const print = (what: string, counts: Map<string, number>) =>
  process.stdout.write(`${what}: ${[...counts].map(([name, times]) => `${times} ${name}`).join(', ')}\n`)

test.each(ERAS)('no variation of a result harms a call or the next one (%s)', { timeout: TEST_MS }, async (era) => {
  const varied = createVaried(1)
  let variation: Json = null
  let isClean = false
  await using server = await startVarying(era, 'tools/call', (heard) =>
    isClean ? envelope(heard, CONTENT) : (variation = varied(envelope(heard, CONTENT))),
  )
  await using held = upstreamAt(server.url, REVISIONS[era])
  const call = () =>
    held.upstream.ask({
      ...{ method: 'tools/call', params: { name: 'good' }, caller: NOBODY, session: undefined, owner: GATEWAY },
      ...{ headerParameters: [], signal: new AbortController().signal, onNotification() {} },
      onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'no' } }),
    })
  const counts = new Map<string, number>()
  for (let at = 0; at < COUNTS.calls / 2; at++) {
    isClean = false
    const answer = await call().catch((thrown: unknown) => reasonOf(thrown, variation))
    count(counts, typeof answer === 'string' ? answer : 'error' in answer ? 'its own error' : 'taken')
    if (at % 50 !== 0) continue
    isClean = true
    expect(await call(), JSON.stringify(variation)).toMatchObject({ result: { structuredContent: { city: 'Bern' } } })
  }
  print(`results, ${era}`, counts)
  expect(counts.get('taken')).toBeGreaterThan(0)
})

test.each(ERAS)(
  'no variation of a definition harms its neighbour in the list (%s)',
  { timeout: TEST_MS },
  async (era) => {
    const varied = createVaried(2)
    let variation: Json = null
    await using server = await startVarying(era, 'tools/list', (heard) => {
      variation = varied(TOOL)
      return envelope(heard, { resultType: 'complete', tools: [variation, GOOD], ttlMs: 0, cacheScope: 'private' })
    })
    await using held = upstreamAt(server.url, REVISIONS[era])
    const counts = new Map<string, number>()
    for (let at = 0; at < COUNTS.lists / 2; at++) {
      const offer = await fetchCapabilities(held.upstream, 'web', new AbortController().signal)
      const shown = JSON.stringify(variation)
      expect(
        offer.tools.map(({ name }) => name),
        shown,
      ).toContain('good')
      expect(offer.tools.length + offer.leftOut.length, shown).toBeGreaterThanOrEqual(2)
      const wasRepaired = offer.repaired.length > 0
      count(counts, offer.leftOut.length > 0 ? 'left out' : wasRepaired ? 'repaired' : 'as it is')
      for (const { reason } of [...offer.leftOut, ...offer.repaired]) expect(reason.length, shown).toBeGreaterThan(10)
    }
    print(`definitions, ${era}`, counts)
  },
)

test.each(ERAS)('no variation of a greeting hangs or goes without a reason (%s)', { timeout: TEST_MS }, async (era) => {
  const varied = createVaried(3)
  let variation: Json = null
  const serverInfo = { name: 'zoo', version: '1', title: 'Zoo', icons: [{ src: 'https://example.com/a.png' }] }
  const capabilities = { tools: { listChanged: true }, logging: {}, experimental: { x: {} } }
  const greeting: JsonObject =
    era === 'modern'
      ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, instructions: 'x' }
      : { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions: 'x' }
  const method = era === 'modern' ? 'server/discover' : 'initialize'
  await using server = await startVarying(era, method, (heard) => (variation = varied(envelope(heard, greeting))))
  const counts = new Map<string, number>()
  for (let at = 0; at < COUNTS.greetings / 2; at++) {
    await using held = upstreamAt(server.url, undefined)
    const outcome = await held.upstream.introduce(new AbortController().signal).then(
      () => 'taken',
      (thrown: unknown) => reasonOf(thrown, variation),
    )
    count(counts, outcome)
  }
  print(`greetings, ${era}`, counts)
  expect(counts.get('taken')).toBeGreaterThan(0)
})
