/**
 * How an HTTP server ends: no new connections, what is under way is answered, then what is left is cut.
 *
 * Browsers and HTTP clients open connections ahead of their requests. Node counts one that has asked nothing yet as busy and
 * would wait for it, so those are known here and end at once.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallsUnderWay } from './streams/calls-under-way.ts'

/** An answer that ends now leaves a connection that waits for more: it is looked for this often (milliseconds). */
const SWEEP = 50

/** Time in milliseconds for cancelled calls to deliver their answers; then the remaining connections are closed. */
const LAST_ANSWERS = 1_000

/** Without connections there may still be calls: a client may be away for a moment. */
export type Calls = Pick<CallsUnderWay, 'cut' | 'over'>

/**
 * Call it before the server listens; what it returns ends the server and resolves when nothing is left. After `patience` ms
 * calls are cut.
 */
export function prepareEnd(server: Server, calls: Calls): (patience: number) => Promise<void> {
  const silent = new Set<Socket>()
  server.on('connection', (socket) => {
    silent.add(socket)
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
  return async (patience) => {
    if (!server.listening) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP)
    for (const socket of silent) socket.destroy()
    server.closeIdleConnections()
    const over = Promise.all([closed, calls.over()])
    if (!(await within(over, patience))) {
      calls.cut()
      if (!(await within(over, LAST_ANSWERS))) {
        server.closeAllConnections()
        for (const socket of changed) socket.destroy()
        await closed
      }
    }
    clearInterval(sweep)
  }
}

async function within(end: Promise<unknown>, patience: number): Promise<boolean> {
  const late = new AbortController()
  const timer = sleep(patience, false, { signal: late.signal }).catch(() => false)
  try {
    return await Promise.race([end.then(() => true), timer])
  } finally {
    late.abort()
  }
}
