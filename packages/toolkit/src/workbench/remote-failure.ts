/** A failure at the remote side, in its own words, with what it said beside them. */
import { Refusal, type RefusalCode } from '../refusal.ts'

/** `passing`: the same request may succeed a little later. `too-large`: a smaller part may pass. `session`: the session is gone. */
export type FailureKind = 'passing' | 'too-large' | 'session' | 'lasting'

export interface FailureFacts {
  readonly kind?: FailureKind
  /** For programs, beside `error` and `successful`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Milliseconds after which to try again, where the remote side says so. */
  readonly retryAfter?: number | undefined
}

export class RemoteFailure extends Refusal {
  readonly kind: FailureKind
  readonly retryAfter: number | undefined

  /** The error as the remote tool gave it is among the facts (ledger S4-CMP-08). */
  constructor(message: string, { kind = 'lasting', details = {}, retryAfter }: FailureFacts = {}) {
    super(message, CODES[kind], { ...details, error: message, successful: false, retryable: kind === 'passing' })
    this.kind = kind
    this.retryAfter = retryAfter
  }
}

const CODES: Readonly<Record<FailureKind, RefusalCode>> = {
  passing: 'UNAVAILABLE',
  'too-large': 'TOO_LARGE',
  session: 'NOT_FOUND',
  lasting: 'EXECUTION_ERROR',
}

export const isFailure = (thrown: unknown, kind: FailureKind): thrown is RemoteFailure =>
  thrown instanceof RemoteFailure && thrown.kind === kind
