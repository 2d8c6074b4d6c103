/**
 * One keep-alive connection that makes one call after another.
 *
 * A raw socket with the smallest parser that still checks each answer: a general HTTP client would cost
 * more than the target it measures. Reconnects when the other side closed between two calls.
 * Never has two calls in flight, never retries, never waits longer than its limit.
 */
import { connect } from 'node:net'
import { readReply } from './http-reply.ts'
import { type CallTarget, createCallText, faultIn, isLegacy } from './mcp-call.ts'

export interface LaneParts {
  readonly target: CallTarget
  readonly nextId: () => number
  /** After so much silence a call counts as failed and its connection is dropped. */
  readonly limitMs: number
}

export function createLane({ target, nextId, limitMs }: LaneParts) {
  const { hostname, port } = new URL(target.url)
  const callText = createCallText(target)
  let socket: ReturnType<typeof connect> | undefined
  let received = ''
  let id = 0
  let settle: ((fault: string | undefined) => void) | undefined

  function end(fault: string | undefined): void {
    const settled = settle
    settle = undefined
    settled?.(fault)
  }

  function receive(chunk: Buffer): void {
    received += chunk.toString('latin1')
    try {
      const reply = readReply(received)
      if (reply === undefined) return
      const whole = reply.length === received.length
      // Bytes after a surplus byte cannot be assumed to belong to the next call.
      if (!reply.keepAlive || !whole) socket?.destroy()
      end(whole ? faultIn(reply, id, isLegacy(target)) : 'more bytes than one reply')
    } catch (thrown) {
      socket?.destroy()
      end(String(thrown))
    }
  }

  /** Connects when there is no live connection. Resolves to the reason when that fails. */
  function open(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const fresh = connect({ host: hostname, port: Number(port), noDelay: true })
      socket = fresh
      fresh.setTimeout(limitMs, () => fresh.destroy(new Error(`no answer within ${limitMs} ms`)))
      fresh.once('connect', () => resolve(undefined))
      // A connection that was given up may still speak or close: that is no longer about the call in flight.
      const ofThisCall = (speak: () => void) => socket === fresh && speak()
      fresh.on('data', (chunk) => ofThisCall(() => receive(chunk)))
      fresh.on('error', (error) => {
        resolve(error.message)
        ofThisCall(() => end(error.message))
      })
      fresh.on('close', () => ofThisCall(() => end('the connection was closed')))
    })
  }

  return {
    open,
    /** One call. Resolves to undefined, or to what was wrong with it. */
    async call(): Promise<string | undefined> {
      if (socket === undefined || socket.destroyed) {
        const refused = await open()
        if (refused !== undefined) return refused
      }
      return new Promise((resolve) => {
        received = ''
        settle = resolve
        id = nextId()
        socket?.write(callText(id), 'latin1')
      })
    },
    close(): void {
      socket?.destroy()
    },
  }
}
