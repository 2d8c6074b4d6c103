/**
 * The life of a child: started on the first ask, kept between asks, started again after it ended, as often as its restarts allow. The
 * era is found on the running child; one that exits at the unknown request is started once more and spoken to in the legacy way.
 */
import { Fault } from '@toolway/contract'
import { MODERN, NEWEST_LEGACY, type Notification, type Revision } from '@toolway/protocol'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Child } from '../children/worker-link.ts'
import type { ProcessState } from '../upstream.ts'
import { waitFor } from '../wait-for.ts'
import { ChildFailures } from './child-failures.ts'
import { lateStart, startChild, type ChildEnd, type Running, type StartChildParts } from './start-child.ts'

export interface ChildLifeParts extends StartChildParts {
  onRevision(revision: Revision): void
  /** It is not started any more, or its calls are refused, because of this; undefined when calls are let through again. */
  onStateChange(failure: Fault | undefined): void
  /** It ended without being told to. */
  onCrash?(): void
}

interface ChildUse extends ChildLifeParts {
  onGreeted(child: Child): void
  onStarted(running: Running): void
  onNotification(notification: Notification): void
}

export class ChildLife {
  readonly #parts: ChildUse
  readonly #reach
  readonly #starting = createSingleFlight<'child', Running>()
  readonly #ending = createSingleFlight<'child', void>()
  readonly failures: ChildFailures
  #running: Running | undefined
  #greeting: Child | undefined
  #known
  #again: NodeJS.Timeout | undefined
  /** Why it is being ended, where that is our doing. */
  #sentence: string | undefined
  #closed = false

  constructor(parts: ChildUse) {
    this.#parts = parts
    this.#reach = parts.reach
    this.failures = new ChildFailures(this.#reach.alias)
    this.#known = parts.reach.revision
  }

  get running(): Running | undefined {
    return this.#running
  }

  open(): Promise<Running> | Running {
    if (this.#closed) throw new Fault('upstream.disabled', { connection: this.#reach.alias })
    return this.#running ?? this.#starting('child', this.#startUp)
  }

  async opened(signal: AbortSignal, seconds: number): Promise<Running> {
    return (
      this.#running ??
      waitFor(Promise.resolve(this.open()), { alias: this.#reach.alias, seconds, signal }).catch((thrown: unknown) => {
        throw this.#greeting === undefined ? thrown : lateStart(this.#reach.alias, thrown, this.#greeting)
      })
    )
  }

  #start(revision: Revision | undefined): Promise<Running> {
    return startChild(this.#parts, revision, {
      onBorn: async (child) => {
        this.#greeting = child
        // The connection went while its child was waiting for its turn to start: nobody would hear a greeting.
        if (this.#closed) await this.#refuse(child)
      },
      onGreeted: (child) => {
        this.#greeting = undefined
        this.#parts.onGreeted(child)
      },
      onNotification: (notification) => this.#parts.onNotification(notification),
      takeSentence: () => {
        const sentence = this.#sentence
        this.#sentence = undefined
        return sentence
      },
      onEnd: (child, end) => this.#ended(child, end),
    })
  }

  async #refuse(child: Child): Promise<never> {
    await child.stop()
    throw new Fault('upstream.disabled', { connection: this.#reach.alias })
  }

  #ended(child: Child, { problem, cause, code }: ChildEnd): void {
    this.failures.note(problem, cause)
    if (this.#running?.child !== child) return
    this.#running = undefined
    // One that ends with code 0 wanted to: it is started when it is asked next.
    this.#fail(code !== 0)
  }

  /** It ended, or did not start: it is started again when it may be, or given up. */
  #fail(eager: boolean): void {
    if (this.#closed) return
    this.#parts.onCrash?.()
    this.failures.restarts.failed()
    const { wait } = this.failures
    if (wait === undefined) return this.#parts.onStateChange(this.failures.givenUp())
    clearTimeout(this.#again)
    // A child of one caller's own is started when that one asks.
    if (eager && this.#parts.own === undefined)
      this.#again = setTimeout(() => void Promise.resolve(this.open()).catch(() => {}), wait).unref()
  }

  readonly #startUp = async (): Promise<Running> => {
    this.failures.refuseStart()
    try {
      const started = await this.#start(this.#known).catch((thrown: unknown) => {
        const exited = thrown instanceof Fault && thrown.code === 'upstream.lost'
        if (this.#known !== undefined || !exited || this.#closed) throw thrown
        return this.#start(NEWEST_LEGACY)
      })
      // The connection went while its child was starting: nobody else would ever stop it.
      if (this.#closed) await this.#refuse(started.child)
      this.#known = started.serverInfo.revision
      this.#parts.onRevision(this.#known)
      this.failures.restarts.started()
      this.#running = started
      this.#parts.onStarted(started)
      return started
    } catch (thrown) {
      const fault = this.failures.wordStart(thrown)
      this.#fail(true)
      // A sync that waited for the last start stores this reason, too: the same that `onStateChange` was given.
      throw this.failures.wait === undefined ? this.failures.givenUp() : fault
    }
  }

  /** @param checkedAt when it was last asked whether it is there */
  state(checkedAt: number | undefined): ProcessState {
    const { count, wait, problem } = this.failures
    const isFailing = count > 0
    const isStarting = this.#starting.isUnderWay('child')
    const resting = wait === undefined ? 'error' : isFailing ? 'restarting' : 'stopped'
    const status =
      this.#running !== undefined ? 'running' : !isStarting ? resting : isFailing ? 'restarting' : 'starting'
    return {
      status,
      pid: this.#running?.child.pid,
      ofOneCaller: this.#parts.own !== undefined,
      startedAt: this.#running?.since,
      checkedAt,
      usedAt: undefined,
      uses: undefined,
      failures: count,
      problem: status === 'running' || problem === '' ? undefined : problem,
    }
  }

  doubt(): void {
    if (!this.#reach.pinned && this.#running === undefined) this.#known = undefined
  }

  otherEra() {
    if (this.#reach.pinned) return 'pinned'
    return this.#known === MODERN ? 'possible' : 'none'
  }

  /** Ends this child for a reason of ours; it is started again by its rules. */
  endFor(sentence: string, { child }: Running): void {
    this.#sentence = sentence
    void child.stop()
  }

  /**
   * Ends the child, also during its handshake; that is not counted as a failure of the child. Concurrent callers wait for the
   * same end.
   */
  stop() {
    return this.#ending('child', this.#end)
  }

  readonly #end = async (): Promise<void> => {
    await this.#greeting?.stop()
    if (this.#starting.isUnderWay('child')) await this.#starting('child', this.#startUp).catch(() => {})
    clearTimeout(this.#again)
    const last = this.#running
    this.#running = undefined
    if (last === undefined) return
    this.#sentence = 'it was stopped by an administrator'
    await last.child.stop()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#again)
    const last = this.#running
    this.#running = undefined
    await last?.child.stop()
    // One that is still being greeted may never answer: its end fails the greeting at once.
    await this.#greeting?.stop()
    if (this.#starting.isUnderWay('child')) await this.#starting('child', this.#startUp).catch(() => {})
  }
}
