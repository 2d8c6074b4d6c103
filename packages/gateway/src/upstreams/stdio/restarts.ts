/**
 * Restart limit of a child that exited: at most three restarts with growing pauses, then none until a user restarts it.
 *
 * Pure but for its clock: it counts, and never starts or ends anything.
 */

/** Starts after a failure, in a row (ledger S3-EXT-05). */
const MOST = 3
/** Long enough for a port or a lock to be free again, short enough to give a verdict within half a minute. Milliseconds. */
const PAUSES = [1_000, 4_000, 16_000]
/** One that ran this long, or answered a caller, did not fail at its start: what ends it later is a new story. Milliseconds. */
const RAN_WELL_MS = 60_000

export interface Restarts {
  /** Milliseconds until it may be started; 0: now. Undefined: not any more. */
  wait(): number | undefined
  readonly failures: number
  /** It answered its greeting. */
  started(): void
  /** It answered a caller. */
  served(): void
  /** It ended, or did not even start. The first time after a greeting it may start again at once: its caller is waiting. */
  failed(): void
}

export function createRestarts({ now }: { now: () => number }): Restarts {
  let failures = 0
  let notBefore = 0
  let since: number | undefined
  let served = false

  return {
    wait: () => (failures > MOST ? undefined : Math.max(0, notBefore - now())),
    get failures() {
      return failures
    },
    started() {
      since = now()
      served = false
    },
    served() {
      served = true
    },
    failed() {
      const greeted = since !== undefined
      if (served || (since !== undefined && now() - since >= RAN_WELL_MS)) failures = 0
      since = undefined
      served = false
      failures++
      notBefore = greeted && failures === 1 ? 0 : now() + (PAUSES[failures - 1] ?? 0)
    },
  }
}
