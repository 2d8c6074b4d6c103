/** A failure at the remote side, in its own words, with what it said beside them. */
import { Refusal, type RefusalCode } from '../refusal.ts'

/** `passing`: the same request may succeed a little later. `too-large`: a smaller part may pass. `session`: the session is gone. */
export type FailureKind = 'passing' | 'too-large' | 'session' | 'lasting'

export interface FailureFacts {
  readonly kind?: FailureKind
  /** Where the kind alone does not say it. */
  readonly code?: RefusalCode | undefined
  /** For programs, beside `error` and `successful`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Milliseconds after which to try again, where the remote side says so. */
  readonly retryAfter?: number | undefined
}

export class RemoteFailure extends Refusal {
  readonly kind: FailureKind
  readonly retryAfter: number | undefined

  /** The error as the remote tool gave it is among the facts (ledger S4-CMP-08). */
  constructor(message: string, { kind = 'lasting', code = CODES[kind], details = {}, retryAfter }: FailureFacts = {}) {
    const words = message.length > MOST_WORDS_CHARACTERS ? `${message.slice(0, MOST_WORDS_CHARACTERS)}…` : message
    super(words, code, { ...boundDetails(details), error: words, successful: false, retryable: kind === 'passing' })
    this.kind = kind
    this.retryAfter = retryAfter
  }
}

/** Characters of a sentence, and of what is told beside it: the other side may send without measure. */
const MOST_WORDS_CHARACTERS = 8_000
const MOST_FACTS = 64 * 1024

function boundDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { data, ...more } = details
  const text = JSON.stringify(data) as string | undefined
  return text === undefined || text.length <= MOST_FACTS
    ? details
    : { ...more, data: `${text.slice(0, MOST_WORDS_CHARACTERS)}…` }
}

const CODES: Readonly<Record<FailureKind, RefusalCode>> = {
  passing: 'UNAVAILABLE',
  'too-large': 'PAYLOAD_TOO_LARGE',
  session: 'NOT_FOUND',
  lasting: 'EXECUTION_ERROR',
}

export const isFailure = (thrown: unknown, kind: FailureKind): thrown is RemoteFailure =>
  thrown instanceof RemoteFailure && thrown.kind === kind
