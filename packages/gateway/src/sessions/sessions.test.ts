import { Fault } from '@toolway/contract'
import type { Opening } from '@toolway/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSessions, type Session } from './sessions.ts'

const MINUTE = 60_000
const opening: Opening = { revision: '2025-06-18', capabilities: { sampling: {} }, client: { name: 'c' } }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fixture(mostOfOne = 10, limits: { readonly most?: number; readonly mostOfOrganization?: number } = {}) {
  const ended: string[] = []
  const whys: string[] = []
  const changed: string[] = []
  const sessions = createSessions({
    now: () => Date.now(),
    mostOfOne,
    ...limits,
    onEnd({ id }, why) {
      ended.push(id)
      whys.push(why)
    },
    onChange: ({ id }) => void changed.push(id),
  })
  return { sessions, ended, whys, changed, [Symbol.dispose]: () => sessions.close() }
}

const aCall = () => ({ id: 0, controller: new AbortController() })

const refusal = (ask: () => unknown) => {
  try {
    ask()
  } catch (thrown) {
    const { code, message, facts, data, mend } = Fault.of(thrown)
    return { code, message, facts, data, mend }
  }
  throw new Error('it was given')
}

describe('a session', () => {
  test('holds what its client said when it opened, and nothing of anybody before', () => {
    using held = fixture()
    const session = held.sessions.open('owner', opening)
    expect(session).toMatchObject({
      revision: '2025-06-18',
      caller: { revision: '2025-06-18', capabilities: { sampling: {} }, client: { name: 'c' }, logLevel: undefined },
    })
    expect([session.underWay.size, session.questions.size, session.stream]).toEqual([0, 0, undefined])
    expect(held.sessions.get('owner', session.id)).toBe(session)
  })

  test('S3-SES-01: has a random name, the hex digits of a UUID of version 4', () => {
    using held = fixture(1000)
    const ids = Array.from({ length: 1000 }, () => held.sessions.open('owner', opening).id)
    expect(new Set(ids).size).toBe(1000)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/)
  })

  test('of somebody else answers exactly like one that does not exist', () => {
    using held = fixture()
    const { id } = held.sessions.open('owner', opening)
    const missing = refusal(() => held.sessions.get('owner', 'gone'))
    expect(missing.code).toBe('session.unknown')
    for (const owner of ['other', '', 'owner ', 'OWNER']) {
      expect(refusal(() => held.sessions.get(owner, id))).toEqual(missing)
      expect(refusal(() => held.sessions.end(owner, id))).toEqual(missing)
    }
    expect(held.sessions.get('owner', id).id).toBe(id)
    expect(held.ended).toEqual([])
  })

  test('is gone once it was ended, and ending it twice is asking for one that does not exist', () => {
    using held = fixture()
    const { id } = held.sessions.open('owner', opening)
    held.sessions.end('owner', id)
    expect([held.ended, held.sessions.size]).toEqual([[id], 0])
    for (const ask of ['get', 'end'] as const)
      expect(refusal(() => held.sessions[ask]('owner', id)).code).toBe('session.unknown')
    expect(held.ended).toEqual([id])
  })

  test('takes what is under way with it when it ends', () => {
    using held = fixture()
    const session = held.sessions.open('owner', opening)
    const calls = [new AbortController(), new AbortController()] as const
    for (const [id, controller] of calls.entries()) session.underWay.add({ id, controller })
    held.sessions.end('owner', session.id)
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
  })
})

describe('an idle session', () => {
  const opened = (held: ReturnType<typeof fixture>): Session => held.sessions.open('owner', opening)

  test('S3-SES-03: ends after half an hour without a request, at the next round of a reaper that comes every minute', () => {
    using held = fixture()
    const { id } = opened(held)
    vi.advanceTimersByTime(30 * MINUTE)
    expect(held.sessions.size).toBe(1)
    vi.advanceTimersByTime(MINUTE - 1)
    expect(held.sessions.size).toBe(1)
    vi.advanceTimersByTime(1)
    expect(held.ended).toEqual([id])
    expect(refusal(() => held.sessions.get('owner', id)).code).toBe('session.unknown')
  })

  test('stays as long as its owner comes back', () => {
    using held = fixture()
    const { id } = opened(held)
    for (let visit = 0; visit < 10; visit++) {
      vi.advanceTimersByTime(25 * MINUTE)
      expect(held.sessions.get('owner', id).id).toBe(id)
    }
  })

  test('is not kept by somebody else who asks for it', () => {
    using held = fixture()
    const { id } = opened(held)
    for (let visit = 0; visit < 4; visit++) {
      vi.advanceTimersByTime(10 * MINUTE)
      refusal(() => held.sessions.get('other', id))
    }
    expect(held.ended).toEqual([id])
  })

  test('is not idle while it has a stream open or a call under way, and idles from their end on', () => {
    using held = fixture()
    const [listening, calling] = [opened(held), opened(held)]
    listening.stream = () => {}
    const finish = calling.underWay.add(aCall())
    vi.advanceTimersByTime(24 * 60 * MINUTE)
    expect(held.ended).toEqual([])
    listening.stream = undefined
    finish()
    vi.advanceTimersByTime(30 * MINUTE)
    expect(held.ended).toEqual([])
    vi.advanceTimersByTime(MINUTE)
    expect(held.ended.toSorted()).toEqual([listening.id, calling.id].toSorted())
  })
})

