/**
 * How much work a process takes in: calls in progress, calls that wait for their turn, how long they wait, and bytes of requests.
 *
 * Few calls begin in one turn of the event loop, so that a turn stays short, and health, administration and the calls under way are
 * not kept waiting by those that come. The others wait in lines, one for each share (an organization; for strangers, an address),
 * which are served in turn: whoever calls little does not wait behind whoever calls much. Beyond a bound it throws `gateway.busy`
 * before anything else is done for the call (ADR 0112). It knows names and numbers, and no request.
 */
import { Fault } from '@toolway/contract'
import { WaitingLine } from './waiting-line.ts'

export interface IntakeBounds {
  /** Calls in progress, those that wait for their turn included. */
  readonly inFlight: number
  /** Calls that wait for their turn. */
  readonly waiting: number
  /** Milliseconds that the oldest call of a share may have waited while others of that share are still taken in. */
  readonly wait: number
  /** Bytes of the requests in progress. */
  readonly bytes: number
}

export type ShedReason = 'in_flight' | 'waiting' | 'wait' | 'bytes'

export interface CallIntakeParts {
  readonly bounds: IntakeBounds
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** Runs it in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => unknown
  onShed(reason: ShedReason): void
}

/** One call that was taken in. */
export interface CallPlace {
  /** So many bytes more are in memory until the call ends. Throws `gateway.busy`. */
  hold(bytes: number): void
  /** The call has ended, however it did. Once is enough; more of it changes nothing. */
  end(): void
}

/** Calls `leave` when the client leaves, until the function that it returns is called. */
export type WatchClient = (leave: () => void) => () => void

export interface CallIntake {
  /**
   * Takes a call in. Throws, or rejects with, `gateway.busy`; rejects with `call.cancelled` where its client left while it waited.
   * A promise only where it has to wait. `bytes`: of its request, as far as they are known.
   */
  begin(share: string, bytes: number, watch?: WatchClient): CallPlace | Promise<CallPlace>
  readonly inFlight: number
  readonly waiting: number
  readonly bytes: number
}

/**
 * Calls that begin in one turn of the event loop: 16 of a millisecond each keep everything else waiting for 16 ms. More make the turns
 * longer; fewer cost throughput, as each turn has a price of its own.
 */
const PER_TURN = 16
/** More where refusing others fills the turns: of the time, so much goes to the beginnings of calls, and about as much to their ends. */
const OF_TIME = 0.2
const MOST_PER_TURN = 48
/**
 * A share may have so many times what is still free (dynamic thresholds, Choudhury and Hahne 1998): one alone gets four fifths of a
 * bound, two that want all of it get four ninths each, and something is left for whoever comes next.
 */
const OF_FREE = 4
/** A call that waited so many times the bound, because the process stood still, is not begun any more. */
const STALE = 4
/** Shares without a call that are remembered: most come back at once. */
const MOST_IDLE = 1_000

interface Share {
  inFlight: number
  bytes: number
  /** Each begins its call. */
  readonly line: WaitingLine<() => void>
  /** Whether its line is among those that are served. */
  isInTurn: boolean
}

export const createCallIntake = (parts: CallIntakeParts): CallIntake => new BoundedIntake(parts)

class BoundedIntake implements CallIntake {
  readonly #parts: CallIntakeParts
  readonly #faults = createFaults()
  readonly #shares = new Map<string, Share>()
  /** Shares with a line, in the order in which they are served. */
  readonly #turns: Share[] = []
  #inFlight = 0
  #waiting = 0
  #bytes = 0
  /** Calls that began in this turn of the event loop. */
  #begun = 0
  #isTurnAwaited = false
  #perTurn = PER_TURN
  /** The last turn that began calls of the lines: when, how many, and the milliseconds that they took. */
  readonly #last = { at: 0, begun: 0, took: 0 }

  constructor(parts: CallIntakeParts) {
    this.#parts = parts
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting
  }

  get bytes(): number {
    return this.#bytes
  }

