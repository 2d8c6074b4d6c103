/** The port of approvals as a call uses it: with a database (approvals.ts), or without (confirmations.ts). */
import type { Fault, Facts, GivenFile, OrganizationId, Rule } from '@toolway/contract'
import type { McpRequest, JsonObject } from '@toolway/protocol'
import type { ToolTarget } from '../../catalog/tool-listing.ts'
import type { Principal } from '../../identity/identify.ts'
import type { Actor } from '../../records/change.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Answer } from '../../upstreams/upstream.ts'

/** The audit entry of a call, for parts that may end the call with a question. */
export interface CallAudit {
  readonly correlationId: string
  /** The fault that the client is told as a question. */
  refuse(fault: Fault): void
  note(facts: { readonly approval: string }): void
}

/** One call that rules want somebody's approval for. Nothing has been opened or sent. */
export interface ApprovalAsking {
  readonly organizationId: OrganizationId
  readonly organization: string
  readonly principal: Principal
  readonly facts: Facts
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly target: ToolTarget
  readonly audit: CallAudit
  /** As they would be sent: after clamps and locks. */
  readonly arguments: JsonObject
  /** The files that these arguments refer to. */
  readonly files: readonly GivenFile[]
  /** The account that the caller named. */
  readonly account: string | undefined
  /** All that ask for one; each has to be satisfied. */
  readonly rules: readonly Rule<'approve'>[]
}

/** A request about a task that stands for a call that waits for an approval. */
export interface TaskAsking {
  readonly requestContext: RequestContext
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly actor: Actor
  /** A fault as the result of a tool. */
  word(fault: Fault): JsonObject
}

export interface ApprovalTasks {
  /** Undefined for what is no task of ours. `run` makes the call, once it is granted. */
  task(asking: TaskAsking, run: (params: JsonObject) => Promise<Answer>): Promise<Answer | undefined>
}

export interface Approvals extends ApprovalTasks {
  /** The call that used that grant ended with a question to its client: the answer to it goes on with the same grant. */
  asks(organizationId: OrganizationId, approval: string): Promise<void>
  /**
   * Undefined once the call may be made, by a grant that is then used up; else what the client is to be answered for now (a
   * question, a task). Throws `approval.required` where the client is to come back with the very same call, `approval.denied`
   * and `approval.expired`.
   */
  settle(asking: ApprovalAsking): Promise<Answer | undefined>
}
