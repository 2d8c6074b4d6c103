/** Tries an operation again that changes nothing by being done twice, while its failure may pass. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isFailure } from './remote-failure.ts'

/** Milliseconds between tries. */
const PAUSES = [500, 2_000, 5_000]
/** A remote side that asks for a longer pause is not waited for. */
const LONGEST_PAUSE = 60_000

export async function again<Value>(signal: AbortSignal, act: () => Promise<Value>): Promise<Value> {
  for (const pause of PAUSES) {
    try {
      return await act()
    } catch (thrown) {
      signal.throwIfAborted()
      if (!isFailure(thrown, 'passing') || (thrown.retryAfter ?? 0) > LONGEST_PAUSE) throw thrown
      await sleep(Math.max(pause, thrown.retryAfter ?? 0), undefined, { signal })
    }
  }
  return act()
}
