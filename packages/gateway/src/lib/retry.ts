/**
 * Asking again what failed: how often, for how long in all, and how long to wait before (ledger U-20).
 *
 * Whether a failure may be asked again at all is the caller's to judge; here it is bounded. The pauses double from the first one,
 * each up to a quarter shorter or longer, so that those who failed together do not come back together.
 */
export interface RetryLimits {
  /** In all, the first one included. */
  readonly tries: number
  /** Milliseconds, from the beginning of the first try to that of the last. */
  readonly total: number
  /** Milliseconds before the second try. */
  readonly first: number
}

/** Milliseconds before the next try, the server's own wish (`wanted`) at least; undefined when there is none. `random` is from 0 to 1. */
export function pauseBefore(
  { tries, total, first }: RetryLimits,
  { tried, elapsed }: { tried: number; elapsed: number },
  { wanted, random }: { wanted: number; random: number },
): number | undefined {
  if (tried >= tries) return undefined
  const wait = Math.max(first * 2 ** (tried - 1) * (1 + SPREAD * (2 * random - 1)), wanted)
  return elapsed + wait < total ? wait : undefined
}
const SPREAD = 0.25

export interface Retrying {
  readonly limits: RetryLimits
  /** The milliseconds that a failure wants to be waited for at least; undefined for what is not asked again. */
  evaluate(thrown: unknown): number | undefined
  /** Ends it at once, with the signal's reason. */
  readonly signal: AbortSignal
  /** A first try that somebody else made: what it failed with, and the milliseconds that it took. */
  readonly failed?: { readonly thrown: unknown; readonly after: number }
  /** Milliseconds. */
  readonly now: () => number
  readonly random: () => number
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Does the work, which is told the milliseconds that are left, until it succeeds, its failure is final, or a limit is reached: then it rejects with the last failure. */
export async function retry<T>(work: (left: number) => Promise<T>, retrying: Retrying): Promise<T> {
  const { limits, evaluate, signal, now, random, pause } = retrying
  const began = now() - (retrying.failed?.after ?? 0)
  let { failed: failure }: { failed?: { readonly thrown: unknown } } = retrying
  for (let tried = failure === undefined ? 0 : 1; ; tried++) {
    if (failure !== undefined) {
      const wanted = evaluate(failure.thrown)
      const counts = { tried, elapsed: now() - began }
      const wait = wanted === undefined ? undefined : pauseBefore(limits, counts, { wanted, random: random() })
      if (wait === undefined) throw failure.thrown
      await pause(wait, signal)
      if (signal.aborted) throw signal.reason
    }
    try {
      return await work(Math.max(1, Math.ceil(limits.total - (now() - began))))
    } catch (thrown) {
      failure = { thrown }
    }
  }
}

/**
 * Parses `Retry-After`, in milliseconds from now (RFC 9110, section 10.2.3: seconds or a date); undefined for a value that is
 * neither.
 */
export function retryAfter(said: string | undefined, now: number): number | undefined {
  if (said === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(said)) return Number(said) * 1000
  // A day's name comes first; whatever else can be read as a time is none of it.
  const at = /^\s*[a-z]/i.test(said) ? Date.parse(said) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
