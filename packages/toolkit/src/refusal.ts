/** A request that is refused or failed, in a sentence for whoever asked and a word that programs can branch on. */

/** The word codes that the gateway uses too, for what can happen here. */
export type RefusalCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'POLICY_VIOLATION'
  | 'NEEDS_AUTH'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'EXECUTION_ERROR'
  | 'TOOL_NOT_FOUND'

export interface RefusalFacts {
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean
  /** More that programs may want to know; told as it is. */
  readonly [fact: string]: unknown
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly facts: RefusalFacts

  constructor(message: string, code: RefusalCode = 'INVALID_ARGUMENT', facts: RefusalFacts = {}) {
    super(message)
    this.code = code
    this.facts = facts
  }
}
