import type { Notification } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createListening, type Union, type Wish } from './listening.ts'

const updated = (uri: string): Notification => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})
const wish = (uris: readonly string[], more: Partial<Wish> = {}): Wish => ({ lists: false, uris, tasks: [], ...more })

function fixture() {
  const unions: Union[] = []
  const listening = createListening({
    apply: (union) => Promise.resolve(void unions.push(union)).then(() => undefined),
  })
  return {
    listening,
    unions,
    last: () => [...(unions.at(-1)?.uris ?? [])],
    async join(given: Wish) {
      const heard: Notification[] = []
      const leaving = new AbortController()
      const honoured = await listening.join(given, (said) => void heard.push(said), leaving.signal)
      return { heard, honoured, leave: () => leaving.abort() }
    },
  }
}

describe('those who listen to one source', () => {
  test('want between them what each of them wants, until the last who wants it leaves', async () => {
    const { join, last, unions } = fixture()
    const one = await join(wish(['a', 'b']))
    const two = await join(wish(['b', 'c']))
    expect(last().toSorted()).toEqual(['a', 'b', 'c'])
    const told = unions.length
    await join(wish(['b']))
    expect(unions).toHaveLength(told)
    one.leave()
    expect(last().toSorted()).toEqual(['b', 'c'])
    two.leave()
    expect(last()).toEqual(['b'])
  })

  test('hear of what they named, and of nothing that another named', async () => {
    const { join, listening } = fixture()
    const one = await join(wish(['test://a'], { tasks: ['t1'] }))
    const other = await join(wish(['test://b'], { lists: true }))
    listening.hear(updated('test://a'))
    listening.hear({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    listening.hear({ jsonrpc: '2.0', method: 'notifications/tasks', params: { taskId: 't1', status: 'completed' } })
    listening.hear({ jsonrpc: '2.0', method: 'notifications/tasks', params: { taskId: 't2', status: 'completed' } })
    listening.hear({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x' } })
    expect(one.heard.map(({ method }) => method)).toEqual(['notifications/resources/updated', 'notifications/tasks'])
    expect(other.heard.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
  })

  test('hear of a part of what they named, and not of what only begins like it', async () => {
    const { join, listening } = fixture()
    const { heard } = await join(wish(['test://folder']))
    for (const uri of ['test://folder/a/b', 'test://folder#part', 'test://folder2', 'test://'])
      listening.hear(updated(uri))
    expect(heard.map(({ params }) => params?.['uri'])).toEqual(['test://folder/a/b', 'test://folder#part'])
  })

  test('are told after a break that all they named may have changed', async () => {
    const { join, listening } = fixture()
    const { heard } = await join(wish(['a'], { lists: true }))
    const silent = await join(wish([], { tasks: ['t1'] }))
    listening.missed()
    expect(heard.map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
    ])
    expect(silent.heard).toEqual([])
  })

  test('name at most ten thousand between them; what goes beyond is not honoured', async () => {
    const { join, last } = fixture()
    const many = Array.from({ length: 9_999 }, (_, at) => `test://${at}`)
    await join(wish(many))
    const { honoured } = await join(wish(['test://0', 'test://x', 'test://y']))
    expect(honoured.uris).toEqual(['test://0', 'test://x'])
    expect(last()).toHaveLength(10_000)
  })

  test('learn what the source takes', async () => {
    const listening = createListening({
      apply: () => Promise.resolve({ uri: (uri) => uri === 'a', task: () => false }),
    })
    const { signal } = new AbortController()
    const honoured = await listening.join(wish(['a', 'b'], { tasks: ['t'] }), () => {}, signal)
    expect(honoured).toEqual({ uris: ['a'], tasks: [] })
  })
})
