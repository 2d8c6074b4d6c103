import { DatabaseUnreachable } from '../../db/unreachable.ts'
import { Fault } from '@toolway/contract'
import type { Opening } from '@toolway/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { FoundSession, KeptSession } from '../../sessions/stored-sessions.ts'
import { createSessions } from '../../sessions/sessions.ts'
import { createKeepSessions, type KeepSessionsParts } from './keep-sessions.job.ts'

const MINUTE = 60_000
const opening: Opening = { revision: '2025-11-25', capabilities: { sampling: {} }, client: { name: 'c' } }
const requestContext = {
  owner: 'me here',
  organizationId: 'org_1',
  principal: { id: 'me' },
} as unknown as RequestContext
const found: FoundSession = { ...opening, logLevel: 'info', watched: {}, pages: [], openedAt: new Date(0) }
const NAME = 'a'.repeat(32)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A database made of a map, which can be away. */
function fixture(parts: Partial<KeepSessionsParts> = {}) {
  const rows = new Map<string, KeptSession>()
  const asked: string[] = []
  const state = { away: false, touched: [] as string[], idleBefore: undefined as Date | undefined }
  const reach = async () => {
    if (state.away) throw new DatabaseUnreachable('nothing', new Error('away'))
  }
  const sessions = createSessions({
    now: Date.now,
    onEnd: (session, why) => keeping.ended(session, why),
    onChange: (session) => keeping.changed(session),
  })
  const nameOf = (hash: Buffer) => hash.toString()
  const keeping = createKeepSessions({
    now: Date.now,
    log: quiet,
    hash: (id) => Buffer.from(id),
    ageOf: (id) => (id.startsWith('0') ? 1_000 : Infinity),
    sessions,
    async store(all) {
      await reach()
      for (const one of all) rows.set(nameOf(one.hash), one)
    },
    async touch(seen) {
      await reach()
      state.touched.push(...seen.map(({ hash }) => nameOf(hash)))
    },
    async remove(hashes) {
      await reach()
      for (const hash of hashes) rows.delete(nameOf(hash))
    },
    async removeIdle(since) {
      await reach()
      state.idleBefore = since
    },
    async find(_, { hash, owner }) {
      asked.push(nameOf(hash))
      await reach()
      const row = rows.get(nameOf(hash))
      return row?.owner === owner ? { ...found, ...row } : undefined
    },
    watchAgain: () => Promise.resolve(),
    ...parts,
  })
  const open = () => {
    const session = sessions.open(requestContext.owner, opening)
    void keeping.keep(requestContext, session)
    return session
  }
  return {
    rows,
    asked,
    state,
    sessions,
    keeping,
    open,
    async [Symbol.asyncDispose]() {
      state.away = false
      await keeping.close()
      sessions.close()
    },
  }
}

const faultOf = (asking: Promise<unknown>) =>
  asking.then(
    () => undefined,
    (thrown: unknown) => Fault.of(thrown).code,
  )

