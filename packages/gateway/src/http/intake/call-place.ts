/**
 * The place that a request has among the calls of this process, for doors that know more of it than the server does: whose call it is,
 * how large it grows, and that it only listens from now on. A request that is none of a call's has no place, and all of this does
 * nothing then.
 */
import type { IncomingMessage } from 'node:http'
import type { CallPlace } from '../../limits/call-intake.ts'

export interface RequestPlace extends CallPlace {
  /** It was admitted to that organization: its next ones count as that organization's. */
  admitted(organizationId: string): void
}

const PLACE = Symbol('place')
type Placed = IncomingMessage & { [PLACE]?: RequestPlace }

export const setPlace = (request: Placed, requestPlace: RequestPlace): void => void (request[PLACE] = requestPlace)

export const placeOf = (request: Placed): RequestPlace | undefined => request[PLACE]
