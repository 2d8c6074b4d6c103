import { Fault } from '@toolway/contract'
import type { Opening } from '@toolway/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSessions, type Session } from './sessions.ts'

const MINUTE = 60_000
const opening: Opening = { revision: '2025-06-18', capabilities: { sampling: {} }, client: { name: 'c' } }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fixture() {
  const ended: string[] = []
  const sessions = createSessions({ now: () => Date.now(), onEnd: ({ id }) => void ended.push(id) })
  return { sessions, ended, [Symbol.dispose]: () => sessions.close() }
}

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
    using held = fixture()
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
    session.underWay.set(0, new Set([calls[0]])).set('', new Set([calls[1]]))
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

  test('is not idle while it has a stream open or a call under way', () => {
    using held = fixture()
    const [listening, calling] = [opened(held), opened(held)]
    listening.stream = () => {}
    calling.underWay.set(0, new Set([new AbortController()]))
    vi.advanceTimersByTime(24 * 60 * MINUTE)
    expect(held.ended).toEqual([])
    listening.stream = undefined
    calling.underWay.clear()
    vi.advanceTimersByTime(MINUTE)
    expect(held.ended.toSorted()).toEqual([listening.id, calling.id].toSorted())
  })
})

describe('all sessions together', () => {
  test('are bounded; one more is refused with the number, until one ends or idles out', () => {
    using held = fixture()
    const first = held.sessions.open('owner', opening)
    while (held.sessions.size < 10_000) held.sessions.open(`owner ${held.sessions.size % 200}`, opening)
    expect(refusal(() => held.sessions.open('owner', opening))).toMatchObject({
      code: 'session.limit',
      facts: { limit: 10_000 },
    })
    held.sessions.end('owner', first.id)
    held.sessions.open('owner', opening)
    expect(held.sessions.size).toBe(10_000)
    vi.setSystemTime(Date.now() + 31 * MINUTE)
    held.sessions.open('owner', opening)
    expect(held.sessions.size).toBe(1)
  })

  test('of one owner are a hundred; one more ends the one that was used least recently, and nobody else loses any', () => {
    using held = fixture()
    const other = held.sessions.open('other', opening)
    const ids = Array.from({ length: 100 }, () => {
      vi.advanceTimersByTime(1)
      return held.sessions.open('owner', opening).id
    })
    vi.advanceTimersByTime(1)
    held.sessions.get('owner', ids[0] ?? '')
    held.sessions.open('owner', opening)
    expect(held.ended).toEqual([ids[1]])
    expect(held.sessions.size).toBe(101)
    expect(held.sessions.get('other', other.id)).toBe(other)
  })

  test('end when the gateway closes, and no timer is left', () => {
    const { sessions, ended } = fixture()
    const ids = [sessions.open('a', opening).id, sessions.open('b', opening).id]
    sessions.close()
    expect(ended).toEqual(ids)
    expect([sessions.size, vi.getTimerCount()]).toEqual([0, 0])
  })
})
