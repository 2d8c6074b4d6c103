/**
 * An MCP server as a child process: started on the first ask, kept between asks, started again after it ended.
 *
 * The era is found on the running child (greet-child.ts). A child that exits at the unknown request is started once more and spoken
 * to in the legacy way.
 */
import { Fault } from '@toolway/contract'
import {
  eraOf,
  MODERN,
  NEWEST_LEGACY,
  isObject,
  writeEnvelope,
  type Notification,
  type Revision,
} from '@toolway/protocol'
import type { Child, Children } from '../children/worker-link.ts'
import { createBreaker } from '../breaker.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type ListKind,
  type ServerInfo,
  type ProcessState,
  type Upstream,
  type ReachOf,
  type ProcessTarget,
} from '../upstream.ts'
import { hasSecretForm, isTellingName, secretValues } from '@toolway/contract/secret-marks'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createMask } from '../children/mask.ts'
import { SHORTEST_IN_RESULTS_CHARACTERS } from '../http/reach-mask.ts'
import {
  callOn,
  changedList,
  createChannel,
  createLogLevel,
  NOBODY,
  type Channel,
  type LogLevel,
} from '@toolway/protocol/client'
import { createChildListening } from './child-listening.ts'
import { askWithoutRoots, createOwnChildren, withoutRoots, type OwnChild } from './own-children.ts'
import { ProgramSaid, tellingLine, type Withheld } from '../program-report.ts'
import { createSandboxHints, networkWords } from './sandbox-hints.ts'
import { waitFor } from '../wait-for.ts'
import { greetChild, START_TIMEOUT_SECONDS } from './greet-child.ts'
import { createRestarts } from './restarts.ts'

/** How long the gateway itself waits for a start: few children start at once, and one of many waits for its turn. Seconds. */
const TURN_TIMEOUT = 600
/** A child that works on nothing answers at once: how long it may take, in seconds, and how often in a row it may be silent. */
const CHECK = { seconds: 10, silences: 2 }

export interface StdioUpstreamParts {
  readonly reach: ReachOf<ProcessTarget>
  readonly ids: () => number
  readonly children: Pick<Children, 'start'>
  onRevision(revision: Revision): void
  onNoise(line: string): void
  /** It is not started any more, or its calls are refused, because of this; undefined when calls are let through again. */
  onTurn(failure: Fault | undefined): void
  /** It ended without being told to. */
  onCrash?(): void
  /** Hears the hints about the sandbox of that child of the connection, in sentences with the mend. */
  onHints?(child: string, sentences: readonly string[]): void
  /** The account whose credential is in its environment. It has a folder of its own. */
  readonly account?: string
  /** One caller's own child: who it is, and what it can be asked. Otherwise it serves everybody, and nobody can be asked. */
  readonly own?: OwnChild
}

interface Running {
  readonly child: Child
  readonly channel: Channel
  readonly serverInfo: ServerInfo
  readonly level: LogLevel
  readonly since: number
}

/** A shared child, and few of their own for callers who can be asked. Only the shared one says how the connection fares, and its era. */
export const createStdioUpstream = (parts: StdioUpstreamParts): Upstream =>
  createOwnChildren({
    shared: createChildUpstream(parts),
    alias: parts.reach.alias,
    patience: START_TIMEOUT_SECONDS,
    open: (own, revision) =>
      createChildUpstream({ ...parts, reach: { ...parts.reach, revision }, onRevision() {}, onTurn() {}, own }),
  })

const createChildUpstream = (parts: StdioUpstreamParts): Upstream => new ChildUpstream(parts)

class ChildUpstream implements Upstream {
  readonly #parts: StdioUpstreamParts
  readonly #reach
  readonly #ids
  readonly #own
  readonly #heard
  readonly #hints
  readonly #closing = new AbortController()
  readonly #starting = createSingleFlight<'child', Running>()
  readonly #ending = createSingleFlight<'child', void>()
  #running: Running | undefined
  #greeting: Child | undefined
  #known
  readonly #restarts = createRestarts({ now: Date.now })
  readonly #breaker
  #again: NodeJS.Timeout | undefined
  #underWay = 0
  #silences = 0
  #checkedAt: number | undefined
  /** Why it is being ended, where that is our doing. */
  #sentence: string | undefined
  #lastProblem = ''
  #lastCause: ProgramSaid | undefined
  #closed = false

