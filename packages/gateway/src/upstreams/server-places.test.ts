import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createServerPlaces } from './server-places.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const asked = (connectionId: string, { seconds = 10, signal = never } = {}) => ({
  connectionId,
  alias: connectionId,
  seconds,
  signal,
})
const codeOf = (waiting: Promise<void> | undefined) =>
  waiting?.then(
    () => 'a place',
    (thrown: unknown) => Fault.of(thrown).code,
  )

test('calls get their places in the order in which they came, and whoever left is passed over', async () => {
  const places = createServerPlaces(1)
  const gone = new AbortController()
  expect(places.take(asked('a'))).toBeUndefined()
  const order: string[] = []
  const wait = (name: string, signal = never) =>
    void codeOf(places.take(asked('a', { signal })))?.then((code) => order.push(`${name}: ${code}`))
  wait('first')
  wait('second', gone.signal)
  wait('third')
  gone.abort(new Fault('session.ended'))
  places.leave('a')
  places.leave('a')
  await vi.advanceTimersByTimeAsync(0)
  expect(order.toSorted()).toEqual(['first: a place', 'second: session.ended', 'third: a place'])
  expect(order.indexOf('first: a place')).toBeLessThan(order.indexOf('third: a place'))
  expect(places.waiting).toBe(0)
})

test('a call waits as long as it may, is told how long the line is, and takes nobody’s place', async () => {
  const places = createServerPlaces(1)
  void places.take(asked('a'))
  const late = places.take(asked('a', { seconds: 3 }))
  const told = late?.catch((thrown: unknown) => Fault.of(thrown))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await told).toMatchObject({ code: 'connection.busy', facts: { taken: 1, waiting: 1, seconds: 3 } })
  const repeat = new AbortController()
  const again = codeOf(places.take(asked('a', { signal: repeat.signal })))
  // The time that a repeat has left within its call is over.
  repeat.abort(new DOMException('late', 'TimeoutError'))
  expect(await again).toBe('connection.busy')
  places.leave('a')
  expect(places.take(asked('a'))).toBeUndefined()
})

test('however calls come, end and leave: never more at once than there are places, and none is lost', async () => {
  const step = fc.record({ at: fc.constantFrom('a', 'b'), what: fc.constantFrom('come', 'end', 'leave') })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), async (most, steps) => {
      const places = createServerPlaces(most)
      const running = { a: 0, b: 0 }
      const waiting: { at: 'a' | 'b'; leave: AbortController }[] = []
      for (const { at, what } of steps as { at: 'a' | 'b'; what: string }[]) {
        if (what === 'come') {
          const leave = new AbortController()
          const entry = { at, leave }
          const turn = places.take(asked(at, { signal: leave.signal }))
          if (turn === undefined) running[at]++
          else {
            waiting.push(entry)
            const out = () => waiting.splice(waiting.indexOf(entry), 1)
            turn.then(() => (out(), running[at]++), out)
          }
        } else if (what === 'end' && running[at] > 0) {
          running[at]--
          places.leave(at)
        } else if (what === 'leave') waiting.find((one) => one.at === at)?.leave.abort()
        await vi.advanceTimersByTimeAsync(0)
        for (const name of ['a', 'b'] as const) {
          const inLine = waiting.filter((one) => one.at === name).length
          expect(running[name]).toBeLessThanOrEqual(most)
          if (inLine > 0) expect(running[name]).toBe(most)
          expect(inLine).toBeLessThanOrEqual(most * 4)
        }
        expect(places.waiting).toBe(waiting.length)
      }
    }),
    { numRuns: 60 },
  )
})
