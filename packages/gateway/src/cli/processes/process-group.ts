/**
 * Several gateway processes behind one port (TOOLWAY_PROCESSES), kept by the first process, which serves nothing itself: node:cluster
 * hands each new connection to the next of them. They share the database, as gateways on several machines do. One that ends by itself
 * is started again; a restart replaces one after the other, and each serves before the one it replaces ends.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Gateway } from '../../http/running.ts'
import { METRICS } from '../../lib/process-place.ts'
import { ConfigFault } from '../../config.ts'
import type { Log } from '../../lib/log.ts'
import type { Beginning, FromProcess } from './process-messages.ts'
import { passLines } from './pass-lines.ts'
import { createKeptMetrics } from './kept-metrics.ts'
import { createRelay, type Peer } from './relay.ts'

const ENTRY = fileURLToPath(new URL('./gateway-process.ts', import.meta.url))

/** Pauses before one that ended by itself is started again: twice as long each time, until one has lived for `calm`. Milliseconds. */
const AGAIN = { first: 250, most: 30_000, calm: 60_000 }
/** A process that is replaced says for so long that connections close, before it closes them: clients of a busy machine come late. Milliseconds. */
const LAST_REQUESTS_MS = 3_000
/** Over the time that calls may take at the end; then a process is killed. Milliseconds. */
const LAST_WORDS_MS = 15_000

export interface ProcessGroupParts extends Pick<Beginning, 'preset' | 'logLevel' | 'database'> {
  readonly count: number
  readonly drainSeconds: number
  readonly log: Log
}

export interface ProcessGroup extends Gateway {
  /** Replaces each process by a new one. It stops at the first that does not start, and the old ones go on. */
  restart(): Promise<void>
}

interface Running extends Peer {
  readonly worker: Worker
  readonly began: number
  /** Rejects where it does not start. */
  readonly port: Promise<number>
  readonly gone: Promise<void>
  isServing: boolean
  /** Its end was asked for. */
  isEnding: boolean
}

export function createProcessGroup(parts: ProcessGroupParts): ProcessGroup {
  const { count, drainSeconds, log } = parts
  const all = new Set<Running>()
  const servingWorkers = () => [...all].filter(({ isServing }) => isServing)
  const relay = createRelay()
  const metrics = createKeptMetrics(relay, servingWorkers)
  const closing = new AbortController()
  const replaceWorker = createReplacing({ start: () => start().port, log, closing: closing.signal })
  let patience = 0

  cluster.setupPrimary({ exec: ENTRY, args: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })

  function start(): Running {
    const worker = cluster.fork()
    const running: Running = {
      ...{ worker, began: Date.now(), isServing: false, isEnding: false },
      ...watch(worker),
      send: (message) => void (worker.isConnected() && worker.send(message)),
    }
    all.add(running)
    worker.on('message', (message: FromProcess) => {
      if (message.kind === 'listening') running.isServing = true
      else if (message.kind === 'answer') relay.answered(running, message)
      else if (message.kind === 'ask') void answer(running, message)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      all.delete(running)
      relay.gone(running)
      metrics.gone(running)
      if (!running.isEnding && running.isServing) void replaceWorker(running, { code, signal })
    })
    const { preset, logLevel, database } = parts
    running.send({ kind: 'begin', beginning: { preset, logLevel, database, patience } })
    return running
  }

  async function answer(asker: Running, { id, what, facts }: Extract<FromProcess, { kind: 'ask' }>): Promise<void> {
    const others = servingWorkers().filter((peer) => peer !== asker)
    const answers = what === METRICS ? [await metrics.gather()] : [...(await relay.ask(others, what, facts)).values()]
    asker.send({ kind: 'answers', id, all: answers, asked: what === METRICS ? 1 : others.length })
  }

  return {
    async listen(requested = 0) {
      patience = requested
      // The first fetches the programs of stdio servers; the others find them.
      const port = await start().port
      await Promise.all(Array.from({ length: count - 1 }, () => start().port))
      return port
    },
    async restart() {
      for (const old of servingWorkers()) {
        const fresh = start()
        try {
          await fresh.port
        } catch (thrown) {
          log.error({ err: thrown }, 'a new gateway process failed to start; the old ones keep running')
          return
        }
        if (closing.signal.aborted) return
        old.send({ kind: 'retire' })
        await sleep(LAST_REQUESTS_MS)
        await metrics.gather()
        await end(old, drainSeconds)
        log.info({ pid: old.worker.process.pid, by: fresh.worker.process.pid }, 'a gateway process was replaced')
      }
    },
    retire() {
      for (const running of all) running.send({ kind: 'retire' })
    },
    async close() {
      closing.abort()
      await Promise.all([...all].map((item) => end(item, drainSeconds)))
    },
  }
}

interface ReplacingParts {
  /** Resolves when a new one serves. */
  start(): Promise<unknown>
  readonly log: Log
  readonly closing: AbortSignal
}

function createReplacing({ start, log, closing }: ReplacingParts) {
  let pause = AGAIN.first

  /** One that ended by itself is replaced, however often that fails. */
  return async ({ worker, began }: Running, how: { code: number | null; signal: string | null }): Promise<void> => {
    const facts = { pid: worker.process.pid, ...how }
    log.error(facts, 'a gateway process ended unexpectedly; starting another one')
    if (Date.now() - began > AGAIN.calm) pause = AGAIN.first
    while (!closing.aborted) {
      await sleep(pause, undefined, { signal: closing }).catch(() => {})
      pause = Math.min(pause * 2, AGAIN.most)
      if (closing.aborted) return
      try {
        await start()
        return
      } catch (thrown) {
        log.error({ err: thrown }, 'a gateway process failed to start; retrying')
      }
    }
  }
}

/** After the time that calls may take at the end, it is killed. */
async function end(running: Running, drainSeconds: number): Promise<void> {
  running.isEnding = true
  running.isServing = false
  running.send({ kind: 'end' })
  const killTimer = setTimeout(() => running.worker.process.kill('SIGKILL'), drainSeconds * 1000 + LAST_WORDS_MS)
  await running.gone
  clearTimeout(killTimer)
}

function watch(worker: Worker): Pick<Running, 'port' | 'gone'> {
  const { promise: port, resolve, reject } = Promise.withResolvers<number>()
  worker.on('message', (message: FromProcess) => {
    if (message.kind === 'listening') resolve(message.port)
    else if (message.kind === 'failed') reject(errorOf(message))
  })
  const gone = once(worker, 'exit').then(([code, signal]) =>
    reject(new Error(`a gateway process exited while it was starting (${signal ?? `exit ${code}`})`)),
  )
  port.catch(() => {})
  passLines(worker.process.stderr as Readable, process.stderr)
  return { port, gone: gone.then(() => {}) }
}

const errorOf = ({ message, isTold, code }: Extract<FromProcess, { kind: 'failed' }>): Error =>
  isTold ? new ConfigFault(message) : Object.assign(new Error(message), code === undefined ? {} : { code })
