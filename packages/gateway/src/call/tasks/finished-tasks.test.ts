import { describe, expect, test } from 'vitest'
import { createFinishedTasks } from './finished-tasks.ts'

const said = (text: string) => ({ result: { content: [{ type: 'text', text }] } })
const clock = () => {
  const time = { now: 0 }
  return { time, tasks: createFinishedTasks(() => time.now) }
}

describe('a task that was over at once', () => {
  test('is there for its principal, and for nobody else', () => {
    const { tasks } = clock()
    const { task } = tasks.keep('ada', said('x'))
    expect(tasks.find('ada', String(task['taskId']))?.answer).toEqual(said('x'))
    expect(tasks.find('bob', String(task['taskId']))).toBeUndefined()
    expect(tasks.find('ada', 'other')).toBeUndefined()
  })

  test('has failed where its tool or its request has', () => {
    const { tasks } = clock()
    expect(tasks.keep('ada', said('x')).task['status']).toBe('completed')
    expect(tasks.keep('ada', { result: { content: [], isError: true } }).task['status']).toBe('failed')
    expect(tasks.keep('ada', { error: { code: -1, message: 'no' } }).task['status']).toBe('failed')
  })

  test('is kept for as long as it says', () => {
    const { tasks, time } = clock()
    const { task } = tasks.keep('ada', said('x'))
    time.now = Number(task['ttl']) - 1
    expect(tasks.find('ada', String(task['taskId']))).toBeDefined()
    time.now++
    expect(tasks.find('ada', String(task['taskId']))).toBeUndefined()
  })

  test('goes when its principal has a hundred later ones, and no sooner for another’s', () => {
    const { tasks } = clock()
    const ids = Array.from({ length: 101 }, (_, at) => String(tasks.keep('ada', said(String(at))).task['taskId']))
    const own = tasks.keep('bob', said('bob')).task
    const held = ids.map((id) => tasks.find('ada', id) !== undefined)
    expect(held).toEqual([false, ...Array.from({ length: 100 }, () => true)])
    expect(tasks.find('bob', String(own['taskId']))).toBeDefined()
  })

  test('goes when all together are too large', () => {
    const { tasks } = clock()
    const large = said('x'.repeat(30 * 1024 * 1024))
    const ids = ['ada', 'bob', 'cid'].map((who) => String(tasks.keep(who, large).task['taskId']))
    expect(['ada', 'bob', 'cid'].map((who, at) => tasks.find(who, ids[at] ?? '') !== undefined)).toEqual([
      false,
      true,
      true,
    ])
  })
})
