/** One request of a client, identified, admitted and read in its protocol version; each method's verb is given one. */
import type { Asked } from '@toolway/protocol'
import type { Line, RequestContext } from './ports.ts'
import type { Trail } from './trail.ts'

export interface ClientRequest {
  readonly requestContext: RequestContext
  readonly asked: Asked
  readonly line: Line
  readonly trail: Trail
}
