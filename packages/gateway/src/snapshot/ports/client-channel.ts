/** The line back to the client of a request; each door provides its own. */
import type { HeaderReader, Notification, Request } from '@toolway/protocol'
import type { Session } from '../../sessions/sessions.ts'
import type { Answer } from '../../upstreams/upstream.ts'

/** One request's line back to its client, as the door and the era allow. */
export interface ClientChannel {
  readonly signal: AbortSignal
  readonly session: Session | undefined
  /** Undefined where there are no headers to check. */
  readonly header: HeaderReader | undefined
  /** Whether the client can be asked anything on this line: it has a session, and takes a stream. */
  readonly asks: boolean
  /** The token of the server's own kind that came with the request, for this request alone (ledger S3-OAU-07). */
  readonly passThroughToken?: string | undefined
  notify(notification: Notification): void
  /** Put a question to the client and wait for its answer; an error where it cannot be asked. */
  question(question: Request): Promise<Answer>
  /** The server closed its stream before its answer, to go on later: the client's may be closed too. */
  readonly pause?: (() => void) | undefined
}
