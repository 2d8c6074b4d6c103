import { Fault } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSessionPool, type Holder } from './session-pool.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Session {
  readonly name: string
  closed: number
  close(): Promise<void>
}

function fixture() {
  const pool = createSessionPool<Session>({ now: Date.now })
  const opened: Session[] = []
  const open = () => {
    const session: Session = { name: `s${opened.length + 1}`, closed: 0, close: async () => void session.closed++ }
    opened.push(session)
    return Promise.resolve(session)
  }
  const place = pool.place({ connectionId: 'con_1', organizationId: 'org_1', alias: 'web' })
  const nameIn = (holder: Holder, at = place) => at.use(holder, open, ({ name }) => Promise.resolve(name))
  /** A call that goes on until it is told to end. */
  const begin = (holder: Holder, at = place) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const call = at.use(holder, open, ({ name }) => promise.then(() => name))
    return { call, end: () => (resolve(''), call) }
  }
  const closed = () => opened.filter((session) => session.closed > 0).map(({ name }) => name)
  return { pool, place, open, opened, nameIn, begin, closed, [Symbol.dispose]: () => pool.close() }
}

const holder = (owner: string, more: Partial<Holder> = {}): Holder => ({
  owner,
  capabilities: {},
  lasting: false,
  ...more,
})
const settled = () => vi.advanceTimersByTimeAsync(0)

describe('a pooled session', () => {
  test('S2-SES-01: is opened once for ten calls, and is each owner’s own', async () => {
    using held = fixture()
    for (let at = 0; at < 10; at++) expect(await held.nameIn(holder('ann'))).toBe('s1')
    expect(await held.nameIn(holder('bob'))).toBe('s2')
    expect(held.opened).toHaveLength(2)
  })

  test('S3-POOL-01, as ADR 10 has it: is found by connection (of one tenant), owner and capability set, and by nothing less', async () => {
    using held = fixture()
    const other = held.pool.place({ connectionId: 'con_2', organizationId: 'org_1', alias: 'web' })
    // The same connection after a change is another place.
    const changed = held.pool.place({ connectionId: 'con_1', organizationId: 'org_1', alias: 'web' })
    const asks = [
      held.nameIn(holder('ann')),
      held.nameIn(holder('ann', { capabilities: { sampling: {} } })),
      held.nameIn(holder('ann'), other),
      held.nameIn(holder('ann'), changed),
    ]
    expect(new Set(await Promise.all(asks)).size).toBe(4)
    expect(await held.nameIn(holder('ann'))).toBe('s1')
  })

  test('S3-POOL-07: S2-SES-03: is opened once for callers who come at the same time', async () => {
    using held = fixture()
    const names = await Promise.all(Array.from({ length: 50 }, () => held.nameIn(holder('ann'))))
    expect(new Set(names)).toEqual(new Set(['s1']))
    expect(held.opened).toHaveLength(1)
  })

  test('that could not be opened is tried again by the next caller, and counts for nothing', async () => {
    using held = fixture()
    const broken = () => Promise.reject(new Error('no'))
    const failed = [1, 2].map(() => held.place.use(holder('ann'), broken, () => Promise.resolve('')))
    for (const one of await Promise.allSettled(failed)) expect(one.status).toBe('rejected')
    expect(held.pool.size).toBe(0)
    expect(await held.nameIn(holder('ann'))).toBe('s1')
  })
})

