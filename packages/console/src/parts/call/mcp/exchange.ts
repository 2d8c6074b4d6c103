/**
 * The parts of one request to an MCP server, in either era: the client's capabilities, the events before the answer, and how the
 * answer ends it. Content from the server is passed on unchanged; renderers must not treat it as markup.
 */
import { Fault } from '@toolway/contract'
import type { Notification } from '@toolway/protocol'
import type { Answer } from '@toolway/protocol/client'
import type { Json, JsonObject, Message, RpcError } from './wire.ts'

export type Era = 'legacy' | 'modern'

/** The capabilities that a client declares; each of them changes what a server may do with it. */
export interface Abilities {
  /** Asks its person by a form. */
  readonly forms: boolean
  /** Leads its person to a page. */
  readonly pages: boolean
  /** Takes a task in place of a result. Modern only. */
  readonly tasks: boolean
}

export interface Question {
  readonly method: string
  readonly params: JsonObject
}

/** The events of one request before it ends. */
export interface EventSink {
  readonly progress?: (input: { progress: number; total?: number | undefined; message?: string | undefined }) => void
  readonly log?: (input: { level: string; text: Json | undefined }) => void
  readonly task?: (input: { id: string; status: string; message?: string | undefined }) => void
  /** Each message as it is on the wire. */
  readonly wire?: (direction: 'sent' | 'heard', message: Message) => void
  /** Answers what the other side asks; a client without this one declines. */
  readonly answer?: (question: Question, signal: AbortSignal) => Promise<JsonObject>
}

export interface Asking {
  readonly eventSink?: EventSink
  readonly signal?: AbortSignal
  /** Of the tool that is called. */
  readonly schema?: JsonObject | undefined
}

/** The other side answered with an error of JSON-RPC. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  readonly error: RpcError
  constructor(error: RpcError) {
    super(error.message)
    this.error = error
  }
}

export interface McpClient {
  readonly era: Era
  /** Throws `RpcFailure`, `Problem`, or what the signal was aborted with. */
  request(method: string, params: JsonObject, asking?: Asking): Promise<JsonObject>
  close(): void
}

/** Ids of requests, for all clients of this page: what is read in a transcript is then told apart. */
let last = 0
export const nextId = (): number => ++last

export async function answerTo(question: Question, eventSink: EventSink, signal: AbortSignal): Promise<JsonObject> {
  if (question.method === 'roots/list') return { roots: [] }
  if (eventSink.answer === undefined) return { action: 'decline' }
  return eventSink.answer(question, signal)
}

export const NEVER = new AbortController().signal

/** Rejects when the signal comes first. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

export function resultOf(answer: Answer): JsonObject {
  if ('error' in answer) throw new RpcFailure(answer.error)
  return answer.result
}

/** Rethrows the error that ended a request, as the user reads it: the client's own faults are worded by the console. */
export function wordFault(thrown: unknown): never {
  if (thrown instanceof Fault && thrown.code !== 'call.cancelled')
    throw new RpcFailure({ code: 0, message: `The answer ended before there was a result: ${thrown.message}` })
  throw thrown
}

export function hearNotification({ method, params = {} }: Notification, eventSink: EventSink): void {
  if (method === 'notifications/progress') {
    const { progress, total, message } = params
    eventSink.progress?.({
      progress: Number(progress),
      total: typeof total === 'number' ? total : undefined,
      message: typeof message === 'string' ? message : undefined,
    })
  } else if (method === 'notifications/message')
    eventSink.log?.({ level: String(params['level']), text: params['data'] })
}
