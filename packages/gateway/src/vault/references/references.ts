/**
 * Secrets by reference: values that live in another place and are read from it when they are needed, never stored here.
 *
 * What was read is in memory: it is read again each minute while it is in use, and goes on being used while its place is away. A value
 * that changed is told (`onChange`), so that the connections with it are opened anew. A reference that was never read is tried again
 * every few seconds.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  hasReference,
  referencesIn,
  replaceReferences,
  SecretFault,
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
  readonly organization: string
  readonly reference: SecretReference
  value: string | undefined
  problem: string | undefined
  readAt: number
  usedAt: number
}

const noPlaceFor = (words: string, { source }: SecretReference): string =>
  `${words}: this installation has no place for secret://${source}`

const MOST = 10_000
const EVERY = 60_000
const AFTER_FAILURE = 5_000
const IN_USE = 60 * 60_000
const PATIENCE = 5_000
const SWEEP = 5_000

export function createSecretReferences(parts: SecretReferencesParts): SecretReferences {
  const { sources, onChange, log, now = Date.now } = parts
  const held = new LRUCache<string, Held>({ max: MOST })
  const reading = new Map<string, Promise<void>>()

  const keyOf = (organization: string, words: string) => `${organization} ${words}`

  function heldOf(organization: string, words: string, reference: SecretReference): Held {
    const key = keyOf(organization, words)
    const known = held.get(key)
    if (known !== undefined) {
      known.usedAt = now()
      return known
    }
    const made: Held = { organization, reference, value: undefined, problem: undefined, readAt: -EVERY, usedAt: now() }
    held.set(key, made)
    return made
  }

  const isDue = ({ value, readAt }: Held) => now() - readAt >= (value === undefined ? AFTER_FAILURE : EVERY)

  function read(words: string, one: Held): Promise<void> {
    const key = keyOf(one.organization, words)
    const running = reading.get(key)
    if (running !== undefined) return running
    const run = readOnce(words, one).finally(() => reading.delete(key))
    reading.set(key, run)
    return run
  }

  async function readOnce(words: string, one: Held): Promise<void> {
    const before = one.value
    const failed = one.problem !== undefined
    try {
      const source = sources[one.reference.source]
      if (source === undefined) throw new SecretFault(noPlaceFor(words, one.reference))
      one.value = await source.read(one.organization, one.reference)
      one.problem = undefined
    } catch (thrown) {
      one.problem = thrown instanceof SecretFault ? thrown.message : `${one.reference.source} cannot be asked`
      if (!failed)
        log.warn({ organization: one.organization, reference: words, err: thrown }, 'a secret could not be read')
    } finally {
      one.readAt = now()
    }
    if (one.value !== before && (before !== undefined || failed)) onChange(one.organization)
  }

  const everyOf = (organization: string, texts: readonly string[]): [string, Held][] =>
    texts.filter(hasReference).flatMap((text) => {
      try {
        return [...referencesIn(text)].map(([words, one]): [string, Held] => [words, heldOf(organization, words, one)])
      } catch {
        // Told by whoever uses the text.
        return []
      }
    })

  function current(organization: string, text: string): string {
    if (!hasReference(text)) return text
    const known = referencesIn(text)
    return replaceReferences(text, (words) => {
      const one = known.get(words)
      if (one === undefined) return words
      if (sources[one.source] === undefined) throw new SecretFault(noPlaceFor(words, one))
      const { value, problem } = heldOf(organization, words, one)
      if (value === undefined) throw new SecretFault(`${words}: ${problem ?? 'it was not read yet'}`)
      return value
    })
  }

  async function prepare(organization: string, texts: readonly string[]): Promise<void> {
    const due = everyOf(organization, texts).filter(([, one]) => one.value === undefined && isDue(one))
    if (due.length === 0) return
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, PATIENCE)
    await Promise.race([Promise.all(due.map(([words, one]) => read(words, one))), late])
    clearTimeout(timer)
  }

  async function renew(): Promise<void> {
    const due = [...held.entries()].filter(([, one]) => isDue(one) && now() - one.usedAt < IN_USE)
    await Promise.all(due.map(([key, one]) => read(key.slice(one.organization.length + 1), one)))
  }

  const timer = setInterval(() => void renew(), SWEEP)
  timer.unref()
  return {
    async resolve(organization, text) {
      await prepare(organization, [text])
      return current(organization, text)
    },
    prepare,
    current,
    stamp(organization, texts) {
      const every = everyOf(organization, texts)
      if (every.length === 0) return ''
      const digest = createHash('sha256')
      for (const [words, { value }] of every) digest.update(JSON.stringify([words, value ?? null]))
      return digest.digest('hex').slice(0, 16)
    },
    renew,
    close: () => clearInterval(timer),
  }
}
