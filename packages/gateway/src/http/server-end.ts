/**
 * How an HTTP server ends: no new connections, what is under way is answered, then what is left is cut.
 *
 * Browsers and HTTP clients open connections ahead of their requests. Node counts one that has asked nothing yet as busy and
 * would wait for it, so those are known here and end at once.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextTurn } from '../lib/next-turn.ts'
import type { Listeners } from './listeners.ts'
import type { CallsUnderWay } from './streams/calls-under-way.ts'

/** An answer that ends now leaves a connection that waits for more: it is looked for this often (milliseconds). */
const SWEEP_MS = 50

/** Time in milliseconds for cancelled calls to deliver their answers; then the remaining connections are closed. */
const LAST_ANSWERS_MS = 1_000

/** Without connections there may still be calls: a client may be away for a moment. */
export type Calls = Pick<CallsUnderWay, 'cut' | 'over'>

export interface ServerEnd {
  /**
   * Takes no new connections, and resolves once each that was taken has been heard: a balancer that connected while the port was
   * open has its request answered like any other.
   */
  closeDoor(): Promise<void>
  /** Resolves when nothing is left. After `patience` ms calls are cut. */
  finish(patience: number): Promise<void>
}

/** Call it before the server listens. */
export function prepareEnd(server: Server, calls: Calls, listeners: Pick<Listeners, 'listening' | 'close'>): ServerEnd {
  const connections = watchConnections(server)
  let closed: Promise<void> | undefined
  async function closeDoor(): Promise<void> {
    if (!listeners.listening) return
    await connections.settled()
    closed = listeners.close()
    await connections.heard()
  }
  return {
    closeDoor,
    async finish(patience) {
      if (closed === undefined) await closeDoor()
      if (closed === undefined) return
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      server.closeIdleConnections()
      const over = Promise.all([closed, calls.over()])
      if (!(await within(over, patience))) {
        calls.cut()
        if (!(await within(over, LAST_ANSWERS_MS))) {
          server.closeAllConnections()
          connections.cutChanged()
          await closed
        }
      }
      clearInterval(sweep)
    },
  }
}

/** Milliseconds in which a client that connected has sent the head of its request, or is taken for one that connects ahead. */
const FIRST_WORD = 1_000

/** The system may hold connections that were not accepted yet, and resets them with the port: they are waited for this long (milliseconds). */
const MOST_ACCEPTING_MS = 500

/** Each turn of the loop accepts one connection of a line that has any, so turns without any mean that none waits. */
const QUIET_TURNS = 2

function watchConnections(server: Server) {
  const silent = new Map<Socket, number>()
  let accepted = 0
  server.on('connection', (socket) => {
    accepted++
    silent.set(socket, performance.now())
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  // A connection that has become something else is none of the server's any more, and yet it would be waited for.
  const changed = new Set<Socket>()
  server.on('upgrade', ({ socket }) => {
    silent.delete(socket)
    changed.add(socket)
    socket.once('close', () => changed.delete(socket))
  })
  return {
    async settled(): Promise<void> {
      const until = performance.now() + MOST_ACCEPTING_MS
      let before = accepted
      for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < until; before = accepted) {
        await nextTurn()
        quiet = accepted === before ? quiet + 1 : 0
      }
    },
    /** Those that have not asked anything for too long end here. */
    async heard(): Promise<void> {
      for (;;) {
        const now = performance.now()
        for (const [socket, since] of silent) if (now - since >= FIRST_WORD) socket.destroy()
        if ([...silent.values()].every((since) => now - since >= FIRST_WORD)) return
        await sleep(SWEEP_MS)
      }
    },
    cutChanged(): void {
      for (const socket of changed) socket.destroy()
    },
  }
}

async function within(end: Promise<unknown>, patience: number): Promise<boolean> {
  const stopTimer = new AbortController()
  const timer = sleep(patience, false, { signal: stopTimer.signal }).catch(() => false)
  try {
    return await Promise.race([end.then(() => true), timer])
  } finally {
    stopTimer.abort()
  }
}
