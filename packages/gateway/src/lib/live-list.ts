/**
 * Things that come and go all the time, in no order, such as calls under way.
 *
 * It stands in place of a Set because of V8's garbage collector. The table that a Set has outgrown points to the table that
 * followed it, and keeps the members of its time. Once one such table is in the old generation, it holds all later ones until a
 * full collection, and most members are promoted with them (docs/performance.md, "Where the time of a call goes").
 */
export class LiveList<T> implements Iterable<T> {
  readonly #entries: Entry<T>[] = []

  get size(): number {
    return this.#entries.length
  }

  /** Until the returned function is called. */
  add(value: T): () => void {
    const entry: Entry<T> = { value, at: this.#entries.length }
    this.#entries.push(entry)
    return () => this.#remove(entry)
  }

  /** The last one takes the place of the one that goes. */
  #remove(entry: Entry<T>): void {
    if (this.#entries[entry.at] !== entry) return
    const last = this.#entries.pop()
    if (last === undefined || last === entry) return
    this.#entries[entry.at] = last
    last.at = entry.at
  }

  /** Those that are there when it begins: what comes or goes meanwhile changes nothing. */
  *[Symbol.iterator](): Generator<T> {
    for (const { value } of [...this.#entries]) yield value
  }
}

interface Entry<T> {
  readonly value: T
  at: number
}
