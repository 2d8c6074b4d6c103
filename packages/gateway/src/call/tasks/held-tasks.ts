/**
 * Tasks of legacy servers that modern clients poll: the server asks its questions on a stream that must be kept open
 * (`tasks/result`), while a modern client only polls (translation table: tasks, modern client and legacy server).
 *
 * So the stream is kept open here while there are questions, for some time after the client's last poll, bounded for each
 * principal. Questions wait under keys of the gateway until the client answers. Nothing here ends the task itself.
 */
import { Fault } from '@toolway/contract'
import { isObject, modernQuestion, type Json, type JsonObject, type Request } from '@toolway/protocol'
import type { Answer, SessionRef } from '../../upstreams/upstream.ts'

/** The principal, its task, and the session that the task was made in. */
export interface HeldKey {
  readonly principal: string
  readonly connectionId: string
  readonly taskId: string
}

export interface TaskEventSink {
  readonly signal: AbortSignal
  onQuestion(question: Request): Promise<Answer>
}

export interface HeldTasks {
  /** A task was made in this session, and is asked after there from now on. */
  made(key: HeldKey, session: SessionRef | undefined): void
  session(key: HeldKey): SessionRef | undefined
  /** The open questions by key; `listen` is started where no stream is open yet. */
  questions(key: HeldKey, listen: (eventSink: TaskEventSink) => Promise<unknown>): Promise<JsonObject>
  /** Answers to questions that wait; keys that nobody asked for are ignored. */
  settle(key: HeldKey, answers: Json | undefined): void
  end(key: HeldKey): void
  readonly size: number
  close(): void
}

/** Milliseconds that a stream is held after a visit, streams of one principal, and sessions that are remembered. */
const LIFE = 10 * 60_000
const MOST_OF_ONE = 20
const MOST_SESSIONS = 10_000
/** A server that has something to ask says so at once; this long it is waited for, in milliseconds. */
const PATIENCE = 500

interface Question {
  readonly asked: JsonObject
  settle(answer: Answer): void
}

interface TaskEntry {
  readonly principal: string
  readonly controller: AbortController
  readonly pending: Map<string, Question>
  timer: NodeJS.Timeout
  look: () => void
  last: number
}

export const createHeldTasks = (): HeldTasks => new TasksInMemory()

class TasksInMemory implements HeldTasks {
  readonly #held = new Map<string, TaskEntry>()
  readonly #sessions = new Map<string, SessionRef | undefined>()

  #drop(name: string): void {
    const task = this.#held.get(name)
    if (task === undefined) return
    this.#held.delete(name)
    clearTimeout(task.timer)
    for (const { settle } of task.pending.values()) settle(GONE)
    task.pending.clear()
    task.controller.abort(new Fault('call.cancelled'))
    task.look()
  }

  #timed(name: string) {
    return setTimeout(() => this.#drop(name), LIFE).unref()
  }

  #begin(name: string, principal: string, listen: (eventSink: TaskEventSink) => Promise<unknown>): TaskEntry {
    const own = [...this.#held.values()].filter((other) => other.principal === principal)
    if (own.length >= MOST_OF_ONE) throw new Fault('question.limit', { limit: MOST_OF_ONE })
    const task: TaskEntry = {
      principal,
      controller: new AbortController(),
      pending: new Map(),
      timer: this.#timed(name),
      look() {},
      last: 0,
    }
    this.#held.set(name, task)
    const onQuestion = ({ method, params = {} }: Request) =>
      new Promise<Answer>((settle) => {
        task.pending.set(`q${++task.last}`, { asked: modernQuestion(method, params), settle })
        task.look()
      })
    listen({ signal: task.controller.signal, onQuestion }).then(
      () => this.#drop(name),
      () => this.#drop(name),
    )
    return task
  }

  made(key: HeldKey, session: SessionRef | undefined) {
    this.#sessions.set(nameOf(key), session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest)
  }

  session(key: HeldKey) {
    return this.#sessions.get(nameOf(key))
  }

  async questions(key: HeldKey, listen: (eventSink: TaskEventSink) => Promise<unknown>) {
    const name = nameOf(key)
    const task = this.#held.get(name) ?? this.#begin(name, key.principal, listen)
    clearTimeout(task.timer)
    task.timer = this.#timed(name)
    if (task.pending.size === 0) await looked(task)
    return Object.fromEntries([...task.pending].map(([request, question]) => [request, question.asked]))
  }

  settle(key: HeldKey, answers: Json | undefined) {
    const task = this.#held.get(nameOf(key))
    if (task === undefined || !isObject(answers)) return
    for (const [request, { settle }] of task.pending) {
      const answer = Object.hasOwn(answers, request) ? answers[request] : undefined
      if (!isObject(answer)) continue
      task.pending.delete(request)
      settle({ result: answer })
    }
  }

  end(key: HeldKey) {
    this.#drop(nameOf(key))
    this.#sessions.delete(nameOf(key))
  }

  get size() {
    return this.#held.size
  }

  close() {
    for (const name of [...this.#held.keys()]) this.#drop(name)
  }
}

/** Until something is asked or the stream is over, but not for long. */
const looked = (task: TaskEntry): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      task.look = () => {}
      resolve()
    }
    const timer = setTimeout(done, PATIENCE)
    task.look = done
  })

const GONE: Answer = { error: { code: -32603, message: 'The client did not come back.' } }
const nameOf = ({ principal, connectionId, taskId }: HeldKey) => `${principal}\n${connectionId}\n${taskId}`
