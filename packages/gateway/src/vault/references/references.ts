/**
 * Secrets by reference: values that live in another place and are read from it when they are needed, never stored here.
 *
 * Values that were read are in memory: each is read again every minute while it is in use, and goes on being used while its place is away, until the
 * place says, twice in a row, that there is no such secret any more: so access is withdrawn. A value
 * that changed is told (`onChange`), so that the connections with it are opened anew. A reference that was never read is tried again
 * a few seconds later, then less and less often, at least each minute.
 */
import { createHash } from 'node:crypto'
import { backoff } from '@toolway/protocol/retry'
import { LRUCache } from 'lru-cache'
import {
  hasReference,
  referencesIn,
  replaceReferences,
  SecretFault,
  SecretGone,
  type SecretReference,
  type SecretSource,
  type SourceName,
} from './secret-source.ts'

export interface SecretReferencesParts {
  readonly sources: Partial<Readonly<Record<SourceName, SecretSource>>>
  /** A value of this organization (its slug) changed, or was read for the first time after a failure. */
  onChange(organization: string): void
  readonly log: { warn(facts: object, message: string): void }
  readonly now?: () => number
}

export interface SecretReferences {
  /** The text with the values in place of its references. Throws SecretFault. */
  resolve(organization: string, text: string): Promise<string>
  /** Read what these texts refer to, as far as it is not known; waits for a few seconds at most, and never throws. */
  prepare(organization: string, texts: readonly string[]): Promise<void>
  /** The same from memory alone. Throws SecretFault for what was not read. */
  current(organization: string, text: string): string
  /** Differs when a value does; empty where the texts have no reference. */
  stamp(organization: string, texts: readonly string[]): string
  /** Read again what is in use. */
  renew(): Promise<void>
  close(): void
}

interface Held {
  readonly words: string
  readonly organization: string
  readonly reference: SecretReference
  value: string | undefined
  problem: string | undefined
  /** Failures one after the other. */
  failures: number
  readAt: number
}

const noPlaceFor = (words: string, { source }: SecretReference): string =>
  `${words}: this installation has no store for secret://${source}`

const MOST = 10_000
const EVERY = 60_000
const AFTER_FAILURE = 5_000
const PATIENCE_MS = 5_000
const SWEEP = 5_000

export const createSecretReferences = (parts: SecretReferencesParts): SecretReferences => new KnownSecrets(parts)

class KnownSecrets implements SecretReferences {
  readonly #parts: SecretReferencesParts
  readonly #now: () => number
  readonly #held = new LRUCache<string, Held>({ max: MOST })
  readonly #reading = new Map<Held, Promise<void>>()
  readonly #timer: NodeJS.Timeout

  constructor(parts: SecretReferencesParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#timer = setInterval(() => void this.renew(), SWEEP)
    this.#timer.unref()
  }

  async resolve(organization: string, text: string): Promise<string> {
    await this.prepare(organization, [text])
    return this.current(organization, text)
  }

  async prepare(organization: string, texts: readonly string[]): Promise<void> {
    const due = this.#everyOf(organization, texts).filter((item) => item.value === undefined && this.#isDue(item))
    if (due.length === 0) return
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, PATIENCE_MS)
    await Promise.race([Promise.all(due.map((item) => this.#read(item))), late])
    clearTimeout(timer)
  }

  current(organization: string, text: string): string {
    if (!hasReference(text)) return text
    const known = referencesIn(text)
    return replaceReferences(text, (words) => {
      const reference = known.get(words)
      if (reference === undefined) return words
      if (this.#parts.sources[reference.source] === undefined) throw new SecretFault(noPlaceFor(words, reference))
      const { value, problem } = this.#heldOf(organization, words, reference)
      if (value === undefined) throw new SecretFault(`${words}: ${problem ?? 'it has not been read yet'}`)
      return value
    })
  }

  stamp(organization: string, texts: readonly string[]): string {
    const every = this.#everyOf(organization, texts)
    if (every.length === 0) return ''
    const digest = createHash('sha256')
    for (const { words, value } of every) digest.update(JSON.stringify([words, value ?? null]))
    return digest.digest('hex').slice(0, 16)
  }

  async renew(): Promise<void> {
    const due = [...this.#held.values()].filter((item) => this.#isDue(item))
    await Promise.all(due.map((item) => this.#read(item)))
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #isDue({ readAt, failures }: Held): boolean {
    const wait = failures === 0 ? EVERY : backoff({ first: AFTER_FAILURE, most: EVERY }, failures, 1)
    return this.#now() - readAt >= wait
  }

  #heldOf(organization: string, words: string, reference: SecretReference): Held {
    const key = `${organization} ${words}`
    const known = this.#held.get(key)
    if (known !== undefined) return known
    const unread = { value: undefined, problem: undefined, failures: 0, readAt: -EVERY }
    const made: Held = { words, organization, reference, ...unread }
    this.#held.set(key, made)
    return made
  }

  #everyOf(organization: string, texts: readonly string[]): Held[] {
    return texts.filter(hasReference).flatMap((text) => {
      try {
        return [...referencesIn(text)].map(([words, reference]) => this.#heldOf(organization, words, reference))
      } catch {
        // Told by whoever uses the text.
        return []
      }
    })
  }

  #read(item: Held): Promise<void> {
    const running = this.#reading.get(item)
    if (running !== undefined) return running
    const run = this.#readOnce(item).finally(() => this.#reading.delete(item))
    this.#reading.set(item, run)
    return run
  }

  async #readOnce(item: Held): Promise<void> {
    const { words, organization, reference, value: before, failures } = item
    try {
      const source = this.#parts.sources[reference.source]
      if (source === undefined) throw new SecretFault(noPlaceFor(words, reference))
      item.value = await source.read(organization, reference)
      item.problem = undefined
      item.failures = 0
    } catch (thrown) {
      item.problem = thrown instanceof SecretFault ? thrown.message : `${reference.source} cannot be reached`
      item.failures++
      // Twice, so that a secret that is replaced by removing it first is not missed in between.
      if (thrown instanceof SecretGone && item.failures > 1) item.value = undefined
      if (failures === 0)
        this.#parts.log.warn({ organization, reference: words, err: thrown }, 'a secret could not be read')
    } finally {
      item.readAt = this.#now()
    }
    if (item.value !== before && (before !== undefined || failures > 0)) this.#parts.onChange(organization)
  }
}
