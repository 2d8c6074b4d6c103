/**
 * The requests that are being worked on, at every door, so that a gateway that ends can wait for them and answer those that it
 * cuts off, and so that those of somebody who leaves end with the membership.
 *
 * A request that was cut after it left for its server may have been carried out, and its client must not repeat it blindly; one
 * that did not leave yet may be sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { LiveList } from '../../lib/live-list.ts'

export interface CallUnderWay {
  readonly call: { cancel(fault: Fault): void }
  readonly audit: Pick<AuditEntryBuilder, 'mayHaveLeft'> & Partial<Pick<AuditEntryBuilder, 'facts'>>
}

/** Milliseconds between two looks whether all have ended. Only a gateway that ends looks. */
const LOOK_EVERY_MS = 10

export class CallsUnderWay extends LiveList<CallUnderWay> {
  /** End each with a fault that says whether it may have acted. */
  cut(): void {
    for (const { call, audit } of this)
      call.cancel(new Fault(audit.mayHaveLeft ? 'gateway.draining-cut' : 'gateway.draining'))
  }

  /** End those whose callers have left since. `stands` throws the fault that such a caller is refused with. */
  endLeavers(stands: (requestContext: RequestContext) => void): void {
    for (const { call, audit } of this) {
      const requestContext = audit.facts?.requestContext
      if (requestContext?.principal.userId === undefined) continue
      try {
        stands(requestContext)
      } catch (thrown) {
        call.cancel(Fault.of(thrown))
      }
    }
  }

  /** Resolves once nothing is under way. */
  async over(): Promise<void> {
    while (this.size > 0) await sleep(LOOK_EVERY_MS, undefined, { ref: false })
  }
}
