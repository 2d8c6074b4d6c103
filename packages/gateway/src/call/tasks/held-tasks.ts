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
    const one = this.#held.get(name)
    if (one === undefined) return
    this.#held.delete(name)
    clearTimeout(one.timer)
    for (const { settle } of one.pending.values()) settle(GONE)
    one.pending.clear()
    one.controller.abort(new Fault('call.cancelled'))
    one.look()
  }

  #timed(name: string) {
    return setTimeout(() => this.#drop(name), LIFE).unref()
  }

  #begin(name: string, principal: string, listen: (eventSink: TaskEventSink) => Promise<unknown>): TaskEntry {
    const own = [...this.#held.values()].filter((other) => other.principal === principal)
    if (own.length >= MOST_OF_ONE) throw new Fault('question.limit', { limit: MOST_OF_ONE })
    const one: TaskEntry = {
      principal,
      controller: new AbortController(),
      pending: new Map(),
      timer: this.#timed(name),
      look() {},
      last: 0,
    }
    this.#held.set(name, one)
    const onQuestion = ({ method, params = {} }: Request) =>
      new Promise<Answer>((settle) => {
        one.pending.set(`q${++one.last}`, { asked: modernQuestion(method, params), settle })
        one.look()
      })
    listen({ signal: one.controller.signal, onQuestion }).then(
      () => this.#drop(name),
      () => this.#drop(name),
    )
    return one
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
    const one = this.#held.get(name) ?? this.#begin(name, key.principal, listen)
    clearTimeout(one.timer)
    one.timer = this.#timed(name)
    if (one.pending.size === 0) await looked(one)
    return Object.fromEntries([...one.pending].map(([asked, question]) => [asked, question.asked]))
  }

  settle(key: HeldKey, answers: Json | undefined) {
    const one = this.#held.get(nameOf(key))
    if (one === undefined || !isObject(answers)) return
    for (const [asked, { settle }] of one.pending) {
      const answer = Object.hasOwn(answers, asked) ? answers[asked] : undefined
      if (!isObject(answer)) continue
      one.pending.delete(asked)
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
const looked = (one: TaskEntry): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      one.look = () => {}
      resolve()
    }
    const timer = setTimeout(done, PATIENCE)
    one.look = done
  })

const GONE: Answer = { error: { code: -32603, message: 'The client did not come back.' } }
const nameOf = ({ principal, connectionId, taskId }: HeldKey) => `${principal}\n${connectionId}\n${taskId}`
