/** Which sessions of a legacy server are lost, where an answer leaves it in doubt: it is found out by a ping in a new session. */
import type { LegacySession, SessionDoubt } from '@toolway/protocol/client'
import type { ConnectionPool, Holder } from '../session-pool.ts'

/** How long a sign that says nothing is not looked into again, in milliseconds, and how many such signs are kept. */
const NOTHING_FOR_MS = 10 * 60_000
const MOST_SIGNS = 50

/** A session with its holder, and what opens another one for that holder. */
export interface Held {
  readonly holder: Holder
  readonly session: LegacySession
  readonly open: () => Promise<LegacySession>
}

/** The sessions of the connection in the pool. */
type Place = Pick<ConnectionPool<LegacySession>, 'lose' | 'use'>

export class SessionTrials {
  readonly #place: Place
  readonly #deadline: () => AbortSignal
  /** Sessions in doubt that are being tried. */
  readonly #trials = new WeakMap<LegacySession, Promise<boolean>>()
  readonly #gone = new WeakSet<LegacySession>()
  /** Signs that a ping of this server also gives in a new session, and since when. */
  readonly #signsOfNothing = new Map<string, number>()

  constructor(place: Place, deadline: () => AbortSignal) {
    this.#place = place
    this.#deadline = deadline
  }

  /** Tries each session once, for all requests that fail in it at the same time. */
  isLost(waiting: Held, doubt: SessionDoubt): Promise<boolean> {
    if (this.#gone.has(waiting.session)) return Promise.resolve(true)
    const known = this.#trials.get(waiting.session)
    if (known !== undefined) return known
    const trial = this.#try(waiting, doubt).finally(() => this.#trials.delete(waiting.session))
    this.#trials.set(waiting.session, trial)
    return trial
  }

  /** A ping that fails in a new session, too, says nothing of the old one. A new session that is good takes its place. */
  async #try({ holder, session, open }: Held, { sign }: SessionDoubt): Promise<boolean> {
    const before = this.#signsOfNothing.get(sign)
    if (before !== undefined && Date.now() - before < NOTHING_FOR_MS) return false
    const fresh = await open().catch(() => undefined)
    if (fresh === undefined) return false
    const probed = await fresh.probe(this.#deadline())
    if (probed !== '') {
      void fresh.close()
      if (this.#signsOfNothing.size >= MOST_SIGNS) this.#signsOfNothing.clear()
      this.#signsOfNothing.set(sign, Date.now())
      return false
    }
    this.#gone.add(session)
    this.#place.lose(holder, session)
    // The pool tells the server nothing of a lost session; the pipe of one is closed here.
    if (session.attributes) void session.close()
    let isTaken = false
    const takeFresh = () => {
      isTaken = true
      return Promise.resolve(fresh)
    }
    await this.#place.use(holder, takeFresh, () => Promise.resolve()).catch(() => {})
    if (!isTaken) void fresh.close()
    return true
  }
}