describe('the age of a session', () => {
  test('S2-SES-02, S3-POOL-03: at 30 min takes no new call, and ends with the last one that is under way', async () => {
    using held = fixture()
    const early = held.begin(holder('ann'))
    for (let minute = 0; minute < 29; minute++) {
      await vi.advanceTimersByTimeAsync(MINUTE)
      expect(await held.nameIn(holder('ann'))).toBe('s1')
    }
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(await held.nameIn(holder('ann'))).toBe('s2')
    expect(held.closed()).toEqual([])
    expect(await early.end()).toBe('s1')
    await settled()
    expect(held.closed()).toEqual(['s1'])
  })

  test('is looked at every 60 s: one that nobody asks for ends at 30 min all the same', async () => {
    using held = fixture()
    const streaming = new AbortController()
    const listening = held.place.listen(
      holder('ann'),
      held.open,
      (_, ended) =>
        new Promise<void>((resolve) =>
          AbortSignal.any([ended, streaming.signal]).addEventListener('abort', () => resolve()),
        ),
    )
    await vi.advanceTimersByTimeAsync(29 * MINUTE)
    expect(held.closed()).toEqual([])
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(held.closed()).toEqual(['s1'])
    await listening
  })

  test('ends nothing that holds a client’s own state: it goes on as long as its client uses it, and rests as long as one may', async () => {
    using held = fixture()
    const own = holder('session', { lasting: true })
    for (let times = 0; times < 10; times++) {
      expect(await held.nameIn(own)).toBe('s1')
      await vi.advanceTimersByTimeAsync(29 * MINUTE)
    }
    expect(held.closed()).toEqual([])
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(held.closed()).toEqual(['s1'])
  })
})

describe('a session that nobody uses', () => {
  test('S2-SES-02: ends after 10 min, counted from the end of its last call', async () => {
    using held = fixture()
    const long = held.begin(holder('ann'))
    await vi.advanceTimersByTimeAsync(15 * MINUTE)
    expect(held.closed()).toEqual([])
    await long.end()
    await vi.advanceTimersByTimeAsync(9 * MINUTE)
    expect(await held.nameIn(holder('ann'))).toBe('s1')
    await vi.advanceTimersByTimeAsync(9 * MINUTE)
    // 33 min old by now, so that the next one asks for another.
    expect(held.closed()).toEqual(['s1'])
    expect(await held.nameIn(holder('ann'))).toBe('s2')
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(held.closed()).toEqual(['s1', 's2'])
    expect(held.pool.size).toBe(0)
  })

  test('is not used once its time is over, although nobody looked yet', async () => {
    using held = fixture()
    expect(await held.nameIn(holder('ann'))).toBe('s1')
    vi.setSystemTime(Date.now() + 10 * MINUTE)
    expect(await held.nameIn(holder('ann'))).toBe('s2')
  })

  test('stays while its stream is heard', async () => {
    using held = fixture()
    const leaving = Promise.withResolvers<void>()
    const listening = held.place.listen(holder('ann'), held.open, () => leaving.promise)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(held.closed()).toEqual([])
    leaving.resolve()
    await listening
    await vi.advanceTimersByTimeAsync(9 * MINUTE)
    expect(held.closed()).toEqual([])
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(held.closed()).toEqual(['s1'])
  })
})

describe('the 5,001st session', () => {
  const fill = async (held: ReturnType<typeof fixture>, from: number) => {
    for (let at = from; at <= 5_000; at++) await held.nameIn(holder(`owner ${at}`))
  }

  test('S3-POOL-02: takes the place of the one that was used least recently', async () => {
    using held = fixture()
    await fill(held, 1)
    expect(held.pool.size).toBe(5_000)
    expect(await held.nameIn(holder('owner 1'))).toBe('s1')
    expect(await held.nameIn(holder('one more'))).toBe('s5001')
    await settled()
    expect(held.pool.size).toBe(5_000)
    expect(held.closed()).toEqual(['s2'])
  })

  test('takes the place of none that is in use, unless all of them are', async () => {
    using held = fixture()
    const first = held.begin(holder('owner 1'))
    const leaving = Promise.withResolvers<void>()
    void held.place.listen(holder('owner 2'), held.open, () => leaving.promise)
    await fill(held, 3)
    await held.nameIn(holder('one more'))
    await settled()
    expect(held.closed()).toEqual(['s3'])
    await first.end()

    using busy = fixture()
    const calls = Array.from({ length: 5_000 }, (_, at) => busy.begin(holder(`owner ${at + 1}`)))
    await busy.nameIn(holder('one more'))
    await settled()
    expect(busy.pool.size).toBe(5_000)
    expect(busy.closed()).toEqual([])
    // It takes no new call, and ends with the one it has.
    expect(await busy.nameIn(holder('owner 1'))).toBe('s5002')
    expect(await calls[0]?.end()).toBe('s1')
    await settled()
    // The one more had nothing to do by then.
    expect(busy.closed()).toEqual(['s1', 's5001'])
    leaving.resolve()
  })
})

