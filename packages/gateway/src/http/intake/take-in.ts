/** Takes a call in at the port: before its body is read and its caller is identified, and until it has been answered in whatever way. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import type { CallIntake, CallPlace } from '../../limits/call-intake.ts'
import { onceClosed } from '../streams/unread-answers.ts'
import { setPlace } from './call-place.ts'
import type { CallShares } from './call-shares.ts'

export interface TakeInParts {
  readonly intake: CallIntake
  readonly shares: CallShares
  /** Bytes that a body may have; the door refuses one that says it has more. */
  readonly bodyLimit: number
}

export interface ComingCall {
  readonly request: IncomingMessage
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
      setPlace(request, { hold: callPlace.hold, end: callPlace.end, admitted: (id) => note?.(id) })
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
