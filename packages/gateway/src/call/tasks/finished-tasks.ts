/**
 * Calls that a legacy client made as tasks and a modern server answered at once: the client is given a task that is over
 * already, and fetches its result (translation table: tasks, legacy client and modern server).
 *
 * In memory only, for a while, bounded for each principal and in bytes; the oldest go first.
 */
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@toolway/protocol'
import type { Answer } from '../../upstreams/upstream.ts'

export interface FinishedTask {
  readonly principal: string
  /** As 2025-11-25 writes it, with the id that it is kept under. */
  readonly task: JsonObject
  readonly answer: Answer
  readonly until: number
  readonly size: number
}

export interface FinishedTasks {
  keep(principal: string, answer: Answer): FinishedTask
  find(principal: string, taskId: string): FinishedTask | undefined
}

/** Milliseconds, tasks and characters. */
const LIFE = 10 * 60_000
const MOST_OF_ONE = 100
const MOST_SIZE = 64 * 1024 * 1024

export function createFinishedTasks(now: () => number = Date.now): FinishedTasks {
  const kept = new Map<string, FinishedTask>()
  let size = 0

  function drop(taskId: string, task: FinishedTask): void {
    kept.delete(taskId)
    size -= task.size
  }

  /** In the order in which they were kept, so the oldest come first. */
  function makeRoom(principal: string, needed: number): void {
    let own = 0
    for (const task of kept.values()) if (task.principal === principal) own++
    for (const [taskId, task] of kept) {
      const tooMany = task.principal === principal && own >= MOST_OF_ONE
      if (task.until > now() && size + needed <= MOST_SIZE && !tooMany) continue
      if (task.principal === principal) own--
      drop(taskId, task)
    }
  }

  return {
    keep(principal, answer) {
      const needed = JSON.stringify(answer).length
      makeRoom(principal, needed)
      const taskId = randomUUID()
      const failed = 'error' in answer || answer.result['isError'] === true
      const at = new Date(now()).toISOString()
      const status = failed ? 'failed' : 'completed'
      const task: JsonObject = { taskId, status, createdAt: at, lastUpdatedAt: at, ttl: LIFE }
      const one = { principal, task, answer, until: now() + LIFE, size: needed }
      kept.set(taskId, one)
      size += needed
      return one
    },
    find(principal, taskId) {
      const task = kept.get(taskId)
      return task?.principal === principal && task.until > now() ? task : undefined
    },
  }
}
