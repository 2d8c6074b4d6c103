/**
 * What stays open for a caller, over whichever transport, with what ends it: whoever would not be admitted any more is ended.
 * It asks the admission, when something has changed and every so often (a key expires without anything changing), and decides
 * nothing itself. While nobody can say, because the database is away, what is open stays as it is.
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
