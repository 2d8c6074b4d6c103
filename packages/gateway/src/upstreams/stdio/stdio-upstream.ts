/**
 * An MCP server as a child process: started on the first ask, kept between asks, started again after it ended.
 */
import { Fault } from '@toolway/contract'
import { eraOf, MODERN, writeEnvelope, type Notification } from '@toolway/protocol'
import { ChildLife, type ChildLifeParts } from './child-life.ts'
import { ChildOver } from './start-child.ts'
import { createBreaker } from '../breaker.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type ListKind,
  type ServerInfo,
  type Upstream,
} from '../upstream.ts'
import { callOn, changedList, NOBODY, type Channel } from '@toolway/protocol/client'
import { createChildListening } from './child-listening.ts'
import { askWithoutRoots, createOwnChildren, withoutRoots } from './own-children.ts'
import { createSandboxHints } from './sandbox-hints.ts'
import { START_TIMEOUT_SECONDS } from './greet-child.ts'

/** How long the gateway itself waits for a start: few children start at once, and one of many waits for its turn. Seconds. */
const TURN_TIMEOUT = 600
/** A child that works on nothing answers at once: how long it may take, in seconds, and how often in a row it may be silent. */
const CHECK = { seconds: 10, silences: 2 }

export interface StdioUpstreamParts extends ChildLifeParts {
  /** Hears the hints about the sandbox of that child of the connection, in sentences with the mend. */
  onHints?(child: string, sentences: readonly string[]): void
}

/** A shared child, and few of their own for callers who can be asked. Only the shared one says how the connection fares, and its era. */
export const createStdioUpstream = (parts: StdioUpstreamParts): Upstream =>
  createOwnChildren({
    shared: createChildUpstream(parts),
    alias: parts.reach.alias,
    patience: START_TIMEOUT_SECONDS,
    open: (own, revision) =>
      createChildUpstream({ ...parts, reach: { ...parts.reach, revision }, onRevision() {}, onStateChange() {}, own }),
  })

const createChildUpstream = (parts: StdioUpstreamParts): Upstream => new ChildUpstream(parts)

class ChildUpstream implements Upstream {
  readonly #reach
  readonly #ids
  readonly #own
  readonly #heard
  readonly #hints
  readonly #closing = new AbortController()
  readonly #life: ChildLife
  readonly #breaker
  #underWay = 0
  #silences = 0
  #checkedAt: number | undefined

