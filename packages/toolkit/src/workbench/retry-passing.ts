/** Repeats an operation on a remote side that may be done twice, while its failure may pass. The numbers of the workbench for `retry`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { retry, type Passing, type RetryLimits } from '@toolway/protocol/retry'
import { isFailure } from './remote-failure.ts'

/** Milliseconds. */
const LIMITS: RetryLimits = { tries: 4, total: 600_000, first: 1_000, most: 8_000, mostWait: 60_000 }

export const retryPassing = <Value>(signal: AbortSignal, act: () => Promise<Value>): Promise<Value> =>
  retry(act, {
    limits: LIMITS,
    evaluate: (thrown): Passing | undefined => {
      signal.throwIfAborted()
      return isFailure(thrown, 'passing') ? { wanted: thrown.retryAfter ?? 0, done: 'maybe' } : undefined
    },
    idempotent: true,
    signal,
    now: () => performance.now(),
    random: () => Math.random(),
    pause: (milliseconds) => sleep(milliseconds, undefined, { signal }),
  })