  begin(name: string, bytes: number, watch?: WatchClient): CallPlace | Promise<CallPlace> {
    const share = this.#shareOf(name)
    if (!fitsBound(share.inFlight, this.#inFlight, this.#parts.bounds.inFlight)) throw this.#shed('in_flight')
    if (this.#waiting > 0 || this.#begun >= PER_TURN) return this.#wait(share, bytes, watch)
    this.#takeBytes(share, bytes)
    this.#count(share, 1)
    this.#begun++
    this.#awaitTurn()
    return this.#placeOf(share, bytes)
  }

  #shareOf(name: string): Share {
    const known = this.#shares.get(name)
    if (known !== undefined) return known
    if (this.#shares.size >= MOST_IDLE)
      for (const [other, { inFlight }] of this.#shares) if (inFlight === 0) this.#shares.delete(other)
    const share: Share = { inFlight: 0, bytes: 0, line: new WaitingLine(), isInTurn: false }
    this.#shares.set(name, share)
    return share
  }

  #wait(share: Share, bytes: number, watch: WatchClient | undefined): Promise<CallPlace> {
    const { bounds, now } = this.#parts
    const { line } = share
    const since = now()
    if (!fitsBound(line.size, this.#waiting, bounds.waiting)) throw this.#shed('waiting')
    if (since - (line.first()?.since ?? since) > bounds.wait) throw this.#shed('wait')
    const { promise, resolve, reject } = Promise.withResolvers<CallPlace>()
    const refuseWaiting = (fault: Fault) => {
      this.#count(share, -1)
      reject(fault)
    }
    const entry = line.push(() => {
      stopWatching?.()
      this.#waiting--
      try {
        if (now() - since > STALE * bounds.wait) throw this.#shed('wait')
        this.#takeBytes(share, bytes)
        resolve(this.#placeOf(share, bytes))
      } catch (thrown) {
        refuseWaiting(Fault.of(thrown))
      }
    }, since)
    this.#count(share, 1)
    this.#waiting++
    this.#serve(share)
    this.#awaitTurn()
    const stopWatching = watch?.(() => {
      if (entry.isGone) return
      line.leave(entry)
      this.#waiting--
      refuseWaiting(new Fault('call.cancelled'))
    })
    return promise
  }

  #placeOf(share: Share, bytes: number): CallPlace {
    let taken = bytes
    let isOver = false
    return {
      hold: (more) => {
        if (isOver) return
        this.#takeBytes(share, more)
        taken += more
      },
      end: () => {
        if (isOver) return
        isOver = true
        share.bytes -= taken
        this.#bytes -= taken
        this.#count(share, -1)
      },
    }
  }

  #takeBytes(share: Share, bytes: number): void {
    if (bytes > 0 && !fitsBound(share.bytes, this.#bytes, this.#parts.bounds.bytes, bytes)) throw this.#shed('bytes')
    share.bytes += bytes
    this.#bytes += bytes
  }

  #count(share: Share, by: 1 | -1): void {
    share.inFlight += by
    this.#inFlight += by
  }

  #serve(share: Share): void {
    if (share.isInTurn || share.line.size === 0) return
    share.isInTurn = true
    this.#turns.push(share)
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return
    this.#isTurnAwaited = true
    this.#parts.nextTurn(this.#turn)
    this.#parts.nextTurn(this.#afterTurn)
  }

  readonly #turn = (): void => {
    const now = this.#parts.now()
    this.#isTurnAwaited = false
    this.#pace(now)
    this.#begun = 0
    this.#beginWaiting()
    Object.assign(this.#last, { at: now, begun: this.#begun, took: 0 })
  }

  /** The calls that began in this turn have run until they wait for something. */
  readonly #afterTurn = (): void => {
    if (this.#last.took === 0) this.#last.took = this.#parts.now() - this.#last.at
    if (this.#begun > 0 || this.#waiting > 0) this.#awaitTurn()
  }

  /** How many calls begin in this turn: so that calls are not starved by the refusal of others. */
  #pace(now: number): void {
    const { at, begun, took } = this.#last
    const factor = begun < this.#perTurn || took <= 0 ? 0 : (OF_TIME * (now - at)) / took
    const target = Math.round(this.#perTurn * Math.min(2, Math.max(0.5, factor)))
    this.#perTurn = Math.min(MOST_PER_TURN, Math.max(PER_TURN, target))
  }

  /** One call of each share after the other. */
  #beginWaiting(): void {
    while (this.#begun < this.#perTurn) {
      const share = this.#turns.shift()
      if (share === undefined) break
      share.isInTurn = false
      const entry = share.line.shift()
      this.#serve(share)
      if (entry === undefined) continue
      this.#begun++
      entry.value()
    }
  }

  #shed(reason: ShedReason): Fault {
    this.#parts.onShed(reason)
    return this.#faults[reason]
  }
}

/** Made once: a stack trace for each of them would cost a good part of what is saved by not taking the call in. */
const createFaults = (): Readonly<Record<ShedReason, Fault>> => ({
  in_flight: new Fault('gateway.busy', { problem: 'too many calls are in progress' }),
  waiting: new Fault('gateway.busy', { problem: 'too many calls are waiting for their turn' }),
  wait: new Fault('gateway.busy', { problem: 'calls are waiting too long for their turn' }),
  bytes: new Fault('gateway.busy', { problem: 'the requests in progress have too many bytes' }),
})

/** Whether a share may have so many more of a bound, of which all shares together have `taken`: who has nothing may have what is left. */
const fitsBound = (own: number, taken: number, bound: number, more = 1): boolean => {
  const free = bound - taken - more
  return free >= 0 && (own === 0 || own + more <= OF_FREE * free)
}
