/**
 * A request in neutral form: what is asked and by what kind of client, whichever revision it came in.
 *
 * `params` stay as they arrived, envelope keys included, because a relay forwards them; the caller's facts are read out
 * beside them. Each era's folder knows how to read an `McpRequest` from its wire and how to write one for its wire.
 */
import type { Revision } from './era.ts'
import type { JsonObject } from './json.ts'
import type { Id } from './message.ts'

export interface Caller {
  readonly revision: Revision
  /** The capabilities that the client declared, for this request or for its session. */
  readonly capabilities: JsonObject
  /** Name and version for display; never trusted. */
  readonly client: JsonObject | undefined
  /** Absent means that no log messages are wanted (2026-07-28) or that the session set none. */
  readonly logLevel: string | undefined
}

export interface McpRequest {
  readonly id: Id
  readonly method: string
  readonly params: JsonObject
  readonly caller: Caller
}