describe('a session that opens', () => {
  test('is stored before its client hears of it, and soon with what became of it since', async () => {
    await using here = fixture()
    const session = here.sessions.open(requestContext.owner, opening)
    await here.keeping.keep(requestContext, session)
    expect(here.rows.get(session.id)).toMatchObject({ owner: 'me here', principal: 'me', logLevel: undefined })
    session.caller = { ...session.caller, logLevel: 'debug' }
    session.watched.set('con_1', new Set(['test://a']))
    session.changed()
    await vi.advanceTimersByTimeAsync(20)
    expect(here.rows.get(session.id)).toMatchObject({ logLevel: 'debug', watched: { con_1: ['test://a'] } })
  })

  test('is stored together with those that open while the database is busy', async () => {
    const statements: number[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    await using here = fixture({
      async store(all) {
        statements.push(all.length)
        if (statements.length === 1) await promise
      },
    })
    const keep = () => here.keeping.keep(requestContext, here.sessions.open(requestContext.owner, opening))
    const first = keep()
    await vi.advanceTimersByTimeAsync(0)
    const others = Array.from({ length: 5 }, keep)
    resolve()
    await Promise.all([first, ...others])
    expect(statements).toEqual([1, 5])
  })

  test('waits for nothing while the database is known to be away', async () => {
    await using here = fixture()
    here.state.away = true
    // The first one learns of it; a database that says nothing would cost it two seconds.
    await here.keeping.keep(requestContext, here.sessions.open(requestContext.owner, opening))
    await here.keeping.keep(requestContext, here.sessions.open(requestContext.owner, opening))
    expect(here.rows.size).toBe(0)
  })

  test('is stored when the database is back', async () => {
    await using here = fixture()
    here.state.away = true
    const session = here.open()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(here.rows.size).toBe(0)
    here.state.away = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect([...here.rows.keys()]).toEqual([session.id])
  })

  test('and ends is not there any more, not even before its row is gone', async () => {
    await using here = fixture()
    const session = here.open()
    await vi.advanceTimersByTimeAsync(20)
    here.state.away = true
    here.sessions.end(requestContext.owner, session.id)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(here.rows.size).toBe(1)
    await here.keeping.recall(requestContext, session.id)
    expect(here.sessions.holds(session.id)).toBe(false)
    here.state.away = false
    await vi.advanceTimersByTimeAsync(10_000)
    expect(here.rows.size).toBe(0)
  })

  test('of a door that keeps none is never stored', async () => {
    await using here = fixture()
    const session = here.sessions.open(requestContext.owner, opening)
    session.changed()
    here.sessions.end(requestContext.owner, session.id)
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(here.rows.size).toBe(0)
  })
})

describe('a session that is used', () => {
  test('is touched once in five minutes at most, and one that nobody uses is not', async () => {
    await using here = fixture()
    const [used, listening, idle] = [here.open(), here.open(), here.open()]
    listening.stream = () => {}
    for (let minute = 0; minute < 11; minute++) {
      await vi.advanceTimersByTimeAsync(MINUTE)
      here.sessions.get(requestContext.owner, used.id)
    }
    const count = (id: string) => here.state.touched.filter((one) => one === id).length
    expect([count(used.id), count(listening.id), count(idle.id)]).toEqual([2, 2, 0])
    listening.stream = undefined
  })

  test('stays when the gateway ends, with the time it was seen', async () => {
    const here = fixture()
    const session = here.open()
    await vi.advanceTimersByTimeAsync(MINUTE)
    here.sessions.get(requestContext.owner, session.id)
    await here[Symbol.asyncDispose]()
    expect([...here.rows.keys()]).toEqual([session.id])
    expect(here.state.touched).toEqual([session.id])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('by nobody for half an hour ends here, and its row goes by its own time: another gateway may have seen it', async () => {
    await using here = fixture()
    const session = here.open()
    await vi.advanceTimersByTimeAsync(31 * MINUTE)
    expect(here.sessions.holds(session.id)).toBe(false)
    expect(here.rows.size).toBe(1)
    expect(Date.now() - (here.state.idleBefore?.getTime() ?? 0)).toBeGreaterThanOrEqual(35 * MINUTE)
  })
})

describe('a session that memory does not know', () => {
  test('lives again for its owner, once, however many ask at the same time', async () => {
    await using here = fixture()
    here.rows.set(NAME, { ...found, hash: Buffer.from(NAME), owner: requestContext.owner } as KeptSession)
    await Promise.all(Array.from({ length: 20 }, () => here.keeping.recall(requestContext, NAME)))
    expect(here.asked).toEqual([NAME])
    expect(here.sessions.get(requestContext.owner, NAME).caller).toMatchObject({
      logLevel: 'info',
      client: { name: 'c' },
    })
  })

  test('of another owner, or of nobody, is looked for once in a while', async () => {
    await using here = fixture()
    here.rows.set(NAME, { ...found, hash: Buffer.from(NAME), owner: 'somebody else' } as KeptSession)
    for (let time = 0; time < 5; time++) await here.keeping.recall(requestContext, NAME)
    expect([here.asked.length, here.sessions.size]).toEqual([1, 0])
    // Asking for it takes nothing from whoever it belongs to.
    await here.keeping.recall({ ...requestContext, owner: 'somebody else' }, NAME)
    expect(here.sessions.holds(NAME)).toBe(true)
  })

  test('is looked for again where it may have opened a moment ago in another gateway', async () => {
    await using here = fixture()
    const young = '0'.repeat(32)
    for (let time = 0; time < 3; time++) await here.keeping.recall(requestContext, young)
    expect(here.asked).toEqual([young, young, young])
    here.rows.set(young, { ...found, hash: Buffer.from(young), owner: requestContext.owner } as KeptSession)
    await here.keeping.recall(requestContext, young)
    expect(here.sessions.holds(young)).toBe(true)
  })

  test.each(['', 'x', 'A'.repeat(32), `${NAME}0`, '../../etc', 'z'.repeat(100_000)])(
    'and has no name that we give is not looked for',
    async (id) => {
      await using here = fixture()
      await here.keeping.recall(requestContext, id)
      expect(here.asked).toEqual([])
    },
  )

  test('is neither known nor unknown while the database is away', async () => {
    await using here = fixture()
    here.rows.set(NAME, { ...found, hash: Buffer.from(NAME), owner: requestContext.owner } as KeptSession)
    here.state.away = true
    expect(await faultOf(here.keeping.recall(requestContext, NAME))).toBe('database.unavailable')
    here.state.away = false
    await here.keeping.recall(requestContext, NAME)
    expect(here.sessions.holds(NAME)).toBe(true)
  })

  test('is looked for by few at a time, and waits for its turn: a restart takes over many at once', async () => {
    let [looking, most] = [0, 0]
    await using here = fixture({
      async find() {
        most = Math.max(most, ++looking)
        await new Promise((resolve) => setTimeout(resolve, 100))
        looking--
        return undefined
      },
    })
    const wanted = Array.from({ length: 50 }, (_, at) =>
      faultOf(here.keeping.recall(requestContext, at.toString(16).padStart(32, '0'))),
    )
    await vi.advanceTimersByTimeAsync(700)
    expect(new Set(await Promise.all(wanted))).toEqual(new Set([undefined]))
    expect(most).toBe(8)
  })

  test('is told to come again when its turn does not come in time', async () => {
    await using here = fixture({ find: () => new Promise((resolve) => setTimeout(() => resolve(undefined), 5_000)) })
    const wanted = Array.from({ length: 50 }, (_, at) =>
      faultOf(here.keeping.recall(requestContext, at.toString(16).padStart(32, '0'))),
    )
    await vi.advanceTimersByTimeAsync(6_000)
    const answers = await Promise.all(wanted)
    expect(answers.filter((fault) => fault === 'gateway.not-ready')).toHaveLength(42)
  })

  test('and cannot watch again what it watched ends', async () => {
    await using here = fixture({ watchAgain: () => Promise.reject(new Fault('place.unknown')) })
    here.rows.set(NAME, { ...found, hash: Buffer.from(NAME), owner: requestContext.owner } as KeptSession)
    await here.keeping.recall(requestContext, NAME)
    expect(here.sessions.holds(NAME)).toBe(false)
    await vi.advanceTimersByTimeAsync(20)
    expect(here.rows.size).toBe(0)
  })

  test('because it was ended in another gateway ends here', async () => {
    await using here = fixture()
    const session = here.open()
    here.keeping.endedElsewhere(Buffer.from(session.id).toString('hex'))
    expect(here.sessions.holds(session.id)).toBe(false)
    here.keeping.endedElsewhere('nobody')
  })

  test('that is ended in another gateway while it is looked up does not live again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const row = { ...found, owner: requestContext.owner }
    await using here = fixture({ find: () => promise.then(() => row) })
    const recalled = here.keeping.recall(requestContext, NAME)
    here.keeping.endedElsewhere(Buffer.from(NAME).toString('hex'))
    resolve()
    await recalled
    expect(here.sessions.holds(NAME)).toBe(false)
  })
})
