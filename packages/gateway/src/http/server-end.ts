/**
 * How an HTTP server ends: no new connections, what is under way is answered, then what is left is cut.
 *
 * Browsers and HTTP clients open connections ahead of their requests. Node counts one that has asked nothing yet as busy and
 * would wait for it, so those are known here and end at once.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** An answer that ends now leaves a connection that waits for more: it is looked for this often (milliseconds). */
const SWEEP = 50

/** Call it before the server listens; what it returns ends the server and resolves when nothing is left, within `patience` ms. */
export function prepareEnd(server: Server): (patience: number) => Promise<void> {
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
    const cut = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of changed) socket.destroy()
    }, patience)
    server.closeIdleConnections()
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }
}
