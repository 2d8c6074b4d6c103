/**
 * How does a tool wait, telling how far it is, and stop at once when it is cancelled?
 *
 * Waits in steps and reports after each. The clock is passed in, so a test waits for nothing. Never outlives its
 * signal: an aborted wait clears its timer and throws.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoCall } from '../demo-tool.ts'

export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** Sleeps by the real clock; rejects with an AbortError when the signal fires. */
export const realSleep: Sleep = (milliseconds, signal) => sleep(milliseconds, undefined, { signal })

/** Waits `seconds`, reporting `steps` times; returns how many steps were told. */
export async function waitInSteps(
  { seconds, steps }: { seconds: number; steps: number },
  call: DemoCall,
  sleepFor: Sleep,
): Promise<number> {
  for (let step = 1; step <= steps; step += 1) {
    await sleepFor((seconds * 1_000) / steps, call.signal)
    const passed = Number(((seconds * step) / steps).toFixed(2))
    await call.progress({ done: step, total: steps, message: `${passed} of ${seconds} seconds` })
  }
  return steps
}
