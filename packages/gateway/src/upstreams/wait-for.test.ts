import { Fault } from '@toolway/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitFor } from './wait-for.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const patience = (signal = new AbortController().signal) => ({ alias: 'files', seconds: 60, signal })

test('each who waits for the same thing leaves by himself: it, his time, or his own end', async () => {
  const shared = Promise.withResolvers<string>()
  const leaving = new AbortController()
  const told = [
    waitFor(shared.promise, patience()),
    waitFor(shared.promise, patience(leaving.signal)),
    waitFor(shared.promise, { ...patience(), seconds: 30 }),
  ].map((waiting) => waiting.catch((thrown: unknown) => Fault.of(thrown).code))
  leaving.abort(new Fault('gateway.draining'))
  await vi.advanceTimersByTimeAsync(30_000)
  shared.resolve('there')
  expect(await Promise.all(told)).toEqual(['there', 'gateway.draining', 'upstream.timeout'])
  expect(vi.getTimerCount()).toBe(0)
})

test('who has left before is not kept waiting, and what fails fails for all', async () => {
  const left = AbortSignal.abort()
  await expect(waitFor(new Promise(() => {}), patience(left))).rejects.toMatchObject({ code: 'call.cancelled' })
  await expect(waitFor(Promise.reject(new Error('no')), patience())).rejects.toThrow('no')
  expect(vi.getTimerCount()).toBe(0)
})
