/** Cuts off a request whose body does not end in time, as Node does for all requests of a server alike. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/** `patience`: milliseconds from now. Requests without a body cost nothing here. */
export function limitBody(request: IncomingMessage, response: ServerResponse, patience: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  const timer = setTimeout(() => {
    const { socket } = request
    if (request.complete || socket.destroyed) return
    if (!response.headersSent) socket.write(LATE)
    socket.destroySoon()
  }, patience)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}
