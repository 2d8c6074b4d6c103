/**
 * The requests that are being worked on, at every door, so that a gateway that ends can wait for them and answer those that it
 * cuts off.
 *
 * A request that was cut after it left for its server may have been carried out, and its client must not repeat it blindly; one
 * that did not leave yet may be sent again.
 */
import { Fault } from '@toolway/contract'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import { LiveList } from '../../lib/live-list.ts'

export interface CallsUnderWay {
  readonly size: number
  /** Until the returned function is called. */
  hold(call: { cancel(fault: Fault): void }, audit: Pick<AuditEntryBuilder, 'mayHaveLeft'>): () => void
  /** End each with a fault that says whether it may have acted. */
  cut(): void
  /** Resolves once nothing is under way. */
  over(): Promise<void>
}

type CallEntry = readonly [call: { cancel(fault: Fault): void }, audit: Pick<AuditEntryBuilder, 'mayHaveLeft'>]

export function createCallsUnderWay(): CallsUnderWay {
  const held = new LiveList<CallEntry>()
  let waiting: (() => void)[] = []
  return {
    get size() {
      return held.size
    },
    hold(call, audit) {
      const release = held.add([call, audit])
      return () => {
        release()
        if (held.size > 0 || waiting.length === 0) return
        for (const tell of waiting) tell()
        waiting = []
      }
    },
    cut() {
      for (const [call, { mayHaveLeft }] of held)
        call.cancel(new Fault(mayHaveLeft ? 'gateway.draining-cut' : 'gateway.draining'))
    },
    over: () => (held.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
