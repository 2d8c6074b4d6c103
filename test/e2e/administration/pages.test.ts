/**
 * Tests that long lists arrive whole. 2,500 tools of one server, which itself returns 500 per page: all of them, once each, in
 * order, page by page, with cursors that belong to one list of one client.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { putConnection, removeFrom, stateOf } from '../peers/connections.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { OWN_TOOL_COUNT } from '../peers/probes/probe.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { ask, openSession } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

const PADDING = 2_500
/** No list of one connection is longer than this, whatever its server says. */
const CAP = 20_000
const TOTAL = PADDING + OWN_TOOL_COUNT
const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let recorder: Recorder
beforeAll(async () => {
  const long = parts.use(await startProbe({ padding: PADDING }))
  const short = parts.use(await startProbe({ era: 'legacy' }))
  recorder = parts.use(await startRecorder(long.url))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'long', wire: httpWire(recorder.url) },
        { alias: 'short', wire: httpWire(short.url) },
      ],
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const nameOf = (at: number) => `padding_${String(at).padStart(4, '0')}`
const namesIn = (result: Record<string, unknown> | undefined) =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)

describe('a list of 2,500 tools', () => {
  test('S2-SES-08: is fetched to its end from an upstream that gives pages', () => {
    const cursors = recorder.of('tools/list').map(({ message }) => message?.params?.['cursor'])
    expect(cursors).toEqual([undefined, '500', '1000', '1500', '2000', '2500'])
  })

  test.each(KINDS)('reaches %s whole, once each and in order', async (kind) => {
    await using client = await connectClient({ kind, url: gateway.connectionUrl('long'), key: gateway.key })
    const names = (await client.tools()).map(({ name }) => name)
    expect(names).toHaveLength(TOTAL)
    expect(names).toEqual(names.toSorted())
    expect(names.filter((name) => name.startsWith('padding_'))).toEqual(
      Array.from({ length: PADDING }, (_, at) => nameOf(at)),
    )
    const last = await client.call(nameOf(PADDING - 1), { at: PADDING - 1 })
    expect(last.content[0]?.text).toContain(nameOf(PADDING - 1))
  })

  test('stands on the joined endpoint beside the tools of others', async () => {
    await using client = await connectClient({ kind: 'SDK 1', url: gateway.url, key: gateway.key })
    const names = (await client.tools()).map(({ name }) => name)
    expect(new Set(names).size).toBe(TOTAL + OWN_TOOL_COUNT)
    expect(names).toEqual(expect.arrayContaining([`long__${nameOf(2_499)}`, 'short__echo']))
  })

  test.each(['modern', 'legacy'] as const)('comes in pages of at most 1,000 to a %s client', async (era) => {
    const url = gateway.connectionUrl('long')
    const peer = era === 'legacy' ? await openSession(url, gateway.key) : { url, key: gateway.key, era }
    const sizes: number[] = []
    let cursor: unknown
    do {
      const { answer } = await ask(peer, 'tools/list', cursor === undefined ? {} : { cursor })
      sizes.push(namesIn(answer.result).length)
      cursor = answer.result?.['nextCursor']
    } while (cursor !== undefined)
    expect(sizes).toEqual([1_000, 1_000, TOTAL - 2_000])
  })

  test('asks its upstream nothing on the way to a client', async () => {
    const before = recorder.asked().length
    await ask({ url: gateway.url, key: gateway.key, era: 'modern' }, 'tools/list')
    await ask({ url: gateway.connectionUrl('long'), key: gateway.key, era: 'modern' }, 'tools/list')
    expect(recorder.asked()).toHaveLength(before)
  })
})

test('S2-SES-08: a list that goes on for ever is followed to its cap', { tags: 'long' }, async () => {
  await using endless = await startProbe({ padding: CAP + 3_000 })
  await using seen = await startRecorder(endless.url)
  await putConnection(gateway, { alias: 'endless', wire: httpWire(seen.url) })
  const state = await until('it is contacted', async () => {
    const now = await stateOf(gateway, 'endless')
    return now?.status === 'connected' ? now : undefined
  })
  expect(state.tools).toHaveLength(CAP)
  // One page beyond the cap tells that there was more.
  expect(seen.of('tools/list')).toHaveLength(CAP / 500 + 1)
  await removeFrom(gateway, 'endless')
})

describe('a cursor', () => {
  const first = async () => {
    const { answer } = await ask({ url: gateway.url, key: gateway.key, era: 'modern' }, 'tools/list')
    return String(answer.result?.['nextCursor'])
  }
  const listWith = (cursor: unknown, { url = gateway.url, key = gateway.key, method = 'tools/list' } = {}) =>
    ask({ url, key, era: 'modern' }, method, { cursor })

  test('works as often as it is used', async () => {
    const cursor = await first()
    const [one, again] = [await listWith(cursor), await listWith(cursor)]
    expect(namesIn(one.answer.result)).toHaveLength(1_000)
    expect(namesIn(again.answer.result)).toEqual(namesIn(one.answer.result))
  })

  test('is refused when it is made up, changed, of another list, of another endpoint or of another key', async () => {
    const cursor = await first()
    const refused = [
      await listWith(''),
      await listWith('2000'),
      await listWith(`${cursor.slice(0, -2)}AA`),
      await listWith(cursor, { method: 'prompts/list' }),
      await listWith(cursor, { url: gateway.connectionUrl('long') }),
      await listWith(cursor, { key: OTHER_KEY }),
    ]
    for (const { status, answer } of refused)
      expect({ status, code: answer.error?.code }).toEqual({ status: 200, code: -32602 })
  })
})
