/**
 * Circuit breaker of one connection. After consecutive failures its calls are refused at once for a while; then one call is let
 * through, and its result decides. `decide` and `learn` are pure; `createBreaker` keeps their state for one connection.
 *
 * Failures are signs that the server is unavailable: no answer, a broken or refused connection, a proxy's 502, 503 and 504. Any
 * answer of the server (a tool error, a 4xx, too many requests, a 500) shows that it is available; a call cancelled by its client
 * shows nothing.
 */
import { Fault } from '@toolway/contract'
import { REFUSED_ADDRESS } from './http/agent.ts'

/** Two may be chance and three a deployment; five without any answer in between are neither. */
const MOST_FAILURES = 5
/** A restart takes seconds, so the first pause is short; a server that stays away costs one call in two minutes. Milliseconds. */
const PAUSE = { first: 10_000, most: 120_000 }

export interface Circuit {
  /** In a row, since the last answer. */
  readonly failures: number
  /** When the next call may try; undefined while it is closed. */
  readonly until: number | undefined
  /** Of the next opening, in milliseconds. */
  readonly pause: number
  /** Until when the call that tries is waited for: it may be given up by its client and say nothing. */
  readonly trial: number | undefined
}

export const CLOSED: Circuit = { failures: 0, until: undefined, pause: PAUSE.first, trial: undefined }

/** `try` lets one call through; whoever acts on it notes the trial. */
export function decide({ until, trial }: Circuit, now: number): 'pass' | 'try' | 'refuse' {
  if (until === undefined) return 'pass'
  return now >= until && (trial === undefined || now >= trial) ? 'try' : 'refuse'
}

/** Returns the circuit after the end of a call. `unknown`: its client cancelled it. */
export function circuitAfter(circuit: Circuit, end: 'answered' | 'failed' | 'unknown', now: number): Circuit {
  if (end === 'answered') return CLOSED
  if (end === 'unknown') return { ...circuit, trial: undefined }
  const failures = circuit.failures + 1
  if (circuit.until === undefined && failures < MOST_FAILURES) return { ...circuit, failures }
  // Those that were under way when it opened say nothing new.
  if (circuit.until !== undefined && now < circuit.until) return { ...circuit, failures }
  const { pause } = circuit
  return { failures, until: now + pause, pause: Math.min(pause * 2, PAUSE.most), trial: undefined }
}

export interface BreakerParts {
  readonly alias: string
  /** Milliseconds that a call may take: a trial that is silent for longer makes room for another. */
  readonly patience: number
  readonly now: () => number
  /** It opened, with the failure that did it, or closed again. */
  onStateChange(failure: Fault | undefined): void
}

export interface Breaker {
  /** Nothing is to be asked of it before a call. */
  readonly closed: boolean
  /** Counts answers: what a call is given when it begins, and says again when it fails. */
  readonly turn: number
  /** Undefined, or why no call goes through now: `upstream.resting`. */
  admit(): Fault | undefined
  /** There was an answer, of whatever kind; `status` where it came over HTTP. */
  answered(turn: number, status?: number): void
  failed(turn: number, thrown: unknown): void
}

/** Returns the failure as a part of a sentence. */
const wordsOf = ({ code, facts }: Fault): string => {
  if (code === 'upstream.start') return `it did not respond within ${facts['seconds']} s of its start`
  if (code === 'upstream.timeout') return `no answer within ${facts['seconds']} s`
  if (code === 'egress.refused') return REFUSED_ADDRESS
  return code === 'upstream.lost' ? 'the connection was lost' : String(facts['problem'] ?? code)
}

/** The call ended here. */
const UNKNOWN = new Set(['call.cancelled', 'session.ended'])
const AWAY = new Set([502, 503, 504])
/** A refused address counts as one that does not resolve does, as the two are not to be told apart (`http/agent.ts`). */
const FAILURES = new Set([
  'upstream.timeout',
  'upstream.start',
  'upstream.lost',
  'upstream.unreachable',
  'egress.refused',
])

/**
 * What requests that belong together say of the connection: that they failed counts once, and not at all where one of them was
 * answered. Call `end` once all have ended; it does nothing where there was an answer.
 */
export function createSharedBreaker(breaker: Breaker): Breaker & { end(): void } {
  let isAnswered = false
  let report: (() => void) | undefined
  return {
    get closed() {
      return breaker.closed
    },
    get turn() {
      return breaker.turn
    },
    admit: () => breaker.admit(),
    answered(turn, status = 200) {
      if (AWAY.has(status)) {
        report = () => breaker.answered(turn, status)
        return
      }
      isAnswered = true
      breaker.answered(turn, status)
    },
    failed(turn, thrown) {
      if (report === undefined || FAILURES.has(Fault.of(thrown).code)) report = () => breaker.failed(turn, thrown)
    },
    end() {
      if (!isAnswered) report?.()
    },
  }
}

export function createBreaker({ alias, patience, now, onStateChange }: BreakerParts): Breaker {
  let circuit = CLOSED
  let turn = 0
  let problem = ''

  function become(next: Circuit, failure: Fault | undefined): void {
    const was = circuit.until
    circuit = next
    // A trial that fails opens it again; that it is open is told once.
    if ((was === undefined) !== (next.until === undefined)) onStateChange(failure)
  }

  function fail(fault: Fault): void {
    problem = wordsOf(fault)
    become(circuitAfter(circuit, 'failed', now()), fault)
  }

  return {
    get closed() {
      return circuit.until === undefined
    },
    get turn() {
      return turn
    },
    admit() {
      const at = now()
      const verdict = decide(circuit, at)
      if (verdict === 'try') circuit = { ...circuit, trial: at + patience }
      if (verdict !== 'refuse') return undefined
      const until = Math.max(circuit.until ?? at, circuit.trial ?? at)
      return new Fault('upstream.resting', {
        connection: alias,
        problem,
        failures: circuit.failures,
        seconds: Math.max(1, Math.ceil((until - at) / 1000)),
        until: new Date(until).toISOString(),
      })
    },
    answered(began, status = 200) {
      if (AWAY.has(status)) {
        // A call that began before the last answer was overtaken by it: its failure is older news.
        if (began === turn)
          fail(new Fault('upstream.unreachable', { connection: alias, problem: `it responded with HTTP ${status}` }))
        return
      }
      turn++
      if (circuit.failures > 0) become(circuitAfter(circuit, 'answered', now()), undefined)
    },
    failed(began, thrown) {
      const fault = Fault.of(thrown)
      if (UNKNOWN.has(fault.code)) circuit = circuitAfter(circuit, 'unknown', now())
      else if (FAILURES.has(fault.code) && began === turn) fail(fault)
    },
  }
}
