/**
 * How many calls a connection's server is sent at once, and who waits for a place among them.
 *
 * A call waits here, before anything is sent, and not in the queue of an HTTP client: there the wait would count as the server's
 * silence, and a call whose time is over would still be sent. Each connection has places of its own, so no organization takes those of
 * another at the same server. The places are those of one process.
 */
import { Fault } from '@toolway/contract'

/** Calls that may wait for each place: with calls of equal length, the last one waits as long as so many of them take. */
const WAITING_PER_PLACE = 4

export interface PlaceRequest {
  readonly connectionId: string
  readonly alias: string
  /** Seconds that the call may wait. */
  readonly seconds: number
  readonly signal: AbortSignal
}

export interface ServerPlaces {
  /**
   * Undefined where a place was free, else a promise of one. `leave` gives it back, once. Rejects with `connection.busy` where too many
   * wait or the time is over, and with the reason of the signal; nothing is to be given back then.
   */
  take(request: PlaceRequest): Promise<void> | undefined
  leave(connectionId: string): void
  /** Calls that wait, at all connections. */
  readonly waiting: number
}

interface Waiter {
  /** Milliseconds. */
  readonly since: number
  begin(): void
}

interface Line {
  /** Places that are taken. */
  taken: number
  /** In the order in which they came. */
  readonly waiters: Set<Waiter>
}

export const createServerPlaces = (most: number): ServerPlaces => new PlacesOfProcess(most)

class PlacesOfProcess implements ServerPlaces {
  readonly #most
  /** Of the connections that are called at this moment. */
  readonly #lines = new Map<string, Line>()
  #waiting = 0

  constructor(most: number) {
    this.#most = most
  }

  get waiting(): number {
    return this.#waiting
  }

  take(request: PlaceRequest): Promise<void> | undefined {
    const line = this.#lines.get(request.connectionId)
    if (line === undefined) this.#lines.set(request.connectionId, { taken: 1, waiters: new Set() })
    else if (line.taken < this.#most) line.taken++
    else if (line.waiters.size >= this.#most * WAITING_PER_PLACE) return Promise.reject(this.#busy(line, request))
    else return this.#wait(line, request)
    return undefined
  }

  leave(connectionId: string): void {
    const line = this.#lines.get(connectionId)
    if (line === undefined) return
    const [next] = line.waiters
    if (next !== undefined) next.begin()
    else if (--line.taken === 0) this.#lines.delete(connectionId)
  }

  #wait(line: Line, request: PlaceRequest): Promise<void> {
    const { signal, seconds } = request
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leavePlace)
        line.waiters.delete(waiter)
        this.#waiting--
      }
      const giveUp = (reason: Fault) => {
        end()
        reject(reason)
      }
      const leavePlace = () => giveUp(this.#reasonOf(signal.reason, line, request))
      const waiter: Waiter = {
        since: performance.now(),
        begin() {
          end()
          resolve()
        },
      }
      const timer = setTimeout(() => giveUp(this.#busy(line, request)), seconds * 1000)
      line.waiters.add(waiter)
      this.#waiting++
      signal.addEventListener('abort', leavePlace, { once: true })
      if (signal.aborted) leavePlace()
    })
  }

  #reasonOf(reason: unknown, line: Line, request: PlaceRequest): Fault {
    if (reason instanceof Fault) return reason
    const isTimeout = reason instanceof Error && reason.name === 'TimeoutError'
    return isTimeout ? this.#busy(line, request) : new Fault('call.cancelled')
  }

  /** A repeated call waits about as long as the first call in line has waited by now. */
  #busy({ taken, waiters }: Line, { alias }: PlaceRequest): Fault {
    const [first] = waiters
    const waited = first === undefined ? 0 : performance.now() - first.since
    return new Fault('connection.busy', {
      connection: alias,
      taken,
      waiting: waiters.size,
      seconds: Math.max(1, Math.ceil(waited / 1000)),
    })
  }
}
