/**
 * What stays open for a caller, over whichever transport, with what ends it: once keys have changed, whoever would not be
 * admitted any more is ended. It asks the admission and decides nothing itself.
 */
import { Fault } from '@toolway/contract'
import type { Admit } from '../call/admit.ts'
import type { Inbound } from '../call/ports.ts'

export interface OpenStreams {
  /** Known here until the returned function is called. `end` gets the fault that the admission now answers with. */
  hold(inbound: Inbound, end: (fault: Fault) => void): () => void
  /** Keys have changed. */
  recheck(): void
}

export function createOpenStreams(admit: Admit): OpenStreams {
  const open = new Map<Inbound, (fault: Fault) => void>()

  async function recheck(): Promise<void> {
    for (const [inbound, end] of [...open]) {
      try {
        await admit(inbound)
      } catch (thrown) {
        end(Fault.of(thrown))
      }
    }
  }

  return {
    hold(inbound, end) {
      open.set(inbound, end)
      return () => void open.delete(inbound)
    },
    recheck: () => void recheck(),
  }
}
