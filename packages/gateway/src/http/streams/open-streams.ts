/**
 * The open streams of callers over all transports. A stream is ended when its caller would not be admitted any more. The
 * admission is consulted when keys or endpoints change and at intervals (a key expires without a change), and makes the decision.
 * While the database is unreachable and the admission cannot decide, open streams stay as they are.
 */
import { Fault } from '@toolway/contract'
import type { Admit } from '../../call/admit.ts'
import type { Inbound } from '../../call/ports.ts'
import { isDatabaseFault } from '../../db/unreachable.ts'

export interface OpenStreams {
  /** Known here until the returned function is called. `end` gets the fault that the admission now answers with. */
  hold(inbound: Inbound, end: (fault: Fault) => void): () => void
  /** The same for what is admitted in another way: `stands` throws, or rejects with, the fault it is refused with. */
  watch(stands: () => unknown, end: (fault: Fault) => void): () => void
  /** Keys or endpoints have changed. */
  recheck(): void
  close(): void
}

/** Milliseconds. */
const EVERY = 30_000

/** Whether an admission says no, and not only that it cannot be known at this moment. */
export const isRefusal = (fault: Fault): boolean =>
  fault.code !== 'gateway.not-ready' && fault.code !== 'limit.address' && !isDatabaseFault(fault)

export function createOpenStreams(admit: Admit, every = EVERY): OpenStreams {
  const open = new Map<() => unknown, (fault: Fault) => void>()
  let checking = false
  let again = false
  const rounds = setInterval(recheck, every)
  rounds.unref()

  async function checkAll(): Promise<void> {
    for (const [stands, end] of [...open]) {
      try {
        await stands()
      } catch (thrown) {
        const fault = Fault.of(thrown)
        if (isRefusal(fault)) end(fault)
      }
    }
  }

  /** One round at a time: what changes during one is seen by the next. */
  function recheck(): void {
    again = true
    if (checking) return
    checking = true
    void (async () => {
      while (again) {
        again = false
        await checkAll()
      }
    })().finally(() => (checking = false))
  }

  function watch(stands: () => unknown, end: (fault: Fault) => void): () => void {
    open.set(stands, end)
    return () => void open.delete(stands)
  }

  return {
    hold: (inbound, end) => watch(() => admit(inbound), end),
    watch,
    recheck,
    close: () => clearInterval(rounds),
  }
}
