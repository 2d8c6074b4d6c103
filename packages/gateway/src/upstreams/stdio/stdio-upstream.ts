/**
 * An MCP server as a child process: started on the first ask, kept between asks, started again after it ended.
 *
 * The era is found on the running child: `server/discover` first, `initialize` too when that stays unanswered; whichever
 * succeeds first decides. A child that exits at the unknown request is started once more and spoken to in the legacy way.
 */
import { Fault } from '@toolway/contract'
import {
  eraOf,
  MODERN,
  NEWEST_LEGACY,
  isObject,
  writeEnvelope,
  type JsonObject,
  type Notification,
  type Revision,
} from '@toolway/protocol'
import type { Child, Children } from '../children/worker-link.ts'
import { createBreaker } from '../breaker.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type ServerInfo,
  type ProcessState,
  type Upstream,
  type ReachOf,
  type ProcessTarget,
} from '../upstream.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import {
  callOn,
  changedList,
  createChannel,
  createLogLevel,
  discoverOn,
  initializeOn,
  isGreetingRefused,
  NOBODY,
  OWN_CAPABILITIES,
  type Channel,
  type LogLevel,
} from '@toolway/protocol/client'
import { createChildListening } from './child-listening.ts'
import { askWithoutRoots, createOwnChildren, withoutRoots, type OwnChild } from './own-children.ts'
import { ProgramSaid } from '../program-said.ts'
import { waitFor } from '../wait.ts'
import { createRestarts } from './restarts.ts'

/** A first start may fetch a package; a running child answers at once. Seconds. */
const START_TIMEOUT = 60
/** How long the gateway itself waits for a start: few children start at once, and one of many waits for its turn. Seconds. */
const TURN_TIMEOUT = 600
const DISCOVER_PATIENCE = 3_000
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

/** A shared child, and few of their own for callers who can be asked. Only the shared one says how the connection fares. */
export const createStdioUpstream = (parts: StdioUpstreamParts): Upstream =>
  createOwnChildren({
    shared: createChildUpstream(parts),
    alias: parts.reach.alias,
    patience: START_TIMEOUT,
    open: (own, revision) => createChildUpstream({ ...parts, reach: { ...parts.reach, revision }, onTurn() {}, own }),
  })

