/**
 * Answers to requests that could not be read, or not in time, written on the socket itself: there is no response to them yet.
 *
 * Node answers these with a status alone; a client that asked for JSON is told in JSON that its request came too slowly. Before its
 * headers are complete no door is known: it is told as MCP tells it. What is no HTTP keeps Node's answer.
 */
import type { Duplex } from 'node:stream'
import { Fault } from '@toolway/contract'
import type { Door } from './doors.ts'
import { errorOf, failureOf, problemOf } from './http-faults.ts'

/** @param patience milliseconds that the request had */
export function slowAnswer(errors: Door['errors'], patience: number, correlationId: string): string {
  const fault = new Fault('request.slow', { seconds: Math.ceil(patience / 1_000) })
  const [type, body] =
    errors === 'json-rpc'
      ? ['application/json', failureOf(undefined, errorOf(fault, 'legacy', correlationId))]
      : ['application/problem+json', problemOf(fault, correlationId)]
  const text = JSON.stringify(body)
  const head = `Connection: close\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}`
  return `HTTP/1.1 408 Request Timeout\r\n${head}\r\nX-Correlation-Id: ${correlationId}\r\n\r\n${text}`
}

/** As Node answers them where nobody listens. */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
}

/** @param patience milliseconds that headers have */
export function answerUnread(
  { code = '' }: NodeJS.ErrnoException,
  socket: Duplex,
  patience: number,
  newCorrelationId: () => string,
): void {
  if (socket.writable && !isAnswered(socket))
    socket.write(
      code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? slowAnswer('json-rpc', patience, newCorrelationId())
        : `HTTP/1.1 ${STATUSES[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`,
    )
  socket.destroy()
}

/** Whether an answer has begun on it, which another one would corrupt. Node's own handling reads the same. */
const isAnswered = (socket: Duplex & { _httpMessage?: { headersSent: boolean } | null }): boolean =>
  socket._httpMessage?.headersSent === true
