/** The gateway's knowledge of tasks, in one place: their names, their owners, and the data stored for the other era. */
import type { Signer } from '../../catalog/page.ts'
import { createFinishedTasks, type FinishedTasks } from './finished-tasks.ts'
import { createHeldTasks, type HeldTasks } from './held-tasks.ts'
import { bindTaskId, releaseTaskId, type ReleasedTask, type TaskPlace } from './task-ids.ts'
import { createTaskLedger, type TaskLedger } from './task-ledger.ts'

export interface TaskBook {
  readonly ledger: TaskLedger
  readonly held: HeldTasks
  readonly finished: FinishedTasks
  bind(principal: string, place: TaskPlace, taskId: string): string
  release<Place extends TaskPlace>(
    principal: string,
    places: readonly Place[],
    bound: string,
  ): ReleasedTask<Place> | undefined
  close(): void
}

export function createTaskBook(signer: Signer): TaskBook {
  const tasks = createHeldTasks()
  return {
    ledger: createTaskLedger(),
    held: tasks,
    finished: createFinishedTasks(),
    bind: (principal, place, taskId) => bindTaskId(signer, principal, place, taskId),
    release: (principal, places, bound) => releaseTaskId(signer, principal, places, bound),
    close: () => tasks.close(),
  }
}
