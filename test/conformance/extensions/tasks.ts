/**
 * Tasks that run: made, looked at, answered, ended (Tasks extension, SEP-2663). In memory, for one fixture.
 *
 * Each belongs to whoever holds its id; who that may be is the affair of whoever stands in front.
 */
import { randomUUID } from 'node:crypto'

type Json = Record<string, unknown>

/** A task's hand on its own course. */
export interface Running {
  pause(milliseconds: number): Promise<void>
  /** Asks, and resolves when every question has its answer. */
  ask(requests: Record<string, Json>): Promise<Record<string, unknown>>
}

interface Task {
  readonly taskId: string
  readonly createdAt: string
  readonly stop: AbortController
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  lastUpdatedAt: string
  end: Json
  readonly open: Map<string, Json>
  answered: Record<string, unknown>
  wake: () => void
}

export interface Tasks {
  /** Begins it; the flat task that `tools/call` answers with. */
  begin(work: (running: Running) => Promise<Json>): Json
  /** The task in full, or undefined where there is none of that id. */
  look(taskId: string): Json | undefined
  answer(taskId: string, responses: Record<string, unknown>): boolean
  cancel(taskId: string): boolean
  /** Every id, as a server behind one credential knows them all. */
  readonly ids: readonly string[]
  close(): void
}

const TTL = 60_000
const POLL = 200
const isOver = ({ status }: Task) => status !== 'working' && status !== 'input_required'

export function createTasks(): Tasks {
  const tasks = new Map<string, Task>()

  function change(task: Task, status: Task['status'], end: Json = {}): void {
    if (isOver(task)) return
    task.status = status
    task.end = end
    task.lastUpdatedAt = new Date().toISOString()
  }

  const runningOf = (task: Task): Running => ({
    pause: (milliseconds) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds)
        task.stop.signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('cancelled'))))
      }),
    ask: (requests) =>
      new Promise((resolve, reject) => {
        for (const [key, request] of Object.entries(requests)) task.open.set(key, request)
        change(task, 'input_required')
        task.wake = () => {
          if (task.open.size > 0) return
          change(task, 'working')
          resolve(task.answered)
        }
        task.stop.signal.addEventListener('abort', () => reject(new Error('cancelled')))
      }),
  })

  const base = ({ taskId, status, createdAt, lastUpdatedAt }: Task): Json => ({
    taskId,
    status,
    createdAt,
    lastUpdatedAt,
    ttlMs: TTL,
    pollIntervalMs: POLL,
  })

  return {
    begin(work) {
      const now = new Date().toISOString()
      const task: Task = {
        taskId: randomUUID(),
        createdAt: now,
        lastUpdatedAt: now,
        stop: new AbortController(),
        status: 'working',
        end: {},
        open: new Map(),
        answered: {},
        wake() {},
      }
      tasks.set(task.taskId, task)
      work(runningOf(task)).then(
        (result) => change(task, 'completed', { result: { resultType: 'complete', ...result } }),
        (thrown: unknown) => change(task, 'failed', { error: { code: -32603, message: String(thrown) } }),
      )
      return { ...base(task), status: 'working' }
    },
    look(taskId) {
      const task = tasks.get(taskId)
      if (task === undefined) return undefined
      const asks = task.status === 'input_required' ? { inputRequests: Object.fromEntries(task.open) } : {}
      return { ...base(task), ...task.end, ...asks }
    },
    answer(taskId, responses) {
      const task = tasks.get(taskId)
      if (task === undefined) return false
      for (const [key, response] of Object.entries(responses))
        if (task.open.delete(key)) task.answered = { ...task.answered, [key]: response }
      task.wake()
      return true
    },
    cancel(taskId) {
      const task = tasks.get(taskId)
      if (task === undefined) return false
      change(task, 'cancelled')
      task.stop.abort()
      return true
    },
    get ids() {
      return [...tasks.keys()]
    },
    close() {
      for (const { stop } of tasks.values()) stop.abort()
    },
  }
}
