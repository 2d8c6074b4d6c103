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
  isLegacyRevision,
  stripEnvelope,
  writeEnvelope,
  type JsonObject,
  type Revision,
} from '@toolway/protocol'
import type { Child, Children } from '../children/worker-link.ts'
import { portraitOf as legacyPortrait } from '../http/legacy-session.ts'
import { excerpt, NOBODY, OWN_CLIENT, portraitOf as modernPortrait } from '../http/modern.ts'
import {
  changedList,
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
import { createChannel, tokenOf, type Channel } from './channel.ts'

/** A first start may fetch a package; a running child answers at once. Seconds. */
const START_TIMEOUT = 60
const DISCOVER_PATIENCE = 3_000
const RESTART = { first: 1_000, most: 30_000 }

export interface StdioUpstreamParts {
  readonly reach: Reach
  readonly ids: () => number
  readonly children: Pick<Children, 'start'>
  onRevision(revision: Revision): void
  onNoise(line: string): void
}

interface Running {
  readonly child: Child
  readonly channel: Channel
  readonly portrait: Portrait
}

export function createStdioUpstream({ reach, ids, children, onRevision, onNoise }: StdioUpstreamParts): Upstream {
  const { wire } = reach
  if (wire.kind !== 'process') throw new TypeError('not a process reach')
  const watchers = new Set<(kind: ListKind) => void>()
  let starts = 0
  const starting = createSingleFlight<'child', Running>()
  let running: Running | undefined
  let greeting: Child | undefined
  let known = reach.revision
  let failures = 0
  let notBefore = 0
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
      send: (line) => child.send(line),
      onNoise,
      onNotification({ method }) {
        const kind = changedList(method)
        if (kind !== undefined) for (const onChange of watchers) onChange(kind)
      },
    })
    child.onLine((line) => channel.receive(line))
    child.onExit(({ code, signal, stderr }) => {
      if (running?.child === child) running = undefined
      const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
      // What a child says may hold a secret: it is a cause for the operator, and no part of what callers read.
      const last = stderr.filter((line) => line.trim() !== '').at(-1)
      lastProblem = how
      const cause = new Error(last === undefined ? how : `${how}; it last said: ${last.slice(0, 200)}`)
      channel.end(new Fault('upstream.lost', { connection: reach.alias }, { cause }))
    })
    try {
      const portrait = await greet(channel, revision)
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
    return eraOf(revision) === 'modern' ? discover(channel) : initialize(channel, revision)
  }

  async function discover(channel: Channel): Promise<Portrait> {
    const answer = await channel.call({
      id: ids(),
      method: 'server/discover',
      params: writeEnvelope({}, NOBODY, undefined),
      signal: NEVER,
      timeout: START_TIMEOUT,
    })
    if ('error' in answer) throw malformed(`server/discover: ${excerpt(answer.error.message)}`)
    return modernPortrait(answer.result)
  }

  async function initialize(channel: Channel, revision: Revision): Promise<Portrait> {
    const answer = await channel.call({
      id: ids(),
      method: 'initialize',
      params: { protocolVersion: revision, capabilities: {}, clientInfo: OWN_CLIENT },
      signal: NEVER,
      timeout: START_TIMEOUT,
    })
    if ('error' in answer) throw malformed(`initialize: ${excerpt(answer.error.message)}`)
    const portrait = legacyPortrait(answer.result)
    if (!isLegacyRevision(portrait.revision)) throw malformed('it names an unknown protocol revision')
    channel.tell('notifications/initialized')
    return portrait
  }

  const malformed = (problem: string) => new Fault('upstream.malformed', { connection: reach.alias, problem })

  /** Silence is no verdict, because a child may be starting up: the other greeting is sent beside it, and the first yes counts. */
  async function greetUnknown(channel: Channel): Promise<Portrait> {
    const modern = discover(channel)
    const patience = new Promise<'silent'>((resolve) => setTimeout(() => resolve('silent'), DISCOVER_PATIENCE).unref())
    const verdict = await Promise.race([modern.then(() => 'modern' as const, refusalOrThrow), patience])
    if (verdict === 'modern') return modern
    return Promise.any([modern, initialize(channel, NEWEST_LEGACY)]).catch((thrown: unknown) => {
      throw thrown instanceof AggregateError ? thrown.errors.at(-1) : thrown
    })
  }

  const refusalOrThrow = (thrown: unknown): 'refused' => {
    if (thrown instanceof Fault && thrown.code === 'upstream.malformed') return 'refused'
    throw thrown
  }

  async function startUp(): Promise<Running> {
    const wait = notBefore - Date.now()
    if (wait > 0) {
      throw new Fault('upstream.unreachable', {
        connection: reach.alias,
        problem: `${lastProblem}; next start in ${Math.ceil(wait / 1000)} s`,
      })
    }
    try {
      const started = await start(known).catch((thrown: unknown) => {
        const exited = thrown instanceof Fault && thrown.code === 'upstream.lost'
        if (known !== undefined || !exited || closed) throw thrown
        return start(NEWEST_LEGACY)
      })
      failures = 0
      known = started.portrait.revision
      onRevision(known)
      // The connection went while its child was starting: nobody else would ever stop it.
      if (closed) {
        await started.child.stop()
        throw new Fault('upstream.disabled', { connection: reach.alias })
      }
      running = started
      listen(started)
      // A child that follows another may offer something else.
      if (starts++ > 0) for (const onChange of watchers) for (const kind of LIST_KINDS) onChange(kind)
      return started
    } catch (thrown) {
      notBefore = Date.now() + Math.min(RESTART.first * 2 ** failures++, RESTART.most)
      throw wordStart(thrown)
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

  async function ask(asked: Ask): Promise<Answer> {
    const { channel, portrait } = running ?? (await open())
    const id = ids()
    const token = progressTokenOf(asked.params)
    const ours = token === undefined ? undefined : tokenOf(id)
    const params: JsonObject =
      portrait.revision === MODERN ? writeEnvelope(asked.params, asked.caller, ours) : stripEnvelope(asked.params, ours)
    return channel.call({
      id,
      method: asked.method,
      params,
      signal: asked.signal,
      timeout: reach.timeout,
      onNotification(notification) {
        const heard = forCaller(notification, ours, token)
        if (heard !== undefined) asked.onNotification(heard)
      },
    })
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
    introduce: async () => (await open()).portrait,
    ask,
    watch(onChange, signal) {
      watchers.add(onChange)
      signal.addEventListener('abort', () => watchers.delete(onChange), { once: true })
    },
    doubt() {
      if (!reach.pinned && running === undefined) known = undefined
    },
    listen: () => Promise.resolve({ uris: [], tasks: [] }),
    tell() {},
    forget() {},
    async close() {
      closed = true
      const ending = running
      running = undefined
      await ending?.child.stop()
      // One that is still being greeted may never answer: its end fails the greeting at once.
      await greeting?.stop()
      if (starting.isUnderWay('child')) await starting('child', startUp).catch(() => {})
    },
  }
}

const NEVER = new AbortController().signal
/** Node's longest timer, in seconds: a listen stream has no deadline of its own. */
const LONG = 2_147_483
