/**
 * One stdio channel shared by many requests: ids out, answers in, each to the one who asked.
 *
 * A channel cannot say which request a log line or a question belongs to, so it hands out only what carries a name of ours:
 * answers by id, progress by token. Questions of the server are answered "not available", log lines end here.
 */
import { Fault } from '@toolway/contract'
import {
  isFailure,
  isNotification,
  isRequest,
  isResponse,
  parseJson,
  readMessage,
  type Id,
  type JsonObject,
  type Message,
  type Notification,
  type Response,
} from '@toolway/protocol'
import type { Answer } from '../upstream.ts'

const METHOD_NOT_FOUND = -32601

export interface ChannelParts {
  readonly alias: string
  send(line: string): Promise<void> | void
  /** What nobody asked for: list changes above all. */
  onNotification(notification: Notification): void
  /** A line that is no message; a server that prints to stdout does this. */
  onNoise(line: string): void
}

interface Waiting {
  settle(answer: Answer): void
  fail(fault: Fault): void
  onNotification: ((notification: Notification) => void) | undefined
}

export interface Call {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
  readonly signal: AbortSignal
  readonly timeout: number
  onNotification?(notification: Notification): void
}

export interface Channel {
  call(call: Call): Promise<Answer>
  tell(method: string, params?: JsonObject): void
  receive(line: string): void
  /** The other end is gone: everything that waits fails with this. */
  end(fault: Fault): void
}

export const tokenOf = (id: number): string => `p${id}`

export function createChannel({ alias, send, onNotification, onNoise }: ChannelParts): Channel {
  const waiting = new Map<Id, Waiting>()
  let ended: Fault | undefined

  const write = async (message: JsonObject) => {
    await send(JSON.stringify(message))
  }
  const tell = (method: string, params?: JsonObject) => {
    write({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }).catch(() => {})
  }

  function call({ id, method, params, signal, timeout, onNotification: hear }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      const finish = () => {
        waiting.delete(id)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const fail = (fault: Fault) => {
        finish()
        reject(fault)
      }
      const giveUp = (fault: Fault) => {
        fail(fault)
        tell('notifications/cancelled', { requestId: id, reason: fault.message })
      }
      const onAbort = () => giveUp(signal.reason instanceof Fault ? signal.reason : new Fault('call.cancelled'))
      const timer = setTimeout(
        () => giveUp(new Fault('upstream.timeout', { connection: alias, seconds: timeout })),
        timeout * 1000,
      )
      const settle = (answer: Answer) => {
        finish()
        resolve(answer)
      }
      waiting.set(id, { settle, fail, onNotification: hear })
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) return onAbort()
      write({ jsonrpc: '2.0', id, method, params }).catch((thrown: unknown) =>
        fail(new Fault('upstream.busy', { connection: alias }, { cause: thrown })),
      )
    })
  }

  function hear(message: Message): void {
    if (isResponse(message)) return answer(message)
    if (isRequest(message)) return refuse(message.id, message.method)
    if (!isNotification(message)) return
    if (message.method !== 'notifications/progress') return onNotification(message)
    const token = message.params?.['progressToken']
    const id = typeof token === 'string' && /^p\d+$/.test(token) ? Number(token.slice(1)) : undefined
    if (id !== undefined) waiting.get(id)?.onNotification?.(message)
  }

  function answer(response: Response): void {
    const asked = response.id === undefined ? undefined : waiting.get(response.id)
    // A late or second answer has nobody waiting for it any more.
    asked?.settle(isFailure(response) ? { error: response.error } : { result: response.result })
  }

  function refuse(id: Id, method: string): void {
    const answers: JsonObject =
      method === 'ping'
        ? { result: {} }
        : { error: { code: METHOD_NOT_FOUND, message: `Not available here: ${method}` } }
    write({ jsonrpc: '2.0', id, ...answers }).catch(() => {})
  }

  function receive(line: string): void {
    try {
      hear(readMessage(parseJson(line)))
    } catch {
      onNoise(line)
    }
  }

  return {
    call,
    tell,
    receive,
    end(fault) {
      ended = fault
      for (const { fail } of [...waiting.values()]) fail(fault)
    },
  }
}