describe('many sessions of one organization', () => {
  test('end none of another one, and those of clients last', async () => {
    using held = fixture()
    const theirs = held.pool.place({ connectionId: 'con_2', organizationId: 'org_2', alias: 'theirs' })
    await held.nameIn(holder('their client', { lasting: true }), theirs)
    await held.nameIn(holder('their owner'), theirs)
    await held.nameIn(holder('own client', { lasting: true }))
    for (let at = 4; at <= 5_002; at++) await held.nameIn(holder(`owner ${at}`))
    await settled()
    expect(held.pool.size).toBe(5_000)
    expect(held.closed()).toEqual(['s4', 's5'])
    // A newcomer takes the place of one of those, too.
    await held.nameIn(
      holder('another'),
      held.pool.place({ connectionId: 'con_3', organizationId: 'org_3', alias: 'c' }),
    )
    await settled()
    expect(held.closed()).toEqual(['s4', 's5', 's6'])
  })

  test('by one owner with capabilities that are made up for each call end as new ones begin', async () => {
    using held = fixture()
    const made = (at: number) => holder('ann', { capabilities: { extensions: { 'com.example/x': { at } } } })
    await held.nameIn(holder('bob'))
    for (let at = 2; at <= 11; at++) {
      await held.nameIn(made(at))
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(held.pool.size).toBe(11)
    expect(await held.nameIn(made(2))).toBe('s2')
    await vi.advanceTimersByTimeAsync(1)
    // The same capabilities with another credential are no new set.
    await held.nameIn({ ...made(11), credential: 'crd_1' })
    expect(held.closed()).toEqual([])
    for (let at = 12; at <= 14; at++) {
      await held.nameIn(made(at))
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(held.closed()).toEqual(['s3', 's4', 's5'])
    expect(held.pool.size).toBe(12)
  })
})

describe('what is given up', () => {
  test('is closed once, after its calls, and its stream is ended at once', async () => {
    using held = fixture()
    const call = held.begin(holder('ann'))
    await settled()
    let streamEnded = false
    const listening = held.place.listen(
      holder('ann'),
      held.open,
      (_, ended) =>
        new Promise<void>((resolve) => ended.addEventListener('abort', () => ((streamEnded = true), resolve()))),
    )
    await settled()
    held.place.forget('ann')
    await listening
    expect(streamEnded).toBe(true)
    expect(held.closed()).toEqual([])
    await call.end()
    await held.place.close()
    expect(held.opened.map((session) => session.closed)).toEqual([1])
  })

  test('while it was being opened is closed, and nobody who waited gets it', async () => {
    using held = fixture()
    const opening = Promise.withResolvers<void>()
    const slowly = () => opening.promise.then(held.open)
    const waiting = held.place.use(holder('ann'), slowly, ({ name }) => Promise.resolve(name))
    held.place.forget('ann')
    opening.resolve()
    await expect(waiting).rejects.toBeInstanceOf(Fault)
    await settled()
    expect(held.closed()).toEqual(['s1'])
  })

  test('is given up in its own place only, and nothing is opened in a place that was closed', async () => {
    using held = fixture()
    const other = held.pool.place({ connectionId: 'con_2', organizationId: 'org_1', alias: 'web' })
    await held.nameIn(holder('ann'))
    await held.nameIn(holder('ann'), other)
    const call = held.begin(holder('bob'))
    await settled()
    await held.place.close()
    expect(held.closed()).toEqual(['s1', 's3'])
    await expect(held.nameIn(holder('ann'))).rejects.toMatchObject({ code: 'upstream.disabled' })
    expect(await held.nameIn(holder('ann'), other)).toBe('s2')
    await call.end()
    expect(held.opened.map((session) => session.closed)).toEqual([1, 0, 1])
  })

  test('because the server has lost it is not closed there, and the next one asks for another', async () => {
    using held = fixture()
    const [session] = [await held.place.use(holder('ann'), held.open, (one) => Promise.resolve(one))]
    held.place.lose(holder('ann'), session)
    held.place.lose(holder('ann'), session)
    expect(await held.nameIn(holder('ann'))).toBe('s2')
    await held.place.close()
    expect(held.opened.map((one) => one.closed)).toEqual([0, 1])
  })
})
