/**
 * Tests a legacy client whose connection breaks. It resumes its stream, misses nothing and receives nothing twice; it is notified
 * of events that are no longer stored. Real sockets, cut in the middle.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient } from '../peers/clients/client.ts'
import { openStream, readEvents, type EventReader } from '../peers/clients/event-reader.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession, start, tell } from '../peers/clients/raw-client.ts'
import type { RawMessage, RawPeer } from '../peers/clients/raw-client.ts'
import { beginHeld, startHeldCalls, type HeldCallsServer } from '../peers/servers/held-calls.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const OTHER = `uru_${'cd'.repeat(32)}`
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let held: HeldCallsServer

beforeAll(async () => {
  held = parts.use(await startHeldCalls())
  const everything = parts.use(await startEverythingServer({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'up', revision: '2025-11-25', wire: { kind: 'http', url: held.url, headers: {} } },
        { alias: 'everything', revision: '2025-11-25', wire: httpWire(everything.url) },
      ],
      keys: [{ name: 'other', value: OTHER, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const session = (revision?: string): Promise<RawPeer> => openSession(gateway.connectionUrl('up'), gateway.key, revision)

const begin = (peer: RawPeer, label: string) => beginHeld(held, peer, label)

const stepsOf = (messages: readonly RawMessage[]) =>
  messages.map(({ id, params, result }) => (result === undefined ? params?.['progress'] : id))
const faultOf = ({ text }: EventReader) => (JSON.parse(text) as RawMessage).error?.data?.['fault']

describe('a call whose connection breaks', () => {
  test('S3-EVT-02: goes on, and is resumed after any event without loss or doubles; what is no longer kept is told', async () => {
    const peer = await session()
    const { reader, live } = await begin(peer, 'broken')
    expect(reader.events[0]).toMatchObject({ id: expect.any(String), message: undefined })
    expect(reader.retry).toBe(1000)
    live.progress(2)
    await until('the second progress', () => reader.messages.length === 2)
    reader.leave()
    live.progress(3)
    live.progress(4)
    live.answer()

    const [primed, first, second] = reader.events.map(({ id }) => id ?? '')
    const wanted = [1, 2, 3, 4, 'broken']
    for (const [had, id] of [primed, first, second].entries()) {
      const again = await openStream(peer, id)
      await until('the answer', () => again.messages.some(({ result }) => result !== undefined))
      await again.done
      expect(stepsOf(again.messages)).toEqual(wanted.slice(had))
    }

    // A hundred events later, of another call, that one's are gone.
    const flood = await begin(peer, 'flood')
    for (let step = 2; step <= 101; step++) flood.live.progress(step)
    await until('all of them', () => flood.reader.messages.length === 101)
    const late = await openStream(peer, second)
    expect([late.status, faultOf(late)]).toEqual([410, 'stream.gone'])
    // So is the oldest of its own; the rest is not.
    const tooLate = await openStream(peer, flood.reader.events[0]?.id)
    expect([tooLate.status, faultOf(tooLate)]).toEqual([410, 'stream.gone'])
    const enough = await openStream(peer, flood.reader.events[1]?.id)
    flood.live.answer()
    await enough.done
    expect(stepsOf(enough.messages)).toEqual([...Array.from({ length: 100 }, (_, at) => at + 2), 'flood'])
  })

  test('goes on over the connection that its client came back with', async () => {
    const peer = await session()
    const { reader, live } = await begin(peer, 'live')
    reader.leave()
    const again = await openStream(peer, reader.lastId)
    live.progress(2)
    await until('what is said now', () => again.messages.length === 1)
    // A third connection takes the place of the second.
    const third = await openStream(peer, again.lastId)
    await again.done
    live.answer()
    await third.done
    expect([stepsOf(again.messages), stepsOf(third.messages)]).toEqual([[2], ['live']])
  })

  test('brings a question again that was put while nobody listened, and takes the answer', async () => {
    const url = gateway.connectionUrl('everything')
    const opened = await ask({ url, key: gateway.key, era: 'legacy' }, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'raw', version: '1.0.0' },
    })
    const peer: RawPeer = { url, key: gateway.key, era: 'legacy', session: opened.headers.get('mcp-session-id') ?? '' }
    const reader = await readEvents((signal) =>
      start(peer, 'tools/call', { name: 'test_elicitation', arguments: { message: 'Who?' } }, { id: 1, signal }),
    )
    const [primed] = await until('the question', () => (reader.messages.length > 0 ? reader.events : undefined))
    reader.leave()
    const again = await openStream(peer, primed?.id)
    const question = await until('it again', () => again.messages.find(({ method }) => method === 'elicitation/create'))
    expect(question).toEqual(reader.messages[0])
    const answered = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': peer.session ?? '',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: question.id,
        result: { action: 'accept', content: { username: 'ada', email: 'ada@example.com' } },
      }),
    })
    expect(answered.status).toBe(202)
    await again.done
    expect(again.messages.at(-1)).toMatchObject({
      id: 1,
      result: { content: [{ text: expect.stringContaining('ada') }] },
    })
  })

  test('can be cancelled while nobody listens to it', async () => {
    const peer = await session()
    const { reader } = await begin(peer, 'cancelled')
    reader.leave()
    await tell(peer, 'notifications/cancelled', { requestId: 'cancelled' })
    const again = await until('the stream has ended', async () => {
      const found = await openStream(peer, reader.lastId)
      if (found.status === 405) return found
      found.leave()
      return undefined
    })
    expect(faultOf(again)).toBe('stream.ended')
  })

  test('and was read to its end has nothing more to say, which is said', async () => {
    const peer = await session()
    const { reader, live } = await begin(peer, 'read')
    live.answer()
    await reader.done
    const again = await openStream(peer, reader.lastId)
    expect([again.status, faultOf(again)]).toEqual([405, 'stream.ended'])
  })

  test('is resumed by clients of older revisions too, which are sent no event without data', async () => {
    for (const revision of ['2025-03-26', '2025-06-18']) {
      const peer = await session(revision)
      const { reader, live } = await begin(peer, revision)
      expect(reader.events.every(({ id, message }) => id !== undefined && message !== undefined)).toBe(true)
      reader.leave()
      live.answer()
      const again = await openStream(peer, reader.lastId)
      await again.done
      expect(stepsOf(again.messages)).toEqual([revision])
    }
  })

  test('that lasts gets its stream and an id to come back with before the server has said anything', async () => {
    const peer = await session()
    const reading = readEvents((signal) =>
      start(peer, 'tools/call', { name: 'held', arguments: { label: 'silent' } }, { id: 'silent', signal }),
    )
    const live = await until('the server works on it', () => held.calls.get('silent'))
    const reader = await reading
    await until('an id', () => reader.lastId !== '')
    reader.leave()
    live.answer()
    const again = await openStream(peer, reader.lastId)
    await again.done
    expect(stepsOf(again.messages)).toEqual(['silent'])
  })

  test.each(['x', '0', 'ffffffffffff-p1.1', 'ffffffffffff-g1.1'])(
    'is not found by an id that was never given (%s)',
    async (id) => {
      const again = await openStream(await session(), id)
      expect([again.status, faultOf(again)]).toEqual([410, 'stream.gone'])
    },
  )
})

describe('a session of somebody else', () => {
  test('S3-SES-05: answers like one that does not exist, at any method, with another key and at another endpoint', async () => {
    const peer = await session()
    const { reader, live } = await begin(peer, 'mine')
    reader.leave()
    live.answer()
    const missing = await ask({ ...peer, session: 'f'.repeat(32) }, 'ping')
    const strip = (text: string) => text.replace(/"correlation_id":"[^"]*"/, '')
    for (const thief of [
      { ...peer, key: OTHER },
      { ...peer, url: gateway.connectionUrl('everything') },
      { ...peer, url: gateway.url },
    ]) {
      const asked = await ask(thief, 'ping')
      expect([asked.status, strip(asked.text)]).toEqual([404, strip(missing.text)])
      for (const opened of [await openStream(thief), await openStream(thief, reader.lastId)])
        expect([opened.status, faultOf(opened)]).toEqual([404, 'session.unknown'])
      const { key, url, session: id = '' } = thief
      const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': id }
      expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(404)
    }
    // Nor is another's event found in a session of one's own.
    const own = await openStream(await openSession(peer.url, OTHER), reader.lastId)
    expect([own.status, faultOf(own)]).toEqual([410, 'stream.gone'])
    const again = await openStream(peer, reader.lastId)
    await again.done
    expect(stepsOf(again.messages)).toEqual(['mine'])
  })
})

describe('the streams of a session', () => {
  /** Its server says that its tools are others now. */
  const change = () =>
    callTool({ url: gateway.connectionUrl('everything'), key: gateway.key, era: 'modern' }, 'test_trigger_tool_change')
  const joined = () => openSession(gateway.url, gateway.key)
  const named = ({ messages }: EventReader) =>
    messages.filter(({ method }) => method?.endsWith('list_changed') === true)

  test('S3-MCP-03: carry beats and events', async () => {
    const peer = await joined()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const stream = await openStream(peer)
      expect([stream.status, stream.type]).toEqual([200, 'text/event-stream'])
      vi.advanceTimersByTime(15_000)
      await until('a beat', () => stream.comments.length === 1)
      await change()
      await until('a change', () => named(stream).length > 0)
      vi.advanceTimersByTime(30_000)
      await until('two more beats', () => stream.comments.length === 3)
      stream.leave()
    } finally {
      vi.useRealTimers()
    }
  })

  test('bring each message once, over the one that was opened last', async () => {
    const peer = await joined()
    const [first, second] = [await openStream(peer), await openStream(peer)]
    const other = await openStream(await joined())
    await change()
    await until('both sessions hear of it', () => named(second).length > 0 && named(other).length > 0)
    expect([named(first), named(second)]).toEqual([[], named(other)])
    other.leave()
    second.leave()
    await until('only the first is left', async () => {
      await change()
      return named(first).length > 0
    })
    first.leave()
  })

  test('that break bring what was said in between to those who come back', async () => {
    const peer = await joined()
    const stream = await openStream(peer)
    const other = await openStream(await joined())
    stream.leave()
    await change()
    await until('it was said', () => named(other).length > 0)
    const again = await openStream(peer, stream.lastId)
    await until('it is heard', () => named(again).length > 0)
    expect(named(again)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }])
    again.leave()
    other.leave()
  })

  test('end with it, and what they said with them', async () => {
    const peer = await session()
    const { reader, live } = await begin(peer, 'ended')
    const own = await openStream(peer)
    const headers = { authorization: `Bearer ${peer.key}`, 'mcp-session-id': peer.session ?? '' }
    expect((await fetch(peer.url, { method: 'DELETE', headers })).status).toBe(204)
    await Promise.all([reader.done, own.done])
    live.answer()
    for (const id of [undefined, own.lastId, reader.lastId]) expect((await openStream(peer, id)).status).toBe(404)
  })
})

describe('a server that closes its stream in the middle of a call', () => {
  test('lets its client go too, which comes back for the answer', async () => {
    const peer = await openSession(gateway.connectionUrl('everything'), gateway.key)
    const reader = await readEvents((signal) =>
      start(peer, 'tools/call', { name: 'test_reconnection', arguments: {} }, { id: 7, signal }),
    )
    await reader.done
    expect([reader.events.length, reader.messages.length, reader.retry]).toEqual([1, 0, 1000])
    const again = await openStream(peer, reader.lastId)
    await again.done
    expect(again.messages).toMatchObject([
      { id: 7, result: { content: [{ text: expect.stringContaining('success') }] } },
    ])
  })

  test.each(['SDK 1', 'SDK 2 legacy'] as const)('is no trouble for %s', async (kind) => {
    await using client = await connectClient({ kind, url: gateway.connectionUrl('everything'), key: gateway.key })
    const { content } = await client.call('test_reconnection')
    expect(content[0]?.text).toContain('success')
  })
})
