/**
 * What is known of the legacy era of a server that is spoken to in the modern one (specification 2026-07-28, versioning: a server may
 * speak both). It is found out by the first request that is to go in it; a server that refuses is not asked again for a while.
 */

/** A request was to go in an era that its server does not speak. Nothing of it was sent. */
export class OtherEraMissing extends Error {}

/** How long a refusal counts, in milliseconds: the server may be another version by then. */
const REFUSED_FOR_MS = 10 * 60_000

export class OtherEra {
  readonly #now: () => number
  #isSpoken = false
  #refusedAt: number | undefined

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  get isSpoken(): boolean {
    return this.#isSpoken
  }

  /** False for a while after a refusal. */
  get mayBeSpoken(): boolean {
    return this.#refusedAt === undefined || this.#now() - this.#refusedAt >= REFUSED_FOR_MS
  }

  found(): void {
    this.#isSpoken = true
    this.#refusedAt = undefined
  }

  /** Throws OtherEraMissing. */
  refused(cause: unknown): never {
    this.#isSpoken = false
    this.#refusedAt = this.#now()
    throw new OtherEraMissing('', { cause })
  }

  forget(): void {
    this.#isSpoken = false
    this.#refusedAt = undefined
  }
}
