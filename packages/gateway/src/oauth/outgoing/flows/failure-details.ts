/**
 * Why an account could not be connected, in the words of the fault, on its way to the page that shows it: sealed in the address, so
 * that nobody can have a page of ours show a text of theirs, and nothing is stored.
 *
 * It is opened for ten minutes, by any gateway. The words are those of `word-failure.ts`: bounded, and without anything secret.
 */
import { z } from 'zod'
import { decodeBase64Url } from '../../../lib/base64url.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { FlowProblem } from './callback-check.ts'

export interface FailureDetails {
  /** Undefined where there is nothing to say beyond `why`. */
  seal(problem: FlowProblem): string | undefined
  /** Undefined for what is none of ours, or too old. */
  open(token: string): string | undefined
}

const SEAL_PURPOSE = 'failure details'
const MINUTES = 10
/** Longer than any that is made. */
const MOST_TOKEN = 4_096
/** Characters. */
const MOST_CHARACTERS = 1_000

const Sealed = z.object({ text: z.string(), until: z.number() })

export function createFailureDetails(vault: Pick<Vault, 'seal' | 'open'>, now: () => number): FailureDetails {
  return {
    seal({ fault: { code, facts } }) {
      const { problem } = facts
      if (!code.startsWith('authority.') || typeof problem !== 'string') return undefined
      const sealed = { text: problem.slice(0, MOST_CHARACTERS), until: now() + MINUTES * 60_000 }
      return vault.seal(JSON.stringify(sealed), SEAL_PURPOSE).toString('base64url')
    },
    open(token) {
      const sealed = token.length > MOST_TOKEN ? undefined : decodeBase64Url(token)
      if (sealed === undefined) return undefined
      try {
        const { text, until } = Sealed.parse(JSON.parse(vault.open(sealed, SEAL_PURPOSE)))
        return until > now() ? text : undefined
      } catch {
        return undefined
      }
    },
  }
}
