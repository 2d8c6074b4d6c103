import { describe, expect, test } from 'vitest'
import {
  carriesTask,
  legacyTask,
  modernQuestion,
  modernTask,
  relateQuestions,
  renameRelated,
  renameTask,
  withRelated,
} from './tasks.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const ours = (id: string) => `our ${id}`
const TIMES = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:01Z' }

describe('the ids of tasks', () => {
  test('are renamed in both forms of a new task, and in what belongs to one', () => {
    expect(renameTask({ resultType: 'task', taskId: 't', x: 1 }, ours)).toEqual({
      resultType: 'task',
      taskId: 'our t',
      x: 1,
    })
    expect(renameTask({ task: { taskId: 't', y: 2 }, x: 1 }, ours)).toEqual({ task: { taskId: 'our t', y: 2 }, x: 1 })
    expect(renameRelated({ _meta: { [RELATED]: { taskId: 't', z: 3 }, k: 1 } }, ours)).toEqual({
      _meta: { [RELATED]: { taskId: 'our t', z: 3 }, k: 1 },
    })
  })

  test('are not seen where there are none: the very same object comes back', () => {
    const plain = [
      {},
      { taskId: 'a tool’s own' },
      { resultType: 'task' },
      { _meta: { [RELATED]: 't' } },
      { _meta: { k: 1 } },
    ]
    for (const result of plain) expect(renameTask(result, ours)).toBe(result)
    const whether = [{}, { taskId: 'x' }, { _meta: null }, { _meta: { k: 1 } }, { resultType: 'complete' }].map(
      carriesTask,
    )
    expect(whether).toEqual([false, false, false, false, false])
    const task = [{ resultType: 'task' }, { task: {} }, { _meta: { [RELATED]: { taskId: 't' } } }].map(carriesTask)
    expect(task).toEqual([true, true, true])
    expect(renameRelated(undefined, ours)).toBeUndefined()
  })
})

describe('a task', () => {
  test('is said in the words of the other form, with everything else that it says', () => {
    const modern = { taskId: 't', status: 'working', ...TIMES, ttlMs: 5, pollIntervalMs: 1, 'x-odd': [] }
    const legacy = { taskId: 't', status: 'working', ...TIMES, ttl: 5, pollInterval: 1, 'x-odd': [] }
    expect(legacyTask({ resultType: 'complete', ...modern })).toEqual(legacy)
    expect(modernTask(legacy)).toEqual(modern)
    expect(legacyTask({ taskId: 't', ttlMs: null })).toEqual({ taskId: 't', ttl: null })
    expect(legacyTask({ taskId: 't', result: {}, error: {}, inputRequests: {} })).toEqual({ taskId: 't', ttl: null })
  })

  test('names itself in its questions to a legacy client, each put once', () => {
    const inputRequests = { a: { method: 'elicitation/create', params: { message: 'x' } }, b: { method: 'roots/list' } }
    const task = { status: 'input_required', inputRequests }
    const _meta = { [RELATED]: { taskId: 't' } }
    expect(relateQuestions(task, new Set(), 't')).toEqual({
      a: { method: 'elicitation/create', params: { message: 'x', _meta } },
      b: { method: 'roots/list', params: { _meta } },
    })
    expect(Object.keys(relateQuestions(task, new Set(['a']), 't'))).toEqual(['b'])
    expect(relateQuestions({ ...task, status: 'working' }, new Set(), 't')).toEqual({})
  })

  test('leaves no trace in what a modern client reads', () => {
    const _meta = { [RELATED]: { taskId: 't' }, k: 1 }
    expect(withRelated({ content: [], _meta }, undefined)).toEqual({ content: [], _meta: { k: 1 } })
    expect(
      modernQuestion('elicitation/create', { mode: 'url', elicitationId: 'e', _meta: { [RELATED]: { taskId: 't' } } }),
    ).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url' },
    })
    expect(modernQuestion('roots/list', {})).toEqual({ method: 'roots/list' })
    expect(modernQuestion('sampling/createMessage', { elicitationId: 'kept' })).toMatchObject({
      params: { elicitationId: 'kept' },
    })
  })
})
