/**
 * The one retry loop of every package: tries, total time, exponential backoff with full jitter, `Retry-After`, the rule for
 * requests that are not idempotent, and the circuit breaker (ledger U-20). Each caller passes its numbers and says what its failures
 * mean. It has no clock and no timer of its own.
 */
export interface Backoff {
  /** The longest pause before the second try. */
  readonly first: number
  /** The longest pause before any later one. */
  readonly most: number
}

/** Times in milliseconds. */
export interface RetryLimits extends Backoff {
  /** In all, the first one included. */
  readonly tries: number
  /** From the beginning of the first try to that of the last. */
  readonly total: number
  /** A server that asks for a longer wait is not waited for. */
  readonly mostWait?: number
}

/** For work that ends only with its signal. */
export const endless = (backoff: Backoff): RetryLimits => ({ tries: Infinity, total: Infinity, ...backoff })

/** Full jitter: any time up to the exponential limit, so that callers that failed together do not return together. `random` is from 0 to 1. */
export const backoff = ({ first, most }: Backoff, failures: number, random: number): number =>
  random * Math.min(most, first * 2 ** (failures - 1))

/** Milliseconds before the next try, at least what the server asked for (`wanted`); undefined when there is none. */
export function pauseBefore(
  limits: RetryLimits,
  { tried, elapsed }: { tried: number; elapsed: number },
  { wanted, random }: { wanted: number; random: number },
): number | undefined {
  if (tried >= limits.tries || wanted > (limits.mostWait ?? Infinity)) return undefined
  const wait = Math.max(backoff(limits, tried, random), wanted)
  return elapsed + wait < limits.total ? wait : undefined
}

/** A failure that may pass. */
export interface Passing {
  /** Milliseconds that the server asked for, or 0. */
  readonly wanted: number
  /** Whether the server may have done the work all the same; then only an idempotent request is repeated. */
  readonly done: 'no' | 'maybe'
}

export interface Retrying {
  readonly limits: RetryLimits
  /** Undefined for a failure that is final. */
  evaluate(thrown: unknown): Passing | undefined
  /** Work that may be done twice. */
  readonly idempotent: boolean
  /** The circuit breaker refused the try: it ends the loop, and the failure before it says more. */
  isRefusedByBreaker?(thrown: unknown): boolean
  /** Ends the loop at once, with the signal's reason. */
  readonly signal: AbortSignal
  /** A first try that the caller made: its failure, and the milliseconds that it took. */
  readonly failed?: { readonly thrown: unknown; readonly after: number }
  /** Milliseconds. */
  readonly now: () => number
  readonly random: () => number
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Runs the work, which is told the milliseconds that are left, until it succeeds, its failure is final, or a limit is reached: then it rejects with the last failure. */
export async function retry<T>(work: (left: number) => Promise<T> | T, retrying: Retrying): Promise<T> {
  const { limits, signal, now, pause } = retrying
  const began = now() - (retrying.failed?.after ?? 0)
  let { failed: failure }: { failed?: { readonly thrown: unknown } } = retrying
  for (let tried = failure === undefined ? 0 : 1; ; tried++) {
    if (failure !== undefined) {
      const wait = waitAfter(failure.thrown, retrying, { tried, elapsed: now() - began })
      if (wait === undefined) throw failure.thrown
      await pause(wait, signal)
      if (signal.aborted) throw signal.reason
    }
    try {
      return await work(Math.max(1, Math.ceil(limits.total - (now() - began))))
    } catch (thrown) {
      if (failure !== undefined && retrying.isRefusedByBreaker?.(thrown) === true) throw failure.thrown
      failure = { thrown }
    }
  }
}

function waitAfter(
  thrown: unknown,
  { limits, evaluate, idempotent, isRefusedByBreaker, random }: Retrying,
  counts: { tried: number; elapsed: number },
): number | undefined {
  if (isRefusedByBreaker?.(thrown) === true) return undefined
  const passing = evaluate(thrown)
  if (passing === undefined || (passing.done === 'maybe' && !idempotent)) return undefined
  return pauseBefore(limits, counts, { wanted: passing.wanted, random: random() })
}

/**
 * Parses `Retry-After`, in milliseconds from now (RFC 9110, section 10.2.3: seconds or a date); undefined for a value that is
 * neither.
 */
export function retryAfter(input: string | null | undefined, now: number): number | undefined {
  if (input === undefined || input === null) return undefined
  if (/^\s*\d{1,9}\s*$/.test(input)) return Number(input) * 1000
  // A date begins with the name of a day; other texts that can be parsed as a time are none.
  const at = /^\s*[a-z]/i.test(input) ? Date.parse(input) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
