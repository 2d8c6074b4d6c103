/**
 * Answers of a backend that the gateways in front of it fetch for each other, where they share a cache. An answer is used for as long
 * after it was fetched as one that a gateway fetched itself.
 */
import { createHash } from 'node:crypto'
import type { Json } from '@toolway/protocol'
import { z } from 'zod'
import type { SharedTexts } from '../../lib/shared-texts.ts'

export interface SharedAnswersParts {
  /** Unsaid, every gateway fetches for itself. */
  readonly texts: SharedTexts | undefined
  /** Whatever tells this backend's answers from those of others. */
  readonly scope: readonly string[]
  readonly now: () => number
  /** Undefined for a text that is not JSON, or nests too deep. */
  parse(text: string): Json | undefined
}

export interface AnswerRequest {
  readonly name: readonly string[]
  /** Milliseconds. */
  readonly keptFor: number
  /** The backend is asked, whatever is kept. */
  readonly fresh: boolean
  fetch(): Promise<Json>
  /** Told how many milliseconds ago another gateway fetched the answer. */
  aged(milliseconds: number): void
}

/** Milliseconds since 1970, and the answer as text. */
const KeptAnswer = z.object({ at: z.number(), text: z.string() })
/** A larger answer is not shared. Characters. */
const MOST = 4 * 1024 * 1024

export function createSharedAnswers({ texts, scope, now, parse }: SharedAnswersParts) {
  const keyOf = (name: readonly string[]) =>
    `answer:${createHash('sha256')
      .update(JSON.stringify([scope, name]))
      .digest('hex')}`

  async function load(key: string) {
    const text = await texts?.load(key)
    const stored = text === undefined ? undefined : KeptAnswer.safeParse(parse(text)).data
    const answer = stored === undefined ? undefined : parse(stored.text)
    return stored === undefined || answer === undefined ? undefined : { at: stored.at, answer }
  }

  return async ({ name, keptFor, fresh, fetch, aged }: AnswerRequest): Promise<Json> => {
    if (texts === undefined) return fetch()
    const key = keyOf(name)
    const stored = fresh ? undefined : await load(key)
    if (stored !== undefined) {
      // The clocks of two gateways may differ.
      aged(Math.min(Math.max(now() - stored.at, 0), keptFor))
      return stored.answer
    }
    const answer = await fetch()
    const text = JSON.stringify({ at: now(), text: JSON.stringify(answer) })
    if (text.length <= MOST) texts.keep(key, text, keptFor)
    return answer
  }
}
