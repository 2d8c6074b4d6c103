/** An operation of the gateway itself as a tool; `operations/platform-operations.ts` carries it out. */
import type { JsonObject } from '@toolway/protocol'
import type { Principal } from '../../identity/identify.ts'

/** An operation of the gateway itself, called as a tool. */
export interface Operating {
  readonly operation: string
  readonly given: JsonObject
  readonly principal: Principal
  /** The slug of the organization that the endpoint is of. */
  readonly organization: string
  readonly correlationId: string
  /** The client's end of the connection, for the record of a change. */
  readonly from: { readonly address: string | undefined; readonly userAgent: string | undefined }
  readonly signal: AbortSignal
}
