/**
 * Starts stdio servers through a worker process: `createChildren` starts the worker on first use, has it start every child, and
 * starts a new one after its death, whose children are reported as exited. The process that listens never spawns a server itself,
 * so no start can inherit the gateway's environment or sockets.
 */
import { resolve } from 'node:path'
import { ChildError } from './child-error.ts'
import type { Child, Exit, NearEnd } from './child.ts'
import { createChildPool, type ChildPool } from './child-pool.ts'
import { createConfinement, type SandboxParts } from './confinement.ts'
import { checkLaunch, orderOf, wordsOf, type Launch } from './launch.ts'
import type { SandboxState } from './sandbox/choose-driver.ts'
import type { Log } from '../../lib/log.ts'
import { isNothing, tellingLine } from '../program-report.ts'
import { createStartQueue } from './start-queue.ts'
import { watchStart } from './start-watch.ts'

export type { Child, Exit } from './child.ts'
export type { Launch } from './launch.ts'

export interface Children {
  /** Resolves when the process runs. Rejects with a ChildError, or the reason of the signal. */
  start(launch: Launch): Promise<Child>
  /** How children are confined here; undefined where no sandbox was asked for. */
  sandbox(): Promise<SandboxState | undefined>
  /** Ends all children and the worker. Later starts are refused. */
  close(): Promise<void>
}

export interface ChildrenParts {
  log: Log
  /** Folder below which each child gets one of its own. */
  home: string
  /** PATH of the children. */
  path: string
  lang?: string
  /** Variables of the installation that every child gets; declared ones win. */
  inherited?: Readonly<Record<string, string>>
  /** Bytes that each may hold with all it started; default 2 GiB. */
  memoryLimit?: number
  /** Bytes of one line of a child whose launch says nothing. */
  lineLimit?: number
  /** How each is confined; absent: not at all. */
  sandbox?: SandboxParts
  /** How many may be starting at the same time; one counts until `ready()`, its exit, or `readyMs`. */
  places?: number
  readyMs?: number
  progressMs?: number
  platform?: NodeJS.Platform
  /** Called with stderr lines of a child of that name. */
  onWords?: (name: string, lines: readonly string[]) => void
}

export function createChildren(parts: ChildrenParts): Children {
  const {
    log,
    memoryLimit,
    lineLimit,
    places = 4,
    readyMs = 60_000,
    progressMs = 5_000,
    platform = process.platform,
  } = parts
  const world = {
    path: parts.path,
    lang: parts.lang ?? 'C.UTF-8',
    home: resolve(parts.home),
    inherited: parts.inherited ?? {},
  }
  const queue = createStartQueue({ places })
  const takePlace = placesIn(queue, { log, readyMs, progressMs })
  const confinement = createConfinement(parts.sandbox, world.inherited, log)
  let pool: ChildPool | undefined
  let closed = false

  const getPool = () =>
    (pool ??= createChildPool({
      log,
      gone(which) {
        if (pool === which) pool = undefined
      },
    }))

  return {
    async start(launch) {
      checkLaunch(launch, platform)
      const confined = await confinement.open(launch)
      let near: NearEnd | undefined
      const leave = await takePlace(launch, () => near?.lastStderr()).catch((thrown: unknown) => {
        confined.close()
        throw thrown
      })
      try {
        if (closed) throw shuttingDown()
        const limited = {
          ...(memoryLimit === undefined ? {} : { memoryLimit }),
          ...(lineLimit === undefined ? {} : { lineLimit }),
          ...launch,
        }
        near = getPool().join(orderOf(limited, world, confined.order), {
          ...{ name: launch.name, log, ready: leave },
          words: (lines) => parts.onWords?.(launch.name, lines),
          hosts: () => confined.words(),
          onHosts: confined.onRefused,
          over(how) {
            leave()
            confined.close()
            tellEnd(log, launch.name, how)
          },
        })
        return await unlessAborted(near, launch.signal)
      } catch (thrown) {
        leave()
        confined.close()
        throw thrown
      }
    },
    sandbox: confinement.state,
    async close() {
      closed = true
      queue.close(shuttingDown())
      await pool?.end()
    },
  }
}

/** A place among the starting ones, with its watch; `leave` gives it back, and may be called before there is one. */
const placesIn =
  (
    queue: ReturnType<typeof createStartQueue>,
    times: Pick<Parameters<typeof watchStart>[0], 'log' | 'readyMs' | 'progressMs'>,
  ) =>
  async (launch: Launch, lastStderr: () => string | undefined) => {
    const words = wordsOf(launch)
    const watch = watchStart({ ...times, name: launch.name, words, lastStderr, onReadyTimeout: () => leaveQueue() })
    let giveBack = () => {}
    const leaveQueue = () => {
      watch.end()
      giveBack()
    }
    try {
      giveBack = await queue.take(launch.signal)
    } catch (thrown) {
      watch.end()
      throw thrown
    }
    watch.begin()
    return leaveQueue
  }

const shuttingDown = () =>
  new ChildError('CHILDREN_CLOSED', 'The gateway is shutting down: no stdio server can be started.')

/** The child, or the reason of the signal; what was started in vain is stopped. */
async function unlessAborted(near: NearEnd, signal?: AbortSignal): Promise<Child> {
  if (!signal) return near.started
  const aborted = Promise.withResolvers<never>()
  const abort = () => {
    near.started.catch(() => undefined) // nobody waits for it any more
    void near.stop()
    aborted.reject(signal.reason)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return Promise.race([near.started, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

function tellEnd(log: Log, name: string, how: Exit | ChildError): void {
  if (how instanceof ChildError) return log.warn({ child: name, code: how.code }, `not started: ${how.message}`)
  const { stderr, withheld, ...facts } = how
  const text = 'a stdio server ended'
  if (how.reason === 'STOPPED') log.debug({ child: name, ...facts }, text)
  else
    log.warn({ child: name, ...facts, stderr: tellingLine(stderr), ...(isNothing(withheld) ? {} : { withheld }) }, text)
}
