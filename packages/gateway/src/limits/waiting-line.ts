/** A line of what waits: first come, first served, and whoever is in it may leave it at any time, for the price of a mark. */

export interface Waiting<T> {
  readonly value: T
  /** Milliseconds, on the clock of whoever put it there. */
  readonly since: number
  isGone: boolean
}

/** Entries that have gone are dropped from this many on, when they are most of all. */
const FEW = 64

export class WaitingLine<T> {
  #entries: Waiting<T>[] = []
  #at = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(value: T, since: number): Waiting<T> {
    const entry = { value, since, isGone: false }
    this.#entries.push(entry)
    this.#size++
    return entry
  }

  /** The one that has waited longest. */
  first(): Waiting<T> | undefined {
    while (this.#entries[this.#at]?.isGone === true) this.#at++
    if (this.#at > FEW && this.#at * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#at)
      this.#at = 0
    }
    return this.#entries[this.#at]
  }

  shift(): Waiting<T> | undefined {
    const entry = this.first()
    if (entry !== undefined) this.leave(entry)
    return entry
  }

  leave(entry: Waiting<T>): void {
    if (entry.isGone) return
    entry.isGone = true
    this.#size--
  }
}
