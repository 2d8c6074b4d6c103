import { Fault } from '@toolway/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { createOpenStreams } from './open-streams.ts'

const EVERY = 30_000
const inbound = { place: {}, authorization: 'Bearer x' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** One stream, and what is said of whoever holds it. */
function fixture() {
  const said: { fault: Fault | undefined } = { fault: undefined }
  const ended: string[] = []
  const streams = createOpenStreams(async () => {
    if (said.fault !== undefined) throw said.fault
    return {} as RequestContext
  }, EVERY)
  const release = streams.register(inbound, ({ code }) => {
    ended.push(code)
    release()
  })
  return { said, ended, streams, [Symbol.dispose]: () => streams.close() }
}

test('a stream whose key expires ends, although nothing has changed and nobody says anything', async () => {
  using here = fixture()
  await vi.advanceTimersByTimeAsync(EVERY)
  expect(here.ended).toEqual([])
  here.said.fault = new Fault('key.unknown')
  await vi.advanceTimersByTimeAsync(EVERY)
  expect(here.ended).toEqual(['key.unknown'])
})

test('a stream stays while nobody can say whose it is, and ends once it is known that it may not', async () => {
  using here = fixture()
  here.said.fault = new Fault('gateway.not-ready', { problem: 'its database does not answer' })
  here.streams.recheck()
  await vi.advanceTimersByTimeAsync(3 * EVERY)
  expect(here.ended).toEqual([])
  here.said.fault = new Fault('place.unknown')
  here.streams.recheck()
  await vi.advanceTimersByTimeAsync(0)
  expect(here.ended).toEqual(['place.unknown'])
})

test('what changes while all are looked at is looked at again', async () => {
  using here = fixture()
  here.streams.recheck()
  here.said.fault = new Fault('key.unknown')
  here.streams.recheck()
  await vi.advanceTimersByTimeAsync(0)
  expect(here.ended).toEqual(['key.unknown'])
})

test('a change of one organization has its streams checked, and those of which none is known', async () => {
  const checked: string[] = []
  const streams = createOpenStreams(async ({ authorization }) => {
    checked.push(authorization ?? '')
    return {} as RequestContext
  }, EVERY)
  const hold = (authorization: string, organizationId?: string) =>
    streams.register({ place: {}, authorization }, () => {}, organizationId)
  hold('first', 'org_1')
  const release = hold('second', 'org_2')
  hold('unknown')
  const after = async (organizations?: ReadonlySet<string>) => {
    streams.recheck(organizations)
    await vi.advanceTimersByTimeAsync(0)
    return checked.splice(0).toSorted()
  }
  expect(await after(new Set(['org_1', 'org_3']))).toEqual(['first', 'unknown'])
  expect(await after(new Set(['org_2']))).toEqual(['second', 'unknown'])
  expect(await after()).toEqual(['first', 'second', 'unknown'])
  release()
  expect(await after(new Set(['org_2']))).toEqual(['unknown'])
  streams.close()
})

test('thousands of streams that are checked leave calls their turns', async () => {
  vi.useRealTimers()
  let checked = 0
  const streams = createOpenStreams(() => {
    checked++
    return {} as RequestContext
  }, EVERY)
  for (let count = 0; count < 2_000; count++) streams.register({ ...inbound }, () => {})
  streams.recheck()
  await new Promise((resolve) => setImmediate(resolve))
  expect(checked).toBeGreaterThan(0)
  expect(checked).toBeLessThan(2_000)
  await expect.poll(() => checked).toBe(2_000)
  streams.close()
})

test('a stream of which it takes long to know whether it stands keeps no other open', async () => {
  vi.useRealTimers()
  const ended: string[] = []
  const gone = new Fault('key.unknown')
  const streams = createOpenStreams(({ authorization }) => {
    if (authorization === 'slow') return new Promise(() => {})
    throw gone
  }, EVERY)
  const hold = (authorization: string) =>
    streams.register({ place: {}, authorization }, () => void ended.push(authorization))
  hold('slow')
  const first = hold('first')
  streams.recheck()
  await expect.poll(() => ended).toEqual(['first'])
  first()
  hold('second')
  streams.recheck()
  await expect.poll(() => ended).toEqual(['first', 'second'])
  streams.close()
})

test('a change that comes while one stream is looked at has it looked at once more', async () => {
  vi.useRealTimers()
  const answers: PromiseWithResolvers<RequestContext>[] = []
  const streams = createOpenStreams(() => {
    const answer = Promise.withResolvers<RequestContext>()
    answers.push(answer)
    return answer.promise
  }, EVERY)
  const ended: string[] = []
  streams.register(inbound, ({ code }) => void ended.push(code))
  streams.recheck()
  await expect.poll(() => answers.length).toBe(1)
  streams.recheck()
  await expect.poll(() => answers.length).toBe(1)
  answers[0]?.resolve({} as RequestContext)
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.reject(new Fault('key.unknown'))
  await expect.poll(() => ended).toEqual(['key.unknown'])
  streams.close()
})
