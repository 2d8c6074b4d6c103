/** Waits for something to become true, without a timed assertion: the limit is long, and running into it names what was waited for. */
import { setTimeout as pause } from 'node:timers/promises'
import { PATIENCE_MS } from '../../../packages/gateway/src/testing/patience.ts'

const STEP_MS = 20

/** The first answer that is neither undefined nor false. Rejects with `what` after `PATIENCE_MS`. */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await pause(STEP_MS)
  }
  throw new Error(`waited ${PATIENCE_MS / 1000} s in vain: ${what}`)
}

const QUIET_MS = 1_000

/** A count once it has been the same for a second: nothing that was begun before is under way any more. */
export async function steady(what: string, count: () => Promise<number> | number): Promise<number> {
  let before = await count()
  await until(`${what} stays the same`, async () => {
    await pause(QUIET_MS)
    const now = await count()
    const isSame = now === before
    before = now
    return isSame
  })
  return before
}
