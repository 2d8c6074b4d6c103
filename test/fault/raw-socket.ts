/** A client that writes bytes and reads bytes: whatever a well-behaved one never sends. */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RawSocket extends Disposable {
  readonly socket: Socket
  write(text: string | Buffer): void
  /** Returns the bytes received so far. */
  received(): string
  /** Resolves when the other side has ended it. */
  readonly closed: Promise<void>
}

export async function openRaw(address: string): Promise<RawSocket> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {}) // a reset is one of the ways in which the other side ends it
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => text,
    closed,
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** The head of a request; a header with several values stands there several times. */
export const headOf = (line: string, headers: Readonly<Record<string, string | readonly string[]>>): string =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`)),
    '',
    '',
  ].join('\r\n')

/** One request on a connection of its own, and the answer to it. */
export async function exchangeRaw(address: string, head: string, body: string | Buffer = ''): Promise<RawAnswer> {
  using raw = await openRaw(address)
  raw.write(head)
  raw.write(body)
  await raw.closed
  return readAnswer(raw.received())
}

export function readAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  )
  return { status: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
