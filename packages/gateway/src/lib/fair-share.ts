/**
 * Places that all organizations of a process share, such as open connections: so many, and none of the organizations takes them all.
 *
 * One may hold at most four times as many as are free after it (a dynamic threshold, Choudhury and Hahne 1998): alone it gets four fifths,
 * the next one gets four fifths of what is left, and there is always a place for somebody new. What was taken is never taken back.
 */
const TIMES_FREE = 4

export class FairShare {
  readonly most: number
  readonly #taken = new Map<string, number>()
  #size = 0

  constructor(most: number) {
    this.most = most
  }

  get size(): number {
    return this.#size
  }

  /** Returns what gives the place back, once; undefined where all are taken, or as many as this organization may have now. */
  take(organization: string): (() => void) | undefined {
    const own = this.#taken.get(organization) ?? 0
    if (own >= TIMES_FREE * (this.most - this.#size)) return undefined
    this.#taken.set(organization, own + 1)
    this.#size++
    let left = false
    return () => {
      if (left) return
      left = true
      this.#size--
      const rest = (this.#taken.get(organization) ?? 1) - 1
      if (rest === 0) this.#taken.delete(organization)
      else this.#taken.set(organization, rest)
    }
  }
}