  constructor(parts: StdioUpstreamParts) {
    this.#parts = parts
    this.#reach = parts.reach
    this.#ids = parts.ids
    this.#own = parts.own
    this.#heard = createChildListening({ ids: this.#ids, timeout: this.#reach.timeout })
    this.#hints = createSandboxHints({
      alias: this.#reach.alias,
      onHints: (sentences) => parts.onHints?.(`${parts.account ?? ''} ${parts.own?.owner ?? ''}`, sentences),
    })
    this.#known = this.#reach.revision
    this.#breaker = createBreaker({
      alias: this.#reach.alias,
      patience: this.#reach.timeout * 1000,
      now: Date.now,
      onTurn: this.#parts.onTurn,
    })
  }

  async #start(revision: Revision | undefined): Promise<Running> {
    const child = await this.#parts.children.start({
      // The connection's own folder, and its account's and caller's: two organizations may use the same alias.
      name: [this.#reach.alias, this.#reach.connectionId, this.#parts.account, this.#own?.owner]
        .filter((part) => part !== undefined)
        .join('.'),
      alias: this.#reach.alias,
      ...this.#reach.wire,
    })
    this.#greeting = child
    // The connection went while its child was waiting for its turn to start: nobody would hear a greeting.
    if (this.#closed) {
      await child.stop()
      throw new Fault('upstream.disabled', { connection: this.#reach.alias })
    }
    const channel = createChannel({
      alias: this.#reach.alias,
      hide: hidingOf(this.#reach.wire),
      owned: this.#own !== undefined,
      send: (line) =>
        child.send(line).catch((thrown: unknown) => {
          throw new Fault('upstream.busy', { connection: this.#reach.alias }, { cause: thrown })
        }),
      onNoise: this.#parts.onNoise,
      onNotification: (notification) => this.#heard.hear(notification),
    })
    let ended: Fault | undefined
    child.onLine((line) => channel.receive(line))
    child.onExit(({ code, signal, reason, stderr, withheld }) => {
      const wasRunning = this.#running?.child === child
      const how =
        this.#sentence ??
        OVER[reason] ??
        (signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`)
      this.#sentence = undefined
      this.#lastProblem = how
      // A child's output may contain a secret: it is a cause for operators, and not part of the fault that callers read.
      const over = OVER[reason]
      const cause =
        over === undefined ? this.#said(how, { stderr, withheld, view: child.view() }) : new ChildOver(over, stderr)
      this.#lastCause = cause
      ended = new Fault('upstream.lost', { connection: this.#reach.alias }, { cause })
      channel.end(ended)
      if (wasRunning) {
        this.#running = undefined
        // One that ends with code 0 wanted to: it is started when it is asked next.
        this.#fail(code !== 0)
      }
    })
    try {
      const serverInfo = await greetChild(channel, revision, this.#parts)
      // Its last words and its end may arrive together.
      if (ended !== undefined) throw ended
      child.ready()
      this.#greeting = undefined
      this.#hints.attach(child)
      return { child, channel, serverInfo, level: this.#levelOf(channel, serverInfo), since: Date.now() }
    } catch (thrown) {
      await child.stop()
      throw this.#lateStart(thrown, child)
    }
  }

  /** One that never answered its greeting: what it said until it was ended tells why. */
  #lateStart(thrown: unknown, child: Child): unknown {
    if (!(thrown instanceof Fault && thrown.code === 'upstream.timeout')) return thrown
    const facts = { connection: this.#reach.alias, seconds: START_TIMEOUT_SECONDS }
    return new Fault('upstream.start', facts, {
      cause: this.#said('it did not respond', {
        ...{ stderr: child.stderr(), withheld: child.withheld(), view: child.view() },
      }),
    })
  }

  #said(how: string, { stderr, withheld, view }: LastWords): ProgramSaid {
    const network = networkWords(tellingLine(stderr), { view, alias: this.#reach.alias })
    const hosts = [...withheld.hosts, ...(network === undefined || withheld.hosts.length > 0 ? [] : [network])]
    return new ProgramSaid(how, stderr, { ...withheld, hosts })
  }

  /** It ended, or did not start: it is started again when it may be, or given up. */
  #fail(eager: boolean): void {
    if (this.#closed) return
    this.#parts.onCrash?.()
    this.#restarts.failed()
    const wait = this.#restarts.wait()
    if (wait === undefined) return this.#parts.onTurn(this.#givenUp())
    clearTimeout(this.#again)
    // A child of one caller's own is started when that one asks.
    if (eager && this.#own === undefined)
      this.#again = setTimeout(() => void Promise.resolve(this.#open()).catch(() => {}), wait).unref()
  }

  #givenUp() {
    return new Fault(
      'upstream.given-up',
      { connection: this.#reach.alias, failures: this.#restarts.failures, problem: this.#lastProblem },
      { cause: this.#lastCause },
    )
  }

  #refuseStart(): void {
    const wait = this.#restarts.wait()
    if (wait === undefined) throw this.#givenUp()
    if (wait === 0) return
    const problem = `${this.#lastProblem}; next start in ${Math.ceil(wait / 1000)} s`
    throw new Fault('upstream.unreachable', { connection: this.#reach.alias, problem }, { cause: this.#lastCause })
  }

  readonly #startUp = async (): Promise<Running> => {
    this.#refuseStart()
    try {
      const started = await this.#start(this.#known).catch((thrown: unknown) => {
        const exited = thrown instanceof Fault && thrown.code === 'upstream.lost'
        if (this.#known !== undefined || !exited || this.#closed) throw thrown
        return this.#start(NEWEST_LEGACY)
      })
      // The connection went while its child was starting: nobody else would ever stop it.
      if (this.#closed) {
        await started.child.stop()
        throw new Fault('upstream.disabled', { connection: this.#reach.alias })
      }
      this.#known = started.serverInfo.revision
      this.#parts.onRevision(this.#known)
      this.#restarts.started()
      this.#breaker.answered(this.#breaker.turn)
      this.#silences = 0
      this.#running = started
      this.#heard.attach(started)
      return started
    } catch (thrown) {
      const fault = this.#wordStart(thrown)
      this.#fail(true)
      // A sync that waited for the last start stores this reason, too: the same that `onTurn` was given.
      throw this.#restarts.wait() === undefined ? this.#givenUp() : fault
    }
  }

  #wordStart(thrown: unknown): Fault {
    if (thrown instanceof Fault && thrown.code !== 'upstream.lost') {
      this.#lastProblem = thrown.message
      this.#lastCause = thrown.cause instanceof ProgramSaid ? thrown.cause : undefined
      return thrown
    }
    // The worker words what an operating system says: no such command, no permission.
    if (!(thrown instanceof Fault)) this.#lastProblem = thrown instanceof Error ? thrown.message : String(thrown)
    return new Fault(
      'upstream.unreachable',
      { connection: this.#reach.alias, problem: this.#lastProblem },
      { cause: thrown },
    )
  }

  #open(): Promise<Running> | Running {
    if (this.#closed) throw new Fault('upstream.disabled', { connection: this.#reach.alias })
    return this.#running ?? this.#starting('child', this.#startUp)
  }

  async #opened(signal: AbortSignal, seconds: number): Promise<Running> {
    return (
      this.#running ??
      waitFor(Promise.resolve(this.#open()), { alias: this.#reach.alias, seconds, signal }).catch((thrown: unknown) => {
        throw this.#greeting === undefined ? thrown : this.#lateStart(thrown, this.#greeting)
      })
    )
  }

  async ask(request: Ask): Promise<Answer> {
    const isOurs = request.owner === GATEWAY
    const refusal = isOurs || this.#breaker.closed ? undefined : this.#breaker.admit()
    if (refusal !== undefined) throw refusal
    const { child, channel, serverInfo, level } =
      this.#running ?? (await this.#opened(request.signal, START_TIMEOUT_SECONDS))
    if (this.#own !== undefined) await level.ensure((request.session ?? request).caller.logLevel)
    const { turn } = this.#breaker
    // One that may take its time says nothing of how busy the child is.
    const working = !isOurs && request.patient !== true
    if (working) this.#underWay++
    try {
      const answer = await this.#send(channel, request, serverInfo)
      this.#breaker.answered(turn)
      if (!isOurs) {
        this.#restarts.served()
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
    if (this.#restarts.wait() === undefined) throw this.#givenUp()
    const current = this.#running
    if (current === undefined || this.#underWay > 0) return current !== undefined
    const { channel, serverInfo, child } = current
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
      if (++this.#silences >= CHECK.silences && this.#running === current) {
        this.#sentence = 'it stopped responding and was stopped'
        void child.stop()
      }
      throw thrown
    }
    this.#silences = 0
    this.#checkedAt = Date.now()
    this.#breaker.answered(turn)
    return true
  }

  #state(): ProcessState {
    const isFailing = this.#restarts.failures > 0
    const isStarting = this.#starting.isUnderWay('child')
    const resting = this.#restarts.wait() === undefined ? 'error' : isFailing ? 'restarting' : 'stopped'
    const status =
      this.#running !== undefined ? 'running' : !isStarting ? resting : isFailing ? 'restarting' : 'starting'
    return {
      status,
      pid: this.#running?.child.pid,
      ofOneCaller: this.#own !== undefined,
      startedAt: this.#running?.since,
      checkedAt: this.#checkedAt,
      usedAt: undefined,
      uses: undefined,
      failures: this.#restarts.failures,
      problem: status === 'running' || this.#lastProblem === '' ? undefined : this.#lastProblem,
    }
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

  #levelOf(channel: Channel, { revision, capabilities }: ServerInfo): LogLevel {
    return createLogLevel(undefined, async (level) => {
      if (eraOf(revision) === 'modern' || !isObject(capabilities['logging'])) return
      const signal = AbortSignal.timeout(LEVEL_PATIENCE_MS)
      await channel.call({
        id: this.#ids(),
        method: 'logging/setLevel',
        params: { level },
        signal,
        timeout: this.#reach.timeout,
      })
    })
  }

  async introduce(signal: AbortSignal) {
    return (await this.#opened(signal, TURN_TIMEOUT)).serverInfo
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
    await this.#open()
    return this.#heard.listening.join({ lists: false, uris, tasks, beside }, onNotification, signal)
  }

  tell(_: Pick<Ask, 'session' | 'owner' | 'caller'>, { method, params }: Notification) {
    return this.#running?.channel.tell(method, params)
  }

  doubt() {
    if (!this.#reach.pinned && this.#running === undefined) this.#known = undefined
  }

  forget() {}

  otherEra() {
    if (this.#reach.pinned) return 'pinned'
    return this.#known === MODERN ? 'possible' : 'none'
  }

  processes() {
    return [this.#state()]
  }

  async close() {
    this.#closed = true
    clearTimeout(this.#again)
    this.#closing.abort()
    this.#hints.close()
    this.#heard.close()
    const last = this.#running
    this.#running = undefined
    await last?.child.stop()
    // One that is still being greeted may never answer: its end fails the greeting at once.
    await this.#greeting?.stop()
    if (this.#starting.isUnderWay('child')) await this.#starting('child', this.#startUp).catch(() => {})
  }
}

/** The last facts about a child that ended or does not answer. */
interface LastWords {
  readonly stderr: readonly string[]
  readonly withheld: Withheld
  readonly view: ReturnType<Child['view']>
}

/** A child that was ended for what it did. */
class ChildOver extends ProgramSaid {
  readonly why: string

  constructor(why: string, stderr: readonly string[]) {
    super(why, stderr)
    this.why = why
  }
}

/** To its caller it is said what a child was ended for; undefined where it went by itself. */
const endedFor = (connection: string, thrown: unknown): Fault | undefined =>
  thrown instanceof Fault && thrown.code === 'upstream.lost' && thrown.cause instanceof ChildOver
    ? new Fault('upstream.ended', { connection, problem: thrown.cause.why }, { cause: thrown })
    : undefined

/** Methods that a server may answer with a request of its own, and during which it may therefore send one. */
const ASKING = new Set(['tools/call', 'prompts/get', 'resources/read', 'tasks/result'])
const LEVEL_PATIENCE_MS = 1_000

/** Reasons for which a child is ended. */
const OVER: Readonly<Record<string, string>> = {
  LINE_TOO_LONG: 'it printed a line that is longer than the limit, and was stopped',
  TOO_MUCH_MEMORY: 'it used more memory than its limit, and was stopped',
}

/** Takes the secrets of its variables and arguments out of all that a program says; undefined where it has none. */
function hidingOf({ environment, args }: StdioUpstreamParts['reach']['wire']): ((text: string) => string) | undefined {
  const secrets = Object.entries(environment).filter(([name, value]) => isTellingName(name) || hasSecretForm(value))
  const hidden = secretValues(args)
  if (secrets.length === 0 && hidden.length === 0) return undefined
  return createMask(Object.fromEntries(secrets), hidden, SHORTEST_IN_RESULTS_CHARACTERS)
}
