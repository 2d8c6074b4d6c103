/**
 * Holds back what the clock of a process starts while a window is counted. Loaded into that process with `--import`, and steered over
 * its inspector: `hold()` before a window, `begin()` when it begins, `release()` after it.
 *
 * Timers that were set before the window begins fire after it. Timers that are set in the window run: they belong to the call.
 */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'

type Callback = (...values: unknown[]) => void

/** Timers of an earlier generation wait. */
let generation = 0
let held = 0
const waiting = new Map<object, () => void>()
let released = Promise.withResolvers<void>()

const isHeld = (own: number) => own < held

// The inspector finds it by this name.
Object.defineProperty(globalThis, 'heldClock', {
  value: {
    hold: () => void (held = Infinity),
    begin: () => void (held = ++generation),
    release() {
      held = 0
      released.resolve()
      released = Promise.withResolvers()
      const due = [...waiting.values()]
      waiting.clear()
      for (const run of due) run()
    },
  },
})

function later(set: (callback: Callback, delay?: number) => object) {
  return (callback: Callback, delay?: number, ...values: unknown[]) => {
    const own = generation
    const timer = set(() => {
      // An interval that fires twice meanwhile runs once.
      if (isHeld(own)) waiting.set(timer, () => callback(...values))
      else callback(...values)
    }, delay)
    return timer
  }
}

function forget(clear: (timer: never) => void) {
  return (timer: never) => {
    if (typeof timer === 'object' && timer !== null) waiting.delete(timer)
    clear(timer)
  }
}

const { setTimeout: wait } = promises
const replaced = {
  setTimeout: later(timers.setTimeout),
  setInterval: later(timers.setInterval),
  clearTimeout: forget(timers.clearTimeout),
  clearInterval: forget(timers.clearInterval),
}
Object.assign(timers, replaced)
Object.assign(globalThis, replaced)
Object.assign(promises, {
  async setTimeout(...values: Parameters<typeof wait>) {
    const own = generation
    const value = await wait(...values)
    while (isHeld(own)) await released.promise
    return value
  },
})
syncBuiltinESMExports()
