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
  progressTokenOf,
  stripEnvelope,
  writeEnvelope,
  type JsonObject,
  type Revision,
} from '@toolway/protocol'
import type { Child, Children } from '../children/worker-link.ts'
import { NOBODY, OWN_CAPABILITIES } from '../http/modern.ts'
import { createBreaker } from '../breaker.ts'
import {
  changedList,
  GATEWAY,
  LIST_KINDS,
  forCaller,
  type Answer,
  type Ask,
  type ListKind,
  type Portrait,
  type Reach,
  type Upstream,
} from '../upstream.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { createChannel, tokenOf, type Channel } from '../channel.ts'
import { discover, initialize } from '../greeting.ts'
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
  readonly reach: Reach
  readonly ids: () => number
  readonly children: Pick<Children, 'start'>
  onRevision(revision: Revision): void
  onNoise(line: string): void
  /** It is not started any more, or its calls are refused, because of this; undefined when calls are let through again. */
  onTurn(failure: Fault | undefined): void
  /** It ended without being told to. */
  onCrash?(): void
}

interface Running {
  readonly child: Child
  readonly channel: Channel
  readonly portrait: Portrait
}

export function createStdioUpstream(parts: StdioUpstreamParts): Upstream {
  const { reach, ids, children, onRevision, onNoise, onTurn } = parts
  const { wire } = reach
  if (wire.kind !== 'process') throw new TypeError('not a process reach')
  const watchers = new Set<(kind: ListKind) => void>()
  let starts = 0
  const starting = createSingleFlight<'child', Running>()
  let running: Running | undefined
  let greeting: Child | undefined
  let known = reach.revision
  const restarts = createRestarts({ now: Date.now })
  const breaker = createBreaker({ alias: reach.alias, patience: reach.timeout * 1000, now: Date.now, onTurn })
  let again: NodeJS.Timeout | undefined
  let underWay = 0
  let silences = 0
  /** Why it is being ended, where that is our doing. */
  let sentence: string | undefined
  let lastProblem = ''
  let closed = false

  async function start(revision: Revision | undefined): Promise<Running> {
    const child = await children.start({
      // The connection's own folder: two organizations may use the same alias.
      name: `${reach.alias}.${reach.connectionId}`,
      command: wire.kind === 'process' ? wire.command : '',
      args: wire.kind === 'process' ? [...wire.args] : [],
      environment: wire.kind === 'process' ? wire.environment : {},
    })
    greeting = child
    // The connection went while its child was waiting for its turn to start: nobody would hear a greeting.
    if (closed) {
      await child.stop()
      throw new Fault('upstream.disabled', { connection: reach.alias })
    }
    const channel = createChannel({
      alias: reach.alias,
      send: (line) =>
        child.send(line).catch((thrown: unknown) => {
          throw new Fault('upstream.busy', { connection: reach.alias }, { cause: thrown })
        }),
      onNoise,
      onNotification({ method }) {
        const kind = changedList(method)
        if (kind !== undefined) for (const onChange of watchers) onChange(kind)
      },
    })
    let ended: Fault | undefined
    child.onLine((line) => channel.receive(line))
    child.onExit(({ code, signal, reason, stderr }) => {
      const wasRunning = running?.child === child
      const how =
        sentence ?? OVER[reason] ?? (signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`)
      sentence = undefined
      // What a child says may hold a secret: it is a cause for the operator, and no part of what callers read.
      const last = stderr.filter((line) => line.trim() !== '').at(-1)
      lastProblem = how
      const cause = new Error(last === undefined ? how : `${how}; it last said: ${last.slice(0, 200)}`)
      ended = new Fault('upstream.lost', { connection: reach.alias }, { cause })
      channel.end(ended)
      if (wasRunning) {
        running = undefined
        // One that ends with code 0 wanted to: it is started when it is asked next.
        fail(code !== 0)
      }
    })
    try {
      const portrait = await greet(channel, revision)
      // Its last words and its end may arrive together.
      if (ended !== undefined) throw ended
      child.ready()
      greeting = undefined
      return { child, channel, portrait }
    } catch (thrown) {
      await child.stop()
      throw thrown
    }
  }

  async function greet(channel: Channel, revision: Revision | undefined): Promise<Portrait> {
    if (revision === undefined) return greetUnknown(channel)
    return eraOf(revision) === 'modern'
      ? discover(channel, greeted())
      : initialize(channel, greeted(), { revision, capabilities: OWN_CAPABILITIES })
  }

  const greeted = () => ({ alias: reach.alias, id: ids(), signal: NEVER, timeout: START_TIMEOUT })

  /** Silence is no verdict, because a child may be starting up: the other greeting is sent beside it, and the first yes counts. */
  async function greetUnknown(channel: Channel): Promise<Portrait> {
    const modern = discover(channel, greeted())
    const patience = new Promise<'silent'>((resolve) => setTimeout(() => resolve('silent'), DISCOVER_PATIENCE).unref())
    const verdict = await Promise.race([modern.then(() => 'modern' as const, refusalOrThrow), patience])
    if (verdict === 'modern') return modern
    return Promise.any([modern, initialize(channel, greeted(), { capabilities: OWN_CAPABILITIES })]).catch(
      (thrown: unknown) => {
        throw thrown instanceof AggregateError ? thrown.errors.at(-1) : thrown
      },
    )
  }

  const refusalOrThrow = (thrown: unknown): 'refused' => {
    if (thrown instanceof Fault && thrown.code === 'upstream.malformed') return 'refused'
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
    if (eager) again = setTimeout(() => void Promise.resolve(open()).catch(() => {}), wait).unref()
  }

  const givenUp = () =>
    new Fault('upstream.given-up', { connection: reach.alias, failures: restarts.failures, problem: lastProblem })

  function refuseStart(): void {
    const wait = restarts.wait()
    if (wait === undefined) throw givenUp()
    if (wait === 0) return
    const problem = `${lastProblem}; next start in ${Math.ceil(wait / 1000)} s`
    throw new Fault('upstream.unreachable', { connection: reach.alias, problem })
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
      known = started.portrait.revision
      onRevision(known)
      restarts.started()
      breaker.answered(breaker.turn)
      silences = 0
      running = started
      listen(started)
      // A child that follows another may offer something else.
      if (starts++ > 0) for (const onChange of watchers) for (const kind of LIST_KINDS) onChange(kind)
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
    running ?? waitFor(Promise.resolve(open()), { alias: reach.alias, seconds, signal })

  async function ask(asked: Ask): Promise<Answer> {
    const own = asked.owner === GATEWAY
    const refusal = own || breaker.closed ? undefined : breaker.admit()
    if (refusal !== undefined) throw refusal
    const { channel, portrait } = running ?? (await opened(asked.signal, START_TIMEOUT))
    const id = ids()
    const token = progressTokenOf(asked.params)
    const ours = token === undefined ? undefined : tokenOf(id)
    const params: JsonObject =
      portrait.revision === MODERN ? writeEnvelope(asked.params, asked.caller, ours) : stripEnvelope(asked.params, ours)
    const { turn } = breaker
    // One that may take its time says nothing of how busy the child is.
    const working = !own && asked.patient !== true
    if (working) underWay++
    try {
      const answer = await channel.call({
        id,
        method: asked.method,
        params,
        signal: asked.signal,
        timeout: asked.patient === true ? LONG : reach.timeout,
        onNotification(notification) {
          const heard = forCaller(notification, ours, token)
          if (heard !== undefined) asked.onNotification(heard)
        },
      })
      breaker.answered(turn)
      if (!own) restarts.served()
      return answer
    } catch (thrown) {
      // A child that ends is started again by its own rules.
      if (!(thrown instanceof Fault && thrown.code === 'upstream.lost')) breaker.failed(turn, thrown)
      throw thrown
    } finally {
      if (working) underWay--
    }
  }

  /** One that works on a call may be unable to answer anything else: the limit of that call judges it then. */
  async function check(signal: AbortSignal): Promise<boolean> {
    if (restarts.wait() === undefined) throw givenUp()
    const current = running
    if (current === undefined || underWay > 0) return current !== undefined
    const { channel, portrait, child } = current
    const modern = portrait.revision === MODERN
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
    breaker.answered(turn)
    return true
  }

  /** A modern server tells of changes only on a listen stream; the stream lives as long as the child. */
  function listen({ channel, portrait }: Running): void {
    if (portrait.revision !== MODERN) return
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    const params = writeEnvelope({ notifications }, NOBODY, undefined)
    // It ends with the child.
    channel.call({ id: ids(), method: 'subscriptions/listen', params, signal: NEVER, timeout: LONG }).catch(() => {})
  }

  return {
    introduce: async (signal) => (await opened(signal, TURN_TIMEOUT)).portrait,
    ask,
    check,
    watch(onChange, signal) {
      watchers.add(onChange)
      signal.addEventListener('abort', () => watchers.delete(onChange), { once: true })
    },
    doubt() {
      if (!reach.pinned && running === undefined) known = undefined
    },
    // One channel for all: what arrives outside a request belongs to nobody in particular.
    hear: () => Promise.resolve(),
    forget() {},
    async close() {
      closed = true
      clearTimeout(again)
      const ending = running
      running = undefined
      await ending?.child.stop()
      // One that is still being greeted may never answer: its end fails the greeting at once.
      await greeting?.stop()
      if (starting.isUnderWay('child')) await starting('child', startUp).catch(() => {})
    },
  }
}

/** What a child is ended for. */
const OVER: Readonly<Record<string, string>> = {
  LINE_TOO_LONG: 'it said a line that is longer than a line may be, and was ended',
  TOO_MUCH_MEMORY: 'it held more memory than a server may, and was ended',
}
const NEVER = new AbortController().signal
/** Node's longest timer, in seconds: a listen stream has no deadline of its own. */
const LONG = 2_147_483