  constructor(parts: StdioUpstreamParts) {
    this.#reach = parts.reach
    this.#ids = parts.ids
    this.#own = parts.own
    this.#heard = createChildListening({ ids: this.#ids, timeout: this.#reach.timeout })
    this.#hints = createSandboxHints({
      alias: this.#reach.alias,
      onHints: (sentences) => parts.onHints?.(`${parts.account ?? ''} ${parts.own?.owner ?? ''}`, sentences),
    })
    this.#breaker = createBreaker({
      alias: this.#reach.alias,
      patience: this.#reach.timeout * 1000,
      now: Date.now,
      onStateChange: parts.onStateChange,
    })
    this.#life = new ChildLife({
      ...parts,
      onGreeted: (child) => this.#hints.attach(child),
      onStarted: (started) => {
        this.#breaker.answered(this.#breaker.turn)
        this.#silences = 0
        this.#heard.attach(started)
      },
      onNotification: (notification) => this.#heard.hear(notification),
    })
  }

  async ask(request: Ask): Promise<Answer> {
    const isOurs = request.owner === GATEWAY
    const refusal = isOurs || this.#breaker.closed ? undefined : this.#breaker.admit()
    if (refusal !== undefined) throw refusal
    const { child, channel, serverInfo, level } =
      this.#life.running ?? (await this.#life.opened(request.signal, START_TIMEOUT_SECONDS))
    if (this.#own !== undefined) await level.ensure((request.session ?? request).caller.logLevel)
    const { turn } = this.#breaker
    // One that may take its time says nothing of how busy the child is.
    const working = !isOurs && request.patient !== true
    if (working) this.#underWay++
    try {
      const answer = await this.#send(channel, request, serverInfo)
      this.#breaker.answered(turn)
      if (!isOurs) {
        this.#life.failures.restarts.served()
        if ('error' in answer || answer.result['isError'] === true) this.#hints.look(child, answer)
      }
      return answer
    } catch (thrown) {
      // A child that ends is started again by its own rules.
      if (!(thrown instanceof Fault && thrown.code === 'upstream.lost')) this.#breaker.failed(turn, thrown)
      throw endedFor(this.#reach.alias, thrown) ?? thrown
    } finally {
      if (working) this.#underWay--
    }
  }

  #send(channel: Channel, request: Ask, { revision }: ServerInfo): Promise<Answer> {
    const era = eraOf(revision)
    // Requests of a child are accepted during these calls, if the whole channel belongs to one caller.
    const asks = this.#own !== undefined && ASKING.has(request.method)
    return callOn(channel, this.#ids(), request, {
      era,
      caller: era === 'modern' ? withoutRoots(request.caller) : request.caller,
      timeout: this.#reach.timeout,
      onQuestion: asks ? (question) => askWithoutRoots(request, question) : undefined,
    })
  }

  /** One that works on a call may be unable to answer anything else: the limit of that call judges it then. */
  async check(signal: AbortSignal): Promise<boolean> {
    const { failures } = this.#life
    if (failures.wait === undefined) throw failures.givenUp()
    const current = this.#life.running
    if (current === undefined || this.#underWay > 0) return current !== undefined
    const { channel, serverInfo } = current
    const modern = serverInfo.revision === MODERN
    const { turn } = this.#breaker
    try {
      await channel.call({
        id: this.#ids(),
        method: modern ? 'server/discover' : 'ping',
        params: modern ? writeEnvelope({}, NOBODY, undefined) : {},
        signal,
        timeout: CHECK.seconds,
      })
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'upstream.timeout') throw thrown
      if (this.#underWay > 0) return true
      if (++this.#silences >= CHECK.silences && this.#life.running === current)
        this.#life.endFor('it stopped responding and was stopped', current)
      throw thrown
    }
    this.#silences = 0
    this.#checkedAt = Date.now()
    this.#breaker.answered(turn)
    return true
  }

  async introduce(signal: AbortSignal) {
    return (await this.#life.opened(signal, TURN_TIMEOUT)).serverInfo
  }

  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal) {
    const tellChange = ({ method }: Notification, missed: boolean) => {
      const kind = changedList(method)
      if (kind !== undefined) onChange(kind, missed)
    }
    void this.#heard.listening.join({ lists: true, uris: [], tasks: [] }, tellChange, signal)
  }

  async listen({ uris, tasks, beside = false, signal: theirs, onNotification, onEnd }: Hearing) {
    const signal = AbortSignal.any([theirs, this.#closing.signal])
    this.#closing.signal.addEventListener('abort', onEnd, { once: true, signal: theirs })
    await this.#life.open()
    return this.#heard.listening.join({ lists: false, uris, tasks, beside }, onNotification, signal)
  }

  tell(_: Pick<Ask, 'session' | 'owner' | 'caller'>, { method, params }: Notification) {
    return this.#life.running?.channel.tell(method, params)
  }

  doubt() {
    this.#life.doubt()
  }

  forget() {}

  otherEra() {
    return this.#life.otherEra()
  }

  stop() {
    return this.#life.stop()
  }

  processes() {
    return [this.#life.state(this.#checkedAt)]
  }

  async close() {
    // No child is started from here on, whoever hears of the end.
    const gone = this.#life.close()
    this.#closing.abort()
    this.#hints.close()
    this.#heard.close()
    await gone
  }
}

/** To its caller it is said what a child was ended for; undefined where it went by itself. */
const endedFor = (connection: string, thrown: unknown): Fault | undefined =>
  thrown instanceof Fault && thrown.code === 'upstream.lost' && thrown.cause instanceof ChildOver
    ? new Fault('upstream.ended', { connection, problem: thrown.cause.why }, { cause: thrown })
    : undefined

/** Methods that a server may answer with a request of its own, and during which it may therefore send one. */
const ASKING = new Set(['tools/call', 'prompts/get', 'resources/read', 'tasks/result'])
