/**
 * The tasks that a principal was given, so that it can list its own and is notified of no other's.
 *
 * Behind a shared credential a server's own list holds every caller's tasks, so it is never requested. Bounded for each principal
 * and in all; the oldest go first, and a forgotten task is still found by its id (`task-ids.ts`), but not listed.
 */
import type { TaskPlace } from './task-ids.ts'

export interface HandedTask {
  /** Rises with each task: a position in the list that outlives its task. */
  readonly order: string
  readonly place: TaskPlace
  readonly taskId: string
  readonly holder: string
}

/** A legacy server may keep a task for the session that it was made in; such a task is listed in that session only. */
export const ANYWHERE = ''

export interface TaskLedger {
  /** `holder` names the session that the task belongs to, or nothing in particular (`ANYWHERE`). */
  hand(principal: string, place: TaskPlace, taskId: string, holder: string): void
  /** Whether this principal was given this task. */
  knows(principal: string, place: TaskPlace, taskId: string): boolean
  /** The account that it was made with, where there was a choice. */
  actingOn(principal: string, place: TaskPlace, taskId: string): string | undefined
  /** Of this holder or anywhere, oldest first. */
  list(principal: string, holder: string): readonly HandedTask[]
  forget(principal: string, place: TaskPlace, taskId: string): void
  readonly size: number
}

const MOST_OF_ONE = 1_000
const MOST = 50_000

export function createTaskLedger(most: { ofOne: number; all: number } = { ofOne: MOST_OF_ONE, all: MOST }): TaskLedger {
  const owned = new Map<string, Map<string, HandedTask>>()
  let size = 0
  let last = 0

  function drop(principal: string, key: string): void {
    const own = owned.get(principal)
    if (own?.delete(key) !== true) return
    size--
    if (own.size === 0) owned.delete(principal)
  }

  /** The principal with the least recently given task loses its oldest. */
  function makeRoom(principal: string): void {
    const own = owned.get(principal)
    if (own !== undefined && own.size >= most.ofOne) drop(principal, firstOf(own))
    else if (size >= most.all) {
      const eldest = firstOf(owned)
      drop(eldest, firstOf(owned.get(eldest) ?? new Map()))
    }
  }

  return {
    hand(principal, place, taskId, holder) {
      const key = keyOf(place, taskId)
      if (owned.get(principal)?.has(key) === true) return
      makeRoom(principal)
      const own = owned.get(principal) ?? new Map<string, HandedTask>()
      // Set anew, so that the principals stand in the order of their last task.
      owned.delete(principal)
      owned.set(principal, own)
      const { connectionId, alias, acting } = place
      own.set(key, { order: String(++last).padStart(16, '0'), place: { connectionId, alias, acting }, taskId, holder })
      size++
    },
    knows: (principal, place, taskId) => owned.get(principal)?.has(keyOf(place, taskId)) === true,
    actingOn: (principal, place, taskId) => owned.get(principal)?.get(keyOf(place, taskId))?.place.acting,
    list(principal, holder) {
      const own = [...(owned.get(principal)?.values() ?? [])]
      return own.filter((task) => task.holder === ANYWHERE || task.holder === holder)
    },
    forget: (principal, place, taskId) => drop(principal, keyOf(place, taskId)),
    get size() {
      return size
    },
  }
}

const keyOf = ({ connectionId }: TaskPlace, taskId: string) => `${connectionId} ${taskId}`
const firstOf = (map: ReadonlyMap<string, unknown>): string => map.keys().next().value ?? ''
