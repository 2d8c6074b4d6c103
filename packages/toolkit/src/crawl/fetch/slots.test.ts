import { expect, test } from 'vitest'
import { HostSlots, Slots } from './slots.ts'

const never = new AbortController().signal

test('a turn that ends passes to who waits longest', async () => {
  const slots = new Slots(1)
  const order: number[] = []
  const first = await slots.take(never)
  const waiting = [1, 2].map(async (number) => {
    using _ = await slots.take(never)
    order.push(number)
  })
  expect(order).toEqual([])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2])
})

test('who leaves while waiting takes no turn', async () => {
  const slots = new Slots(1)
  const held = await slots.take(never)
  const leaving = new AbortController()
  const left = slots.take(leaving.signal)
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  held[Symbol.dispose]()
  using _ = await slots.take(never)
  await expect(slots.take(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})

test('hosts do not wait for one another', async () => {
  const hosts = new HostSlots(1)
  using _one = await hosts.take('a.example', 0, never)
  using _other = await hosts.take('b.example', 0, never)
  const leaving = new AbortController()
  const waiting = hosts.take('a.example', 0, leaving.signal)
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})
