/**
 * Tests ownership, number and lifetime of sessions. They outlive the gateway that opened them, and end everywhere when their
 * client ends them; an eleventh replaces the least recently used one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { startScriptedUpstream, type ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { startAsker } from '../peers/servers/asker-server.ts'
import { connectClient } from '../peers/clients/client.ts'
import { openStream, readEvents } from '../peers/clients/event-reader.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession, start } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const OTHER = `uru_${'cd'.repeat(32)}`
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let recorded: ScriptedUpstream
beforeAll(async () => {
  const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  recorded = parts.use(
    await startScriptedUpstream({ era: 'legacy', capabilities: { tools: {}, logging: {}, resources: {} } }),
  )
  const asker = parts.use(await startAsker())
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'asker', revision: '2025-11-25', wire: httpWire(asker.url) },
        { alias: 'legacy', revision: '2025-11-25', wire: httpWire(legacy.url) },
        { alias: 'modern', revision: '2026-07-28', wire: httpWire(modern.url) },
        { alias: 'recorded', revision: '2025-11-25', wire: httpWire(recorded.url) },
      ],
      keys: [{ name: 'other', value: OTHER, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const Row = z.object({ owner: z.string() })
const rows = () => gateway.db.system((sql) => sql(Row)`select owner from sessions`)
const stored = (count: number) => until(`${count} sessions are stored`, async () => (await rows()).length === count)
const end = ({ url, key, session = '' }: RawPeer) =>
  fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${key}`, 'mcp-session-id': session } })
const statusOf = async (peer: RawPeer) => (await ask(peer, 'ping')).status
/** Deletes all sessions, so that none is left for the next test. */
const forgetAll = () => gateway.restart(() => gateway.db.system((sql) => sql(z.object({}))`delete from sessions`))

describe('sessions of one key at one endpoint', () => {
  test('are ten: an eleventh ends the one used longest ago, and nobody else loses any', async () => {
    const url = gateway.connectionUrl('legacy')
    const other = await openSession(url, OTHER)
    const elsewhere = await openSession(gateway.connectionUrl('modern'), gateway.key)
    const peers: RawPeer[] = []
    for (let at = 0; at < 11; at++) peers.push(await openSession(url, gateway.key))
    expect(await Promise.all(peers.map(statusOf))).toEqual([404, ...Array.from({ length: 10 }, () => 200)])
    expect([await statusOf(other), await statusOf(elsewhere)]).toEqual([200, 200])
    await stored(12)
    await forgetAll()
  })

  test('that open at the same time are one for each who asked', async () => {
    const url = gateway.connectionUrl('legacy')
    const peers = await Promise.all(Array.from({ length: 10 }, () => openSession(url, gateway.key)))
    expect(new Set(peers.map(({ session }) => session)).size).toBe(10)
    expect(await Promise.all(peers.map(statusOf))).toEqual(Array.from({ length: 10 }, () => 200))
    await forgetAll()
  })

  test('are not known by their names in the database', async () => {
    const peer = await openSession(gateway.connectionUrl('legacy'), gateway.key)
    await stored(1)
    const [row] = await gateway.db.system(
      (sql) => sql(z.object({ text: z.string() }))`select to_jsonb(s)::text as text from sessions s`,
    )
    expect(row?.text).toContain('"raw"')
    expect(row?.text).not.toContain(peer.session)
    await end(peer)
    await stored(0)
    expect(await statusOf(peer)).toBe(404)
  })
})

