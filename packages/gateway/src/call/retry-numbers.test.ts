/** The retry loop with the numbers of its two callers and the real circuit breaker, by a clock that only the pauses move. */
import { Fault } from '@toolway/contract'
import { retry, retryAfter, type Passing, type RetryLimits } from '@toolway/protocol/retry'
import { expect, test } from 'vitest'
import { createBreaker } from '../upstreams/breaker.ts'
import { RETRIES } from '../upstreams/native/native-upstream.ts'
import { LIMITS } from './ask-upstream.ts'

const CALLERS = [
  {
    caller: 'an MCP server',
    limits: LIMITS,
    tries: 5,
    longest: [100, 200, 400, 800],
    most: 60_000,
  },
  { caller: 'a vendor', limits: RETRIES, tries: 3, longest: [1_000, 2_000], most: 30_000 },
]

const isRefusedByBreaker = (thrown: unknown) => thrown instanceof Fault && thrown.code === 'upstream.resting'

interface Failing {
  readonly passing?: Passing
  readonly idempotent?: boolean
  readonly random?: number
  /** Milliseconds that each try takes. */
  readonly takes?: number
  readonly limits?: Partial<RetryLimits>
}

/** The pauses where every try fails, behind a breaker of its own. */
async function fail(limits: RetryLimits, { passing, idempotent = true, random = 1, takes = 0, ...more }: Failing = {}) {
  let at = 0
  let tries = 0
  const waited: number[] = []
  const breaker = createBreaker({ alias: 'web', patience: 60_000, now: () => at, onStateChange: () => {} })
  const failure = () => new Fault('upstream.unreachable', { connection: 'web', problem: `it failed ${tries} times` })
  const work = async (): Promise<never> => {
    const refusal = breaker.admit()
    if (refusal !== undefined) throw refusal
    tries++
    at += takes
    breaker.failed(breaker.turn, failure())
    throw failure()
  }
  const over = retry(work, {
    limits: { ...limits, ...more.limits },
    evaluate: () => passing ?? { wanted: 0, done: 'maybe' },
    idempotent,
    isRefusedByBreaker,
    signal: new AbortController().signal,
    now: () => at,
    random: () => random,
    pause: async (milliseconds) => {
      await Promise.resolve()
      waited.push(milliseconds)
      at += milliseconds
    },
  })
  const problem = await over.catch((thrown: unknown) => Fault.of(thrown).facts['problem'])
  return { tries, waited, problem }
}

test.each(CALLERS)(
  'U-20: $caller has its number of tries, its total time, full jitter, Retry-After, the rule for writes and the breaker',
  async ({ limits, tries, longest, most }) => {
    expect([limits.tries, limits.first, limits.most, limits.total]).toEqual([tries, longest[0], most, 60_000])
    expect(await fail(limits)).toMatchObject({ tries, waited: longest, problem: `it failed ${tries} times` })
    const half = longest.map((pause) => pause / 2)
    expect([(await fail(limits, { random: 0 })).waited, (await fail(limits, { random: 0.5 })).waited]).toEqual([
      longest.map(() => 0),
      half,
    ])

    expect((await fail(limits, { limits: { tries: 99 }, takes: 20_000 })).tries).toBe(3)

    const said = (text: string): Passing => ({ wanted: retryAfter(text, 0) ?? 0, done: 'no' })
    expect((await fail(limits, { passing: said('3') })).waited).toEqual(longest.map((pause) => Math.max(pause, 3_000)))
    expect((await fail(limits, { passing: said('31') })).tries).toBe(1)

    expect((await fail(limits, { idempotent: false })).tries).toBe(1)
    expect((await fail(limits, { idempotent: false, passing: { wanted: 0, done: 'no' } })).tries).toBe(tries)

    // Five failures open the breaker; the sixth try is not made, and the failure that opened it is told.
    expect(await fail(limits, { limits: { tries: 99, most: 1_000 } })).toMatchObject({
      tries: 5,
      problem: 'it failed 5 times',
    })
  },
)
