import { describe, expect, test } from 'vitest'
import { pauseBefore, retry, retryAfter, type Retrying } from './retry.ts'

const LIMITS = { tries: 5, total: 60_000, first: 100 }
const signal = new AbortController().signal

/** A clock that only the pauses move, and what was waited. */
function fixture(more: Partial<Retrying> = {}) {
  const clock = { at: 0 }
  const waited: number[] = []
  const retrying: Retrying = {
    limits: LIMITS,
    evaluate: () => 0,
    signal,
    now: () => clock.at,
    random: () => 0.5,
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
  test('pauses double from 100 ms, give or take a quarter, and end with the fifth try', async () => {
    const { retrying, waited } = fixture()
    const { work, tries } = failing(9)
    await expect(retry(work, retrying)).rejects.toThrow('no 5')
    expect(tries()).toBe(5)
    expect(waited).toEqual([100, 200, 400, 800])
    const spread = (random: number) => pauseBefore(LIMITS, { tried: 3, elapsed: 0 }, { wanted: 0, random })
    expect([spread(0), spread(1)]).toEqual([300, 500])
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
    const { retrying, waited } = fixture({ evaluate: () => 20_000 })
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