describe('all sessions together', () => {
  test('are bounded; one more ends the one used longest ago of the organization that has the most, and never another’s', () => {
    using held = fixture(10, { most: 100 })
    const rare = held.sessions.open('of b', opening, 'b')
    const ids = Array.from({ length: 99 }, (_, at) => {
      vi.advanceTimersByTime(1)
      return held.sessions.open(`of a ${at}`, opening, 'a').id
    })
    for (const more of ['a', 'b', 'c', 'a']) {
      vi.advanceTimersByTime(1)
      held.sessions.open(`more of ${more}`, opening, more)
    }
    expect(held.ended).toEqual(ids.slice(0, 4))
    expect([held.sessions.size, held.sessions.get('of b', rare.id)]).toEqual([100, rare])
  })

  test('are bounded for each organization, too', () => {
    using held = fixture(10, { most: 100, mostOfOrganization: 3 })
    const other = held.sessions.open('of b', opening, 'b')
    const ids = Array.from({ length: 5 }, (_, at) => {
      vi.advanceTimersByTime(1)
      return held.sessions.open(`of a ${at}`, opening, 'a').id
    })
    expect(held.ended).toEqual(ids.slice(0, 2))
    expect(held.sessions.get('of b', other.id)).toBe(other)
  })

  test('with calls under way end for a smaller organization, but not for one more of their own', () => {
    using held = fixture(10, { most: 3 })
    const busy = [1, 2, 3].map((at) => {
      vi.advanceTimersByTime(1)
      const session = held.sessions.open(`of a ${at}`, opening, 'a')
      session.underWay.add(aCall())
      return session.id
    })
    expect(refusal(() => held.sessions.open('of a 4', opening, 'a'))).toMatchObject({
      code: 'session.limit',
      facts: { limit: 3 },
    })
    held.sessions.open('of b', opening, 'b')
    expect(held.ended).toEqual(busy.slice(0, 1))
  })

  test('that are idle make room before any other goes', () => {
    using held = fixture()
    while (held.sessions.size < 10_000) held.sessions.open(`owner ${held.sessions.size % 2000}`, opening, 'a')
    vi.setSystemTime(Date.now() + 31 * MINUTE)
    held.sessions.open('owner', opening, 'b')
    expect([held.sessions.size, new Set(held.whys)]).toEqual([1, new Set(['idle'])])
  })

  const later = (held: ReturnType<typeof fixture>, owner = 'owner') => {
    vi.advanceTimersByTime(1)
    return held.sessions.open(owner, opening)
  }

  test('S3-SES-02: of one principal at one endpoint are ten; the eleventh ends the one used longest ago, of nobody else', () => {
    using held = fixture()
    const other = held.sessions.open('other', opening)
    const ids = Array.from({ length: 10 }, () => later(held).id)
    vi.advanceTimersByTime(1)
    held.sessions.get('owner', ids[0] ?? '')
    later(held)
    expect([held.ended, held.whys]).toEqual([[ids[1]], ['ended']])
    expect(held.sessions.size).toBe(11)
    for (let more = 0; more < 30; more++) later(held)
    expect(held.sessions.size).toBe(11)
    expect(held.sessions.get('other', other.id)).toBe(other)
  })

  test('of one owner that go are those in which nothing goes on, before those that listen, before those that work', () => {
    using held = fixture(3)
    const [working, listening, idle] = [later(held), later(held), later(held)]
    working.underWay.add(aCall())
    listening.stream = () => {}
    const fourth = later(held)
    expect(held.ended).toEqual([idle.id])
    fourth.underWay.add(aCall())
    later(held).underWay.add(aCall())
    expect(held.ended).toEqual([idle.id, listening.id])
    later(held)
    expect(held.ended).toEqual([idle.id, listening.id, working.id])
  })

  test('S3-SES-04: that are asked for at once are one for each who asked, and none is lost', async () => {
    using held = fixture()
    const opened = await Promise.all(
      Array.from({ length: 10 }, async () => held.sessions.open('owner', { ...opening, client: { name: 'c' } })),
    )
    expect(new Set(opened.map(({ id }) => id)).size).toBe(10)
    for (const session of opened) expect(held.sessions.get('owner', session.id)).toBe(session)
    expect(held.ended).toEqual([])
  })

  test('end when the gateway closes, and no timer is left', () => {
    const { sessions, ended, whys } = fixture()
    const ids = [sessions.open('a', opening).id, sessions.open('b', opening).id]
    sessions.close()
    expect([ended, whys]).toEqual([ids, ['closing', 'closing']])
    expect([sessions.size, vi.getTimerCount()]).toEqual([0, 0])
  })
})

describe('a session that lives again', () => {
  const facts = { ...opening, logLevel: 'warning', watched: { con_1: ['test://a', 'test://b'] } }

  test('has its name and what is known of it, and is bound to its owner as before', () => {
    using held = fixture()
    const session = held.sessions.revive('owner', 'the name', facts)
    expect(session.caller).toMatchObject({
      revision: '2025-06-18',
      capabilities: { sampling: {} },
      logLevel: 'warning',
    })
    expect([...session.watched].map(([connection, uris]) => [connection, [...uris]])).toEqual([
      ['con_1', ['test://a', 'test://b']],
    ])
    expect(held.sessions.get('owner', 'the name')).toBe(session)
    expect(held.sessions.revive('owner', 'the name', facts)).toBe(session)
    expect(refusal(() => held.sessions.revive('other', 'the name', facts)).code).toBe('session.unknown')
  })

  test('counts as one of its owner', () => {
    using held = fixture(2)
    const first = held.sessions.open('owner', opening)
    vi.advanceTimersByTime(1)
    held.sessions.open('owner', opening)
    held.sessions.revive('owner', 'the name', facts)
    expect(held.ended).toEqual([first.id])
  })

  test('says when there is something new to keep', () => {
    using held = fixture()
    const session = held.sessions.open('owner', opening)
    session.changed()
    expect(held.changed).toEqual([session.id])
  })
})
