import { describe, expect, test } from 'vitest'
import { backoff, endless, pauseBefore, retry, retryAfter, type Retrying } from './retry.ts'

const LIMITS = { tries: 5, total: 60_000, first: 100, most: 60_000 }
const signal = new AbortController().signal

/** A clock that only the pauses move, and what was waited. */
function fixture(more: Partial<Retrying> = {}) {
  const clock = { at: 0 }
  const waited: number[] = []
  const retrying: Retrying = {
    limits: LIMITS,
    evaluate: () => ({ wanted: 0, done: 'maybe' }),
    idempotent: true,
    signal,
    now: () => clock.at,
    random: () => 1,
    pause: async (milliseconds) => {
      await Promise.resolve()
      waited.push(milliseconds)
      clock.at += milliseconds
    },
    ...more,
  }
  return { clock, waited, retrying }
}

const failing = (times: number) => {
  let tries = 0
  return { work: async () => (++tries <= times ? Promise.reject(new Error(`no ${tries}`)) : 'yes'), tries: () => tries }
}

describe('asking again', () => {
  test('pauses double from 100 ms at most, anywhere from nothing to that, and end with the fifth try', async () => {
    const { retrying, waited } = fixture()
    const { work, tries } = failing(9)
    await expect(retry(work, retrying)).rejects.toThrow('no 5')
    expect(tries()).toBe(5)
    expect(waited).toEqual([100, 200, 400, 800])
    const spread = (random: number) => pauseBefore(LIMITS, { tried: 3, elapsed: 0 }, { wanted: 0, random })
    expect([spread(0), spread(0.5), spread(1)]).toEqual([0, 200, 400])
  })

  test('no pause grows beyond the most, however often it failed', () => {
    const numbers = endless({ first: 100, most: 1_000 })
    expect([4, 5, 5_000].map((failures) => backoff(numbers, failures, 1))).toEqual([800, 1_000, 1_000])
    expect(pauseBefore(numbers, { tried: 5_000, elapsed: 1e12 }, { wanted: 0, random: 0 })).toBe(0)
  })

  test('a request that must not run twice is repeated only where it surely was not done', async () => {
    const once = fixture({ idempotent: false })
    await expect(retry(failing(9).work, once.retrying)).rejects.toThrow('no 1')
    const undone = fixture({ idempotent: false, evaluate: () => ({ wanted: 0, done: 'no' }) })
    expect(await retry(failing(2).work, undone.retrying)).toBe('yes')
  })

  test('a breaker that opens ends it, with the failure that opened it', async () => {
    const open = new Error('the breaker is open')
    const { retrying, waited } = fixture({ isRefusedByBreaker: (thrown) => thrown === open })
    let tries = 0
    const work = () => Promise.reject(++tries < 3 ? new Error(`no ${tries}`) : open)
    await expect(retry(work, retrying)).rejects.toThrow('no 2')
    expect([tries, waited]).toEqual([3, [100, 200]])
    const closed = fixture({ isRefusedByBreaker: () => true })
    await expect(retry(() => Promise.reject(open), closed.retrying)).rejects.toBe(open)
    expect(closed.waited).toEqual([])
  })

  test('a server that asks for more than is waited for ends it', async () => {
    const { retrying, waited } = fixture({
      limits: { ...LIMITS, mostWait: 5_000 },
      evaluate: () => ({ wanted: 5_001, done: 'no' }),
    })
    await expect(retry(failing(9).work, retrying)).rejects.toThrow('no 1')
    expect(waited).toEqual([])
  })

  test('two failures and then success are a success', async () => {
    const { retrying } = fixture()
    expect(await retry(failing(2).work, retrying)).toBe('yes')
  })

  test('what its judge calls final is not asked again', async () => {
    const { retrying, waited } = fixture({ evaluate: () => undefined })
    await expect(retry(failing(9).work, retrying)).rejects.toThrow('no 1')
    expect(waited).toEqual([])
  })

  test('a server that says when is not asked sooner, and not at all where that is too late', async () => {
    const { retrying, waited } = fixture({ evaluate: () => ({ wanted: 20_000, done: 'no' }) })
    await expect(retry(failing(9).work, retrying)).rejects.toThrow('no 3')
    expect(waited).toEqual([20_000, 20_000])
  })

  test('no try begins once the time is over, and each is told what is left', async () => {
    const { retrying, clock } = fixture({ limits: { ...LIMITS, total: 1_000 } })
    const left: number[] = []
    const work = (milliseconds: number) => {
      left.push(milliseconds)
      clock.at += 400
      return Promise.reject(new Error('late'))
    }
    await expect(retry(work, retrying)).rejects.toThrow('late')
    expect(left).toEqual([1_000, 500])
  })

  test('a first try that somebody else made counts, with the time that it took', async () => {
    const failed = { thrown: new Error('first'), after: 59_950 }
    const { retrying, waited } = fixture({ failed })
    await expect(retry(failing(9).work, retrying)).rejects.toThrow('first')
    expect(waited).toEqual([])
  })

  test('ends at once when its caller leaves, in the middle of a pause, too', async () => {
    const leaving = new AbortController()
    const { retrying } = fixture({
      signal: leaving.signal,
      pause: async () => {
        await Promise.resolve()
        leaving.abort(new Error('gone'))
      },
    })
    const { work, tries } = failing(9)
    await expect(retry(work, retrying)).rejects.toThrow('gone')
    expect(tries()).toBe(1)
  })
})

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-07-28T12:00:00Z')
  expect(retryAfter('3', now)).toBe(3_000)
  expect(retryAfter('Tue, 28 Jul 2026 12:00:10 GMT', now)).toBe(10_000)
  expect(retryAfter('Tue, 28 Jul 2026 11:00:00 GMT', now)).toBe(0)
  expect([retryAfter('soon', now), retryAfter(undefined, now), retryAfter('-1', now)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
