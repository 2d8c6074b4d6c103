import { expect, test } from 'vitest'
import { Shared } from './shared.ts'

const never = () => new AbortController().signal

test('a value is made once, and again after it was dropped', async () => {
  const shared = new Shared<object>()
  let made = 0
  const make = () => Promise.resolve({ at: ++made })
  const [one, other] = await Promise.all([shared.get(never(), make), shared.get(never(), make)])
  expect([one, made]).toEqual([other, 1])
  shared.drop({})
  expect(await shared.get(never(), make)).toBe(one)
  shared.drop(one)
  expect(await shared.get(never(), make)).toEqual({ at: 2 })
})

test('a call that gives up leaves the making to the others', async () => {
  const shared = new Shared<string>()
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = new AbortController()
  let making: AbortSignal | undefined
  const make = (signal: AbortSignal) => {
    making = signal
    return promise
  }
  const [gaveUp, waits] = [shared.get(first.signal, make), shared.get(never(), make)]
  first.abort(new Error('cancelled'))
  await expect(gaveUp).rejects.toThrow('cancelled')
  expect(making?.aborted).toBe(false)
  resolve('made')
  expect(await waits).toBe('made')
})

test('with the last call the making stops, and the next one begins anew', async () => {
  const shared = new Shared<string>()
  const only = new AbortController()
  let making: AbortSignal | undefined
  const gaveUp = shared.get(only.signal, (signal) => {
    making = signal
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  only.abort(new Error('cancelled'))
  await expect(gaveUp).rejects.toThrow('cancelled')
  expect(making?.aborted).toBe(true)
  await expect(shared.get(never(), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await shared.get(never(), () => Promise.resolve('made'))).toBe('made')
})