describe('after the gateway has ended and come back', () => {
  test('a session goes on with what was known of it, and another key still does not find it', async () => {
    const peer = await openSession(gateway.connectionUrl('recorded'), gateway.key, '2025-06-18')
    await ask(peer, 'logging/setLevel', { level: 'warning' })
    const stream = await openStream(peer)
    await gateway.restart()
    await stream.done
    const { status, answer } = await callTool(peer, 'good')
    expect([status, answer.result?.content?.[0]?.text]).toEqual([200, expect.stringMatching(/^session-/)])
    // Its upstream session is a new one, with the level that was set before.
    const told = recorded.of('logging/setLevel').filter(({ params }) => params['level'] === 'warning')
    expect(new Set(told.map(({ session }) => session)).size).toBe(2)
    expect(await statusOf({ ...peer, key: OTHER })).toBe(404)
    expect(await statusOf({ ...peer, url: gateway.url })).toBe(404)
    expect((await openStream(peer, 'ffffffffffff-p1.1')).status).toBe(410)
    expect((await end(peer)).status).toBe(204)
    expect(await statusOf(peer)).toBe(404)
    await gateway.restart()
    expect(await statusOf(peer)).toBe(404)
  })

  test('what was said in calls is gone, which is told; on its own stream everything may have changed, which is said', async () => {
    const peer = await openSession(gateway.connectionUrl('legacy'), gateway.key)
    await ask(peer, 'resources/subscribe', { uri: 'test://watched-resource' })
    const call = await readEvents((signal) =>
      start(peer, 'tools/call', { name: 'test_reconnection', arguments: {} }, { id: 1, signal }),
    )
    await call.done
    const stream = await openStream(peer)
    await until('an id', () => stream.lastId !== '')
    await gateway.restart()
    const lost = await openStream(peer, call.lastId)
    expect([lost.status, lost.text]).toEqual([410, expect.stringContaining('stream.gone')])
    const again = await openStream(peer, stream.lastId)
    await until('all of it', () => again.messages.length === 4)
    expect(again.messages.map(({ method, params }) => params?.['uri'] ?? method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'test://watched-resource',
    ])
    again.leave()
    // An event of this life that was never sent is told as before.
    expect((await openStream(peer, again.lastId.replace(/\d+$/, '99'))).status).toBe(410)
    await end(peer)
  })

  test.each(['SDK 1', 'SDK 2 legacy'] as const)('%s goes on as if nothing had been', async (kind) => {
    await using client = await connectClient({
      kind,
      url: gateway.connectionUrl('legacy'),
      key: gateway.key,
      answers: true,
    })
    expect((await client.call('test_simple_text')).content).toHaveLength(1)
    await gateway.restart()
    expect((await client.call('test_simple_text')).content).toHaveLength(1)
    // It listens again by itself.
    await until('it hears of a change', async () => {
      await client.call('test_trigger_tool_change')
      return client.heard.some(({ method }) => method === 'notifications/tools/list_changed')
    })
    // It can be asked as before: what it declared is known.
    await client.call('test_elicitation', { message: 'Who?' })
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create'])
  })

  test.each(['legacy', 'modern'])('what a session watched at a %s server is watched again', async (alias) => {
    const peer = await openSession(gateway.connectionUrl(alias), gateway.key)
    const uri = 'test://watched-resource'
    expect((await ask(peer, 'resources/subscribe', { uri })).answer.result).toEqual({})
    await gateway.restart()
    expect(await statusOf(peer)).toBe(200)
    const stream = await openStream(peer)
    await until('the update arrives', async () => {
      await callTool(peer, 'test_trigger_resource_update')
      return stream.messages.some(({ method, params }) => method?.endsWith('/updated') && params?.['uri'] === uri)
    })
    stream.leave()
    await end(peer)
  })

  test('a session is told log lines that come after their call, as before', async () => {
    const peer = await openSession(gateway.connectionUrl('asker'), gateway.key)
    await ask(peer, 'logging/setLevel', { level: 'warning' })
    for (const life of ['first', 'second']) {
      const stream = await openStream(peer)
      expect((await callTool(peer, 'log_later', { message: life })).answer.result?.isError).toBeUndefined()
      await until('the line arrives', () => stream.messages.some(({ params }) => params?.['data'] === life))
      stream.leave()
      await gateway.restart()
    }
    await end(peer)
  })

  test('a session whose resources cannot be watched again is gone, and its client is told', async () => {
    const peer = await openSession(gateway.connectionUrl('legacy'), gateway.key)
    expect((await ask(peer, 'resources/subscribe', { uri: 'test://watched-resource' })).answer.result).toEqual({})
    await stored(1)
    await gateway.restart(() =>
      gateway.db.system((sql) => sql(z.object({}))`update sessions set watched = '{"con_gone": ["test://a"]}'`),
    )
    expect(await statusOf(peer)).toBe(404)
    await stored(0)
  })

  test('a session that nobody used for half an hour is gone', async () => {
    const peer = await openSession(gateway.connectionUrl('legacy'), gateway.key)
    await gateway.restart(() =>
      gateway.db.system((sql) => sql(z.object({}))`update sessions set seen_at = seen_at - interval '36 minutes'`),
    )
    expect(await statusOf(peer)).toBe(404)
    await forgetAll()
  })
})

describe('with a second gateway on the same database', () => {
  test('a session goes on there, and ends in both when it ends in one', async () => {
    await using other = await gateway.another()
    const peer = await openSession(gateway.connectionUrl('recorded'), gateway.key)
    await stored(1)
    const there = { ...peer, url: peer.url.replace(gateway.address, other.address) }
    expect([await statusOf(there), await statusOf(peer)]).toEqual([200, 200])
    expect((await end(there)).status).toBe(204)
    await until('it has ended here too', async () => (await statusOf(peer)) === 404)
    expect(await statusOf(there)).toBe(404)
  })
})
