/** Takes a call in at the port: before its body is read and its caller is identified, and until it has been answered in whatever way. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import type { CallIntake, CallPlace } from '../../limits/call-intake.ts'
import { onceClosed } from '../streams/unread-answers.ts'
import type { CallShares } from './call-shares.ts'

/**
 * The place that a request has among the calls of this process, for doors that know more of it than the server does: whose call it is,
 * how large it grows, and that it only listens from now on. A request that is no call has none.
 */
export interface RequestPlace extends CallPlace {
  /** It was admitted to that organization: its next ones count as that organization's. */
  admitted(organizationId: string): void
}

const PLACE = Symbol('place')
type Placed = IncomingMessage & { [PLACE]?: RequestPlace }

export const placeOf = (request: Placed): RequestPlace | undefined => request[PLACE]

export interface TakeInParts {
  readonly intake: CallIntake
  readonly shares: CallShares
  /** Bytes that a body may have; the door refuses one that says it has more. */
  readonly bodyLimit: number
}

export interface ComingCall {
  readonly request: Placed
  readonly response: ServerResponse
  /** Answers it. */
  answer(): void | Promise<unknown>
  /** Words why it was not taken in. */
  refuse(fault: Fault): void
}

export type TakeIn = (call: ComingCall) => void | Promise<unknown>

export const createTakeIn = ({ intake, shares, bodyLimit }: TakeInParts): TakeIn =>
  function takeIn({ request, response, answer, refuse }) {
    const share = shares.of(request)
    const refuseThrown = (thrown: unknown) => refuse(Fault.of(thrown))
    const run = (callPlace: CallPlace): void | Promise<unknown> => {
      const { note } = share
      request[PLACE] = { hold: callPlace.hold, end: callPlace.end, admitted: (id) => note?.(id) }
      try {
        const answering = answer()
        if (answering instanceof Promise) return answering.finally(callPlace.end)
        callPlace.end()
      } catch (thrown) {
        callPlace.end()
        throw thrown
      }
    }
    let begun: ReturnType<CallIntake['begin']>
    try {
      begun = intake.begin(share.name, statedBytes(request, bodyLimit), (leave) => onceClosed(response, leave))
    } catch (thrown) {
      return refuseThrown(thrown)
    }
    return begun instanceof Promise ? begun.then(run, refuseThrown) : run(begun)
  }

/** The stated Content-Length. Bytes without one are counted as they come (`body.ts`). */
function statedBytes({ headers }: IncomingMessage, bodyLimit: number): number {
  const stated = Number(headers['content-length'] ?? 0)
  return stated > 0 && stated <= bodyLimit ? stated : 0
}
