/** The ports of a call that waits for its client: suspended calls and questions of our own. */
import type { McpRequest, JsonObject, Notification, Request } from '@toolway/protocol'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { CredentialAsking } from '../../snapshot/ports/credentials.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallAudit } from '../approvals/approval-port.ts'

/** The channel by which a server's exchange reaches the client of the current round. */
export interface EventSink {
  readonly signal: AbortSignal
  onNotification(notification: Notification): void
  onQuestion(question: Request): Promise<Answer>
}

export interface Round {
  readonly principal: string
  /** Stands for method and params: only the very same request can go on. */
  readonly digest: string
  readonly channel: ClientChannel
  readonly params: JsonObject
}

export interface SuspendedCalls {
  /** The first round starts the call; later ones, by their `requestState`, go on with it. */
  round(round: Round, start: (eventSink: EventSink) => Promise<Answer>): Promise<Word>
  readonly size: number
  close(): void
}

/** One call that met the fault, or comes back after it did. */
export interface ResumableCall {
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly params: JsonObject
  readonly asking: CredentialAsking
  readonly alias: string
  /** Stands for method and params: a state is good for the very same request only. */
  readonly digest: string
  /** Whether it can be sent again without having acted before. */
  readonly goesOn: boolean
  /** Hears the fault for which the call ends with a question of ours or with our error. */
  readonly audit: Pick<CallAudit, 'refuse'>
}

export interface AuthElicitation {
  /**
   * A modern client's retry after a question of ours: waits a moment for the account, and gives the params as they were before the
   * question. Throws `state.unknown`, and `credential.declined` where its person does not want to.
   */
  resume(going: ResumableCall): Promise<JsonObject>
  /**
   * The client's next question or notification; undefined once the account is connected and the call is to be repeated, which is
   * allowed `turn` times. Rethrows errors that connecting an account does not resolve.
   */
  ask(going: ResumableCall, thrown: unknown, turn: number): Promise<Answer | undefined>
  close(): void
}

/** The end of a round: the server's answer, or the client's next question. */
export type Word = Answer | { readonly question: JsonObject }