function createChildUpstream(parts: StdioUpstreamParts): Upstream {
  const { reach, ids, children, onRevision, onNoise, onTurn, own } = parts
  const { wire } = reach
  const heard = createChildListening({ ids, timeout: reach.timeout })
  const closing = new AbortController()
  const starting = createSingleFlight<'child', Running>()
  const ending = createSingleFlight<'child', void>()
  let running: Running | undefined
  let greeting: Child | undefined
  let known = reach.revision
  const restarts = createRestarts({ now: Date.now })
  const breaker = createBreaker({ alias: reach.alias, patience: reach.timeout * 1000, now: Date.now, onTurn })
  let again: NodeJS.Timeout | undefined
  let underWay = 0
  let silences = 0
  let checkedAt: number | undefined
  /** Why it is being ended, where that is our doing. */
  let sentence: string | undefined
  let lastProblem = ''
  let lastCause: ProgramSaid | undefined
  let closed = false

  async function start(revision: Revision | undefined): Promise<Running> {
    const child = await children.start({
      // The connection's own folder, and its caller's: two organizations may use the same alias.
      name: [reach.alias, reach.connectionId, ...(own === undefined ? [] : [own.owner])].join('.'),
      ...wire,
    })
    greeting = child
    // The connection went while its child was waiting for its turn to start: nobody would hear a greeting.
    if (closed) {
      await child.stop()
      throw new Fault('upstream.disabled', { connection: reach.alias })
    }
    const channel = createChannel({
      alias: reach.alias,
      owned: own !== undefined,
      send: (line) =>
        child.send(line).catch((thrown: unknown) => {
          throw new Fault('upstream.busy', { connection: reach.alias }, { cause: thrown })
        }),
      onNoise,
      onNotification: heard.hear,
    })
    let ended: Fault | undefined
    child.onLine((line) => channel.receive(line))
    child.onExit(({ code, signal, reason, stderr }) => {
      const wasRunning = running?.child === child
      const how =
        sentence ?? OVER[reason] ?? (signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`)
      sentence = undefined
      lastProblem = how
      // A child's output may contain a secret: it is a cause for operators, and not part of the fault that callers read.
      const over = OVER[reason]
      const cause = over === undefined ? new ProgramSaid(how, stderr) : new ChildOver(over, stderr)
      lastCause = cause
      ended = new Fault('upstream.lost', { connection: reach.alias }, { cause })
      channel.end(ended)
      if (wasRunning) {
        running = undefined
        // One that ends with code 0 wanted to: it is started when it is asked next.
        fail(code !== 0)
      }
    })
    try {
      const serverInfo = await greet(channel, revision)
      // Its last words and its end may arrive together.
      if (ended !== undefined) throw ended
      child.ready()
      greeting = undefined
      return { child, channel, serverInfo, level: levelOf(channel, serverInfo), since: Date.now() }
    } catch (thrown) {
      await child.stop()
      throw lateStart(thrown, child)
    }
  }

  /** One that never answered its greeting: what it said until it was ended tells why. */
  function lateStart(thrown: unknown, child: Child): unknown {
    if (!(thrown instanceof Fault && thrown.code === 'upstream.timeout')) return thrown
    const facts = { connection: reach.alias, seconds: START_TIMEOUT }
    return new Fault('upstream.start', facts, { cause: new ProgramSaid('it did not answer', child.stderr()) })
  }

  async function greet(channel: Channel, revision: Revision | undefined): Promise<ServerInfo> {
    if (revision === undefined) return greetUnknown(channel)
    return eraOf(revision) === 'modern' ? discoverOn(channel, greeted()) : introduceTo(channel, revision)
  }

  const introduceTo = (channel: Channel, revision: Revision) =>
    initializeOn(channel, greeted(), {
      revision,
      capabilities: own === undefined ? ASKABLE_BY_ALL : { ...OWN_CAPABILITIES, ...own.capabilities },
    })
  const greeted = () => ({ alias: reach.alias, id: ids(), signal: NEVER, timeout: START_TIMEOUT })

  /** Silence is no verdict, because a child may be starting up: the other greeting is sent beside it, and the first yes counts. */
  async function greetUnknown(channel: Channel): Promise<ServerInfo> {
    const modern = discoverOn(channel, greeted())
    const patience = new Promise<'silent'>((resolve) => setTimeout(() => resolve('silent'), DISCOVER_PATIENCE).unref())
    const verdict = await Promise.race([modern.then(() => 'modern' as const, refusalOrThrow), patience])
    if (verdict === 'modern') return modern
    return Promise.any([modern, introduceTo(channel, NEWEST_LEGACY)]).catch((thrown: unknown) => {
      throw thrown instanceof AggregateError ? thrown.errors.at(-1) : thrown
    })
  }

  const refusalOrThrow = (thrown: unknown): 'refused' => {
    if (isGreetingRefused(thrown)) return 'refused'
    throw thrown
  }

  /** It ended, or did not start: it is started again when it may be, or given up. */
  function fail(eager: boolean): void {
    if (closed) return
    parts.onCrash?.()
    restarts.failed()
    const wait = restarts.wait()
    if (wait === undefined) return onTurn(givenUp())
    clearTimeout(again)
    // A child of one caller's own is started when that one asks.
    if (eager && own === undefined) again = setTimeout(() => void Promise.resolve(open()).catch(() => {}), wait).unref()
  }

  const givenUp = () =>
    new Fault(
      'upstream.given-up',
      { connection: reach.alias, failures: restarts.failures, problem: lastProblem },
      { cause: lastCause },
    )

  function refuseStart(): void {
    const wait = restarts.wait()
    if (wait === undefined) throw givenUp()
    if (wait === 0) return
    const problem = `${lastProblem}; next start in ${Math.ceil(wait / 1000)} s`
    throw new Fault('upstream.unreachable', { connection: reach.alias, problem }, { cause: lastCause })
  }

  async function startUp(): Promise<Running> {
    refuseStart()
    try {
      const started = await start(known).catch((thrown: unknown) => {
        const exited = thrown instanceof Fault && thrown.code === 'upstream.lost'
        if (known !== undefined || !exited || closed) throw thrown
        return start(NEWEST_LEGACY)
      })
      // The connection went while its child was starting: nobody else would ever stop it.
      if (closed) {
        await started.child.stop()
        throw new Fault('upstream.disabled', { connection: reach.alias })
      }
      known = started.serverInfo.revision
      onRevision(known)
      restarts.started()
      breaker.answered(breaker.turn)
      silences = 0
      running = started
      heard.attach(started)
      return started
    } catch (thrown) {
      const fault = wordStart(thrown)
      fail(true)
      throw fault
    }
  }

  function wordStart(thrown: unknown): Fault {
    if (thrown instanceof Fault && thrown.code !== 'upstream.lost') {
      lastProblem = thrown.message
      lastCause = thrown.cause instanceof ProgramSaid ? thrown.cause : undefined
      return thrown
    }
    // The worker words what an operating system says: no such command, no permission.
    if (!(thrown instanceof Fault)) lastProblem = thrown instanceof Error ? thrown.message : String(thrown)
    return new Fault('upstream.unreachable', { connection: reach.alias, problem: lastProblem }, { cause: thrown })
  }

  function open(): Promise<Running> | Running {
    if (closed) throw new Fault('upstream.disabled', { connection: reach.alias })
    return running ?? starting('child', startUp)
  }

  const opened = async (signal: AbortSignal, seconds: number): Promise<Running> =>
    running ??
    waitFor(Promise.resolve(open()), { alias: reach.alias, seconds, signal }).catch((thrown: unknown) => {
      throw greeting === undefined ? thrown : lateStart(thrown, greeting)
    })

  async function ask(asked: Ask): Promise<Answer> {
    const isOurs = asked.owner === GATEWAY
    const refusal = isOurs || breaker.closed ? undefined : breaker.admit()
    if (refusal !== undefined) throw refusal
    const { channel, serverInfo, level } = running ?? (await opened(asked.signal, START_TIMEOUT))
    if (own !== undefined) await level.ensure((asked.session ?? asked).caller.logLevel)
    const { turn } = breaker
    // One that may take its time says nothing of how busy the child is.
    const working = !isOurs && asked.patient !== true
    if (working) underWay++
    try {
      const answer = await send(channel, asked, serverInfo)
      breaker.answered(turn)
      if (!isOurs) restarts.served()
      return answer
    } catch (thrown) {
      // A child that ends is started again by its own rules.
      if (!(thrown instanceof Fault && thrown.code === 'upstream.lost')) breaker.failed(turn, thrown)
      throw endedFor(reach.alias, thrown) ?? thrown
    } finally {
      if (working) underWay--
    }
  }

  function send(channel: Channel, asked: Ask, { revision }: ServerInfo): Promise<Answer> {
    const era = eraOf(revision)
    // Requests of a child are accepted during these calls, if the whole channel belongs to one caller.
    const asks = own !== undefined && ASKING.has(asked.method)
    return callOn(channel, ids(), asked, {
      era,
      caller: era === 'modern' ? withoutRoots(asked.caller) : asked.caller,
      timeout: reach.timeout,
      onQuestion: asks ? (question) => askWithoutRoots(asked, question) : undefined,
    })
  }

  /** One that works on a call may be unable to answer anything else: the limit of that call judges it then. */
  async function check(signal: AbortSignal): Promise<boolean> {
    if (restarts.wait() === undefined) throw givenUp()
    const current = running
    if (current === undefined || underWay > 0) return current !== undefined
    const { channel, serverInfo, child } = current
    const modern = serverInfo.revision === MODERN
    const { turn } = breaker
    try {
      await channel.call({
        id: ids(),
        method: modern ? 'server/discover' : 'ping',
        params: modern ? writeEnvelope({}, NOBODY, undefined) : {},
        signal,
        timeout: CHECK.seconds,
      })
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'upstream.timeout') throw thrown
      if (underWay > 0) return true
      if (++silences >= CHECK.silences && running === current) {
        sentence = 'it answered nothing any more and was ended'
        void child.stop()
      }
      throw thrown
    }
    silences = 0
    checkedAt = Date.now()
    breaker.answered(turn)
    return true
  }

  function state(): ProcessState {
    const isFailing = restarts.failures > 0
    const isStarting = starting.isUnderWay('child')
    const resting = restarts.wait() === undefined ? 'error' : isFailing ? 'restarting' : 'stopped'
    const status = running !== undefined ? 'running' : !isStarting ? resting : isFailing ? 'restarting' : 'starting'
    return {
      status,
      pid: running?.child.pid,
      ofOneCaller: own !== undefined,
      startedAt: running?.since,
      checkedAt,
      usedAt: undefined,
      uses: undefined,
      failures: restarts.failures,
      problem: status === 'running' || lastProblem === '' ? undefined : lastProblem,
    }
  }

  /**
   * Ends the child, also during its handshake; that is not counted as a failure of the child. Concurrent callers wait for the
   * same end.
   */
  const stop = () => ending('child', end)
  async function end(): Promise<void> {
    await greeting?.stop()
    if (starting.isUnderWay('child')) await starting('child', startUp).catch(() => {})
    clearTimeout(again)
    const last = running
    running = undefined
    if (last === undefined) return
    sentence = 'it was stopped by an administrator'
    await last.child.stop()
  }

  const levelOf = (channel: Channel, { revision, capabilities }: ServerInfo): LogLevel =>
    createLogLevel(undefined, async (level) => {
      if (eraOf(revision) === 'modern' || !isObject(capabilities['logging'])) return
      const signal = AbortSignal.timeout(LEVEL_PATIENCE)
      await channel.call({ id: ids(), method: 'logging/setLevel', params: { level }, signal, timeout: reach.timeout })
    })

  return {
    introduce: async (signal) => (await opened(signal, TURN_TIMEOUT)).serverInfo,
    ask,
    check,
    watch(onChange, signal) {
      const tell = ({ method }: Notification, missed: boolean) => {
        const kind = changedList(method)
        if (kind !== undefined) onChange(kind, missed)
      }
      void heard.listening.join({ lists: true, uris: [], tasks: [] }, tell, signal)
    },
    async listen({ uris, tasks, beside = false, signal: theirs, onNotification, onEnd }) {
      const signal = AbortSignal.any([theirs, closing.signal])
      closing.signal.addEventListener('abort', onEnd, { once: true, signal: theirs })
      await open()
      return heard.listening.join({ lists: false, uris, tasks, beside }, onNotification, signal)
    },
    tell: (_, { method, params }) => running?.channel.tell(method, params),
    doubt() {
      if (!reach.pinned && running === undefined) known = undefined
    },
    forget() {},
    processes: () => [state()],
    stop,
    async close() {
      closed = true
      clearTimeout(again)
      closing.abort()
      heard.close()
      const last = running
      running = undefined
      await last?.child.stop()
      // One that is still being greeted may never answer: its end fails the greeting at once.
      await greeting?.stop()
      if (starting.isUnderWay('child')) await starting('child', startUp).catch(() => {})
    },
  }
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
const LEVEL_PATIENCE = 1_000

/** Reasons for which a child is ended. */
const OVER: Readonly<Record<string, string>> = {
  LINE_TOO_LONG: 'it said a line that is longer than a line may be, and was ended',
  TOO_MUCH_MEMORY: 'it held more memory than a server may, and was ended',
}
const NEVER = new AbortController().signal
/**
 * A server may list a tool only for clients that can be asked, and the shared child's lists are for all clients. A question in it
 * is refused in words. Roots are left out: the folders of a client are never told to a child (ADR 0011).
 */
const ASKABLE_BY_ALL: JsonObject = { ...OWN_CAPABILITIES, elicitation: { form: {}, url: {} }, sampling: {} }
