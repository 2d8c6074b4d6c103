/** A failure at the remote side, in its own words, with what it said beside them. */
import { Refusal } from '../refusal.ts'

/** `passing`: the same request may succeed a little later. `too-large`: a smaller part may pass. `session`: the session is gone. */
export type FailureKind = 'passing' | 'too-large' | 'session' | 'lasting'

export class RemoteFailure extends Refusal {
  readonly kind: FailureKind
  /** The error as the remote tool gave it (ledger S4-CMP-08). */
  override readonly details: Readonly<Record<string, unknown>>
  /** Milliseconds after which to try again, where the remote side says so. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    {
      kind = 'lasting',
      details = {},
      retryAfter,
    }: { kind?: FailureKind; details?: Readonly<Record<string, unknown>>; retryAfter?: number | undefined } = {},
  ) {
    super(message)
    this.kind = kind
    this.details = { error: message, successful: false, ...details }
    this.retryAfter = retryAfter
  }
}

export const isFailure = (thrown: unknown, kind: FailureKind): thrown is RemoteFailure =>
  thrown instanceof RemoteFailure && thrown.kind === kind
