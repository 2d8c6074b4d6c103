/** Turns for work that may run only so many times at once, overall and for each host. */
import { setTimeout as pause } from 'node:timers/promises'

export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(most: number) {
    this.#free = most
  }

  /** Waits for a turn; the turn ends when what is returned is disposed of. Rejects when the signal is aborted first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#next(signal)
    let taken = true
    return {
      [Symbol.dispose]: () => {
        if (taken) this.#giveBack()
        taken = false
      },
    }
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveTurn = () => {
        signal.removeEventListener('abort', abort)
        this.#waiting.delete(giveTurn)
        resolve()
      }
      const abort = () => {
        this.#waiting.delete(giveTurn)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(giveTurn)
    })
  }

  /** The turn passes to who waits longest. */
  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free += 1
    else next()
  }
}

/** Hosts that are remembered though nobody asks them. */
const MOST_HOSTS = 1_000

/** Turns for each host, with the pause between two requests that its robots.txt asks for. */
export class HostSlots {
  readonly #most: number
  readonly #hosts = new Map<string, { readonly slots: Slots; nextAt: number; users: number }>()

  constructor(most: number) {
    this.#most = most
  }

  /** @param delay milliseconds between the beginnings of two requests */
  async take(host: string, delay: number, signal: AbortSignal): Promise<Disposable> {
    const known = this.#hosts.get(host) ?? { slots: new Slots(this.#most), nextAt: 0, users: 0 }
    this.#hosts.set(host, known)
    known.users += 1
    const left = () => {
      known.users -= 1
      this.#forgetUnused()
    }
    let turn: Disposable
    try {
      turn = await known.slots.take(signal)
    } catch (thrown) {
      left()
      throw thrown
    }
    const now = Date.now()
    const at = Math.max(now, known.nextAt)
    known.nextAt = at + delay
    try {
      if (at > now) await pause(at - now, undefined, { signal })
    } catch (thrown) {
      turn[Symbol.dispose]()
      left()
      throw thrown
    }
    let taken = true
    return {
      [Symbol.dispose]: () => {
        turn[Symbol.dispose]()
        if (taken) left()
        taken = false
      },
    }
  }

  #forgetUnused(): void {
    if (this.#hosts.size <= MOST_HOSTS) return
    const now = Date.now()
    for (const [host, { users, nextAt }] of this.#hosts) if (users === 0 && nextAt <= now) this.#hosts.delete(host)
  }
}
