/** Why a call gave nothing, for programs: a word to branch on, a sentence, and whether the same call may succeed later. */
import { Refusal, type RefusalCode, type RefusalFacts } from './refusal.ts'

export interface Fault extends RefusalFacts {
  readonly code: RefusalCode | 'CANCELLED'
  readonly message: string
  readonly retryable: boolean
}

/** @param signal of the call: tells a call that was stopped from one that failed */
export function faultOf(thrown: unknown, signal: AbortSignal): Fault {
  if (thrown instanceof Refusal)
    return { ...thrown.facts, code: thrown.code, message: thrown.message, retryable: thrown.facts.retryable ?? false }
  if (signal.aborted) return abortedOf(signal.reason)
  // A message of the system may hold what is nobody's business; its code does not.
  return { code: 'EXECUTION_ERROR', message: `it failed (${codeOf(thrown)}).`, retryable: false }
}

const abortedOf = (reason: unknown): Fault =>
  reason instanceof Error && reason.name === 'TimeoutError'
    ? { code: 'TIMEOUT', message: 'it took too long and was stopped.', retryable: true }
    : { code: 'CANCELLED', message: 'it was cancelled.', retryable: true }

const codeOf = (thrown: unknown): string =>
  (thrown as NodeJS.ErrnoException | undefined)?.code ?? (thrown instanceof Error ? thrown.name : 'unknown')
