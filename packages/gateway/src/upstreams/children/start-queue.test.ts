import { describe, expect, test } from 'vitest'
import { createStartQueue } from './start-queue.ts'

/** Asks for a place and notes when it got it. */
function ask(queue: ReturnType<typeof createStartQueue>, order: string[], name: string, signal?: AbortSignal) {
  return queue.take(signal).then((giveBack) => {
    order.push(name)
    return giveBack
  })
}
const settled = () => new Promise((done) => setImmediate(done))

describe('places to start', () => {
  test('are given in order of asking, and one given back twice counts once', async () => {
    const queue = createStartQueue({ places: 1 })
    const order: string[] = []
    const giveBack = await ask(queue, order, 'a')
    const rest = ['b', 'c'].map((name) => ask(queue, order, name))
    await settled()
    expect(order).toEqual(['a'])
    giveBack()
    giveBack()
    await settled()
    expect(order).toEqual(['a', 'b'])
    ;(await rest[0])?.()
    await rest[1]
    expect(order).toEqual(['a', 'b', 'c'])
  })

  test('go past those who gave up', async () => {
    const queue = createStartQueue({ places: 1 })
    const order: string[] = []
    const giveBack = await ask(queue, order, 'a')
    const giveUp = new AbortController()
    const gone = ask(queue, order, 'gone', giveUp.signal)
    const next = ask(queue, order, 'next')
    giveUp.abort(new Error('enough'))
    await expect(gone).rejects.toThrow('enough')
    giveBack()
    await next
    expect(order).toEqual(['a', 'next'])
  })

  test('are refused to all when it closes', async () => {
    const queue = createStartQueue({ places: 1 })
    await queue.take()
    const waiting = queue.take()
    queue.close(new Error('closed'))
    await expect(waiting).rejects.toThrow('closed')
    await expect(queue.take()).rejects.toThrow('closed')
  })
})
