/**
 * Calls of tools as a transcript keeps them: what was sent, what came before the answer, what was asked, how it ended.
 *
 * It lives in the memory of this page and nowhere else, so that no argument and no result outlives it.
 */
import type { Failure } from '../../ui/failed.tsx'
import { Problem } from '../../data/problem.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcFailure, type EventSink, type Era, type McpClient, type Question } from './mcp/exchange.ts'
import { isObject, type JsonObject, type Message } from './mcp/wire.ts'

export interface Step {
  readonly at: number
  readonly kind: 'progress' | 'log' | 'asked' | 'answered' | 'task'
  readonly text: string
}

export interface Exchange {
  readonly at: number
  readonly direction: 'sent' | 'heard'
  readonly message: Message
}

export interface Run {
  readonly id: number
  readonly endpoint: Endpoint
  /** `tools/call`, or `resources/read` of what a result leads to. */
  readonly method: Method
  /** As the endpoint names it; of a resource, its address. */
  readonly tool: string
  readonly arguments: JsonObject
  readonly era: Era
  readonly begun: number
  readonly ended?: number
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  readonly progress?: { readonly progress: number; readonly total?: number | undefined }
  readonly steps: readonly Step[]
  /** The question that waits for the user. */
  readonly question?: Question | undefined
  readonly result?: JsonObject
  readonly failure?: CallFailure
  readonly wire: readonly Exchange[]
}

export type Method = 'tools/call' | 'resources/read'

export interface NewRun {
  readonly client: McpClient
  readonly endpoint: Endpoint
  readonly method?: Method
  readonly tool: string
  readonly schema?: JsonObject | undefined
  readonly arguments: JsonObject
}

export interface Runs {
  all(): readonly Run[]
  subscribe(listener: () => void): () => void
  /** Resolves when it has ended, however. */
  start(run: NewRun): Promise<Run>
  cancel(id: number): void
  answer(id: number, answer: JsonObject): void
  clear(): void
}

/** Older ones are forgotten; of a talkative one, what is in the middle. */
const MOST_RUNS = 100
const MOST_STEPS = 500

let last = 0

export function createRuns(): Runs {
  let runs: readonly Run[] = []
  const listeners = new Set<() => void>()
  const stops = new Map<number, AbortController>()
  const replies = new Map<number, (answer: JsonObject) => void>()

  const set = (next: readonly Run[]) => {
    runs = next
    for (const listener of listeners) listener()
  }
  const change = (id: number, changed: (run: Run) => Partial<Run>) =>
    set(runs.map((run) => (run.id === id ? { ...run, ...changed(run) } : run)))
  const step = (id: number, kind: Step['kind'], text: string, more: Partial<Run> = {}) =>
    change(id, ({ steps }) => ({ ...more, steps: within([...steps, { at: Date.now(), kind, text }]) }))

  const eventSinkOf = (id: number): EventSink => ({
    progress: ({ progress, total, message }) =>
      step(id, 'progress', message ?? (total === undefined ? String(progress) : `${progress} / ${total}`), {
        progress: { progress, total },
      }),
    log: ({ level, text }) => step(id, 'log', `${level}: ${typeof text === 'string' ? text : JSON.stringify(text)}`),
    task: ({ status, message }) => {
      const text = message === undefined ? status : `${status}: ${message}`
      const before = runs.find((run) => run.id === id)?.steps.at(-1)
      if (before?.kind !== 'task' || before.text !== text) step(id, 'task', text)
    },
    wire: (direction, message) =>
      change(id, ({ wire }) => ({ wire: within([...wire, { at: Date.now(), direction, message }]) })),
    answer: (question, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => reject(signal.reason as Error)
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { once: true })
        replies.set(id, (answer) => {
          replies.delete(id)
          signal.removeEventListener('abort', stop)
          step(id, 'answered', String(answer['action']), { question: undefined })
          resolve(answer)
        })
        step(id, 'asked', String(question.params['message'] ?? question.method), { question })
      }),
  })

  async function start(request: NewRun): Promise<Run> {
    const { client, endpoint, method = 'tools/call', tool, schema, arguments: value } = request
    const id = ++last
    const begun: Run = {
      ...{ id, endpoint, method, tool, arguments: value, era: client.era, begun: Date.now() },
      ...{ state: 'running', steps: [], wire: [] },
    }
    set([...runs.slice(1 - MOST_RUNS), begun])
    const stop = new AbortController()
    stops.set(id, stop)
    const params = method === 'tools/call' ? { name: tool, arguments: value } : { uri: tool }
    const end = await endOf(
      client.request(method, params, { eventSink: eventSinkOf(id), signal: stop.signal, schema }),
      stop.signal,
    )
    stops.delete(id)
    replies.delete(id)
    change(id, () => ({ ...end, ended: Date.now(), question: undefined }))
    return runs.find((run) => run.id === id) ?? { ...begun, ...end, ended: Date.now() }
  }

  return {
    all: () => runs,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start,
    cancel: (id) => stops.get(id)?.abort(new DOMException('cancelled', 'AbortError')),
    answer: (id, answer) => replies.get(id)?.(answer),
    clear: () => set(runs.filter(({ state }) => state === 'running')),
  }
}

const within = <Item>(items: readonly Item[]): readonly Item[] =>
  items.length <= MOST_STEPS ? items : [...items.slice(0, MOST_STEPS / 2), ...items.slice(1 - MOST_STEPS / 2)]

async function endOf(asking: Promise<JsonObject>, signal: AbortSignal): Promise<Partial<Run>> {
  try {
    const result = await asking
    return { state: result['isError'] === true ? 'failed' : 'done', result }
  } catch (thrown) {
    if (signal.aborted) return { state: 'cancelled' }
    return { state: 'failed', failure: failureOf(thrown) }
  }
}

/** In the words of whoever refused: the gateway says phase and mend, a server only its sentence. */
export function failureOf(thrown: unknown): CallFailure {
  if (!(thrown instanceof RpcFailure)) return Problem.of(thrown)
  const { message, code, data } = thrown.error
  const value = isObject(data) ? data : {}
  const text = (name: string) => (typeof value[name] === 'string' ? value[name] : undefined)
  return {
    message,
    code: text('fault') ?? String(code),
    phase: text('phase'),
    mend: text('mend'),
    correlationId: text('correlation_id'),
    asked: 'tools/call',
    errors: errorsIn(value['errors']),
  }
}

export interface CallFailure extends Failure {
  readonly errors?: readonly ArgumentError[]
}

export interface ArgumentError {
  /** A JSON Pointer into the arguments. */
  readonly path: string
  readonly message: string
}

/** What does not fit, each at its place, whether the call was refused or its tool's result says so. */
export function argumentErrorsOf({ failure, result }: Run): readonly ArgumentError[] {
  const { _meta } = result ?? {}
  const fault = isObject(_meta) ? _meta['dev.toolway/fault'] : undefined
  return failure?.errors ?? errorsIn(isObject(fault) ? fault['errors'] : undefined)
}

const errorsIn = (input: unknown): readonly ArgumentError[] =>
  Array.isArray(input)
    ? input.flatMap((value: unknown) =>
        isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'
          ? [{ path: value['path'], message: value['message'] }]
          : [],
      )
    : []
