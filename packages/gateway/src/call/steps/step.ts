/**
 * One concern of a tool call. `call.ts` has the list of all of them in their order.
 *
 * A step that does not apply to a tool costs its calls nothing: the steps of a tool are chosen once, for as long as the listing
 * that shows it holds. Steps hold no state. They are given the parts of the gateway that they work with.
 */
import type { Facts, GivenFile, Verdict } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { ToolTarget } from '../../catalog/tool-listing.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientRequest } from '../request.ts'

/** The facts of one tool call. */
export interface Call extends ClientRequest {
  readonly target: ToolTarget
  /** The tool's name as the caller knows it. */
  readonly name: string
  /** The params as they would be sent. A step that changes the arguments puts them there. */
  readonly params: JsonObject
  /** The account that the caller named. */
  account?: string | undefined
  /** The decision of the rules, and the facts that they saw. */
  decided?: { readonly verdict: Verdict; readonly facts: Facts }
  /** The files that the arguments refer to. */
  files?: readonly GivenFile[]
}

type Awaitable<T> = T | Promise<T>

export interface Step {
  readonly name: string
  /** The step admits the request: its faults are errors of the request. Faults of all other steps are results of the tool. */
  readonly admits?: boolean
  applies(tool: ToolTarget): boolean
  /** The definition as this caller may see it; undefined hides the tool. Asked where a listing depends on its caller. */
  list?(definition: JsonObject, tool: ToolTarget, caller: () => Facts): JsonObject | undefined
  /** Before anything is sent. Throws a Fault, or answers the client early. */
  before?(call: Call, parts: CallParts): Awaitable<Answer | void>
  /** On the way back, last step first. */
  after?(call: Call, result: JsonObject, parts: CallParts): Awaitable<JsonObject>
}

/** The arguments of a call as they would be sent. */
export const argumentsOf = ({ params }: Pick<Call, 'params'>): JsonObject | undefined => {
  const { arguments: input } = params
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined
}
