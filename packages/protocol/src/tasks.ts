/**
 * The ids of tasks wherever messages carry them, in both forms that tasks have: the extension of 2026-07-28 and the core of
 * 2025-11-25 (Tasks extension, SEP-2663; 2025-11-25, tasks).
 *
 * Pure: it finds and renames ids, and converts one form of a task into the other. The owner of a task is decided elsewhere.
 */
import { isObject, type Json, type JsonObject } from './json.ts'

export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

type Rename = (taskId: string) => string

/** Whether a result is a task, or belongs to one. Nearly every result is neither, and this costs next to nothing. */
export function carriesTask(result: JsonObject): boolean {
  if (result['resultType'] === 'task' || result['task'] !== undefined) return true
  const meta = result['_meta'] as JsonObject | null | undefined
  return meta?.[RELATED_TASK] !== undefined
}

/** The result of a request that may have become a task, with the task's id renamed; the same object where there is none. */
export function renameTask(result: JsonObject, rename: Rename): JsonObject {
  const { task, taskId } = result
  if (result['resultType'] === 'task' && typeof taskId === 'string') return { ...result, taskId: rename(taskId) }
  if (isObject(task) && typeof task['taskId'] === 'string')
    return renameRelated({ ...result, task: { ...task, taskId: rename(task['taskId']) } }, rename)
  return renameRelated(result, rename)
}

/** Params or a result whose `_meta` names the task that they belong to (2025-11-25, tasks: associating messages). */
export function renameRelated<Holder extends JsonObject | undefined>(
  holder: Holder,
  rename: Rename,
): Holder | JsonObject {
  const meta = holder?.['_meta']
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined
  if (!isObject(meta) || !isObject(related) || typeof related['taskId'] !== 'string') return holder
  return { ...holder, _meta: { ...meta, [RELATED_TASK]: { ...related, taskId: rename(related['taskId']) } } }
}

export const isOver = (status: Json | undefined): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** A task of the extension as 2025-11-25 writes it: other names for time and pause, and no result, error or question in it. */
export function legacyTask(task: JsonObject): JsonObject {
  const { resultType: _, ttlMs, pollIntervalMs, result: __, error: ___, inputRequests: ____, ...rest } = task
  return { ...rest, ttl: ttlMs ?? null, ...(pollIntervalMs === undefined ? {} : { pollInterval: pollIntervalMs }) }
}

/** A task of 2025-11-25 as the extension writes it, still without what tells how it ended. */
export function modernTask(task: JsonObject): JsonObject {
  const { ttl, pollInterval, ...rest } = task
  return { ...rest, ttlMs: ttl ?? null, ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }) }
}

/** A message that says which task it belongs to; undefined: none. */
export function withRelated(holder: JsonObject, taskId: string | undefined): JsonObject {
  const { _meta: input, ...rest } = holder
  const { [RELATED_TASK]: _, ...meta }: JsonObject = isObject(input) ? input : {}
  if (taskId !== undefined) meta[RELATED_TASK] = { taskId }
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

/** The questions of a modern task that are still open, each naming the task, as they are put to a legacy client. */
export function relateQuestions(task: JsonObject, answered: ReadonlySet<string>, taskId: string): JsonObject {
  const requests = task['status'] === 'input_required' ? task['inputRequests'] : undefined
  if (!isObject(requests)) return {}
  const open = Object.entries(requests).filter(([key, request]) => !answered.has(key) && isObject(request))
  return Object.fromEntries(
    open.map(([key, request]) => {
      const { params } = request as JsonObject
      return [key, { ...(request as JsonObject), params: withRelated(isObject(params) ? params : {}, taskId) }]
    }),
  )
}

/** A legacy server's question as a modern task or result names it: the names of the legacy era stay behind. */
export function modernQuestion(method: string, params: JsonObject): JsonObject {
  const { elicitationId: _, ...rest } = withRelated(params, undefined)
  const own = method === 'elicitation/create' ? rest : withRelated(params, undefined)
  return Object.keys(own).length === 0 ? { method } : { method, params: own }
}
