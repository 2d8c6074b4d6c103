import { Fault } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer } from '../../upstreams/upstream.ts'
import { createHeldTasks } from './held-tasks.ts'
import type { HeldTasks, TaskEventSink } from './held-tasks.ts'

const key = { principal: 'ada', connectionId: 'con_a', taskId: 't1' }
const ask = { jsonrpc: '2.0' as const, id: 1, method: 'elicitation/create', params: { message: 'Who?' } }

/** A stream that is held: what was asked on it was answered so, and whether it was cut. */
function stream() {
  const answers: Answer[] = []
  let eventSink: TaskEventSink | undefined
  const over = Promise.withResolvers<void>()
  return {
    answers,
    over: () => over.resolve(),
    get cut() {
      return eventSink?.signal.aborted
    },
    ask: (question = ask) => void eventSink?.onQuestion(question).then((answer) => answers.push(answer)),
    listen: (given: TaskEventSink, first = true) => {
      eventSink = given
      if (first) void given.onQuestion(ask).then((answer) => answers.push(answer))
      return over.promise
    },
  }
}

let held: HeldTasks
beforeEach(() => {
  vi.useFakeTimers()
  held = createHeldTasks()
})
afterEach(() => {
  held.close()
  vi.useRealTimers()
})
const settled = () => vi.advanceTimersByTimeAsync(1_000)
const faultOf = (promise: Promise<unknown>) => promise.catch((thrown: unknown) => Fault.of(thrown).code)

describe('a legacy server’s task', () => {
  test('asks on one stream, and is answered once, under a key of ours', async () => {
    const one = stream()
    expect(await held.questions(key, one.listen)).toEqual({ q1: { method: 'elicitation/create', params: ask.params } })
    expect(await held.questions(key, () => Promise.reject(new Error('a second stream')))).toHaveProperty('q1')
    const yes = { action: 'accept' }
    held.settle(key, { q1: yes, q2: yes, other: yes })
    held.settle(key, { q1: { action: 'decline' } })
    await settled()
    expect(one.answers).toEqual([{ result: yes }])
  })

  test('takes no answer from anybody else, and none that is no answer', async () => {
    const one = stream()
    await held.questions(key, one.listen)
    held.settle({ ...key, principal: 'bob' }, { q1: { action: 'accept' } })
    for (const odd of [undefined, null, [], { q1: 'yes' }, { q1: null }]) held.settle(key, odd)
    await settled()
    expect(one.answers).toEqual([])
  })

  test('asks nothing for now where nothing comes soon', async () => {
    const one = stream()
    const none = held.questions(key, (eventSink) => one.listen(eventSink, false))
    await settled()
    expect(await none).toEqual({})
    one.ask()
    expect(await held.questions(key, one.listen)).toHaveProperty('q1')
  })

  test('lets its stream go when it ends, or when its client does not come back', async () => {
    const [one, other] = [stream(), stream()]
    await held.questions(key, one.listen)
    one.over()
    await settled()
    expect(held.size).toBe(0)
    await held.questions(key, other.listen)
    await vi.advanceTimersByTimeAsync(9 * 60_000)
    await held.questions(key, other.listen)
    await vi.advanceTimersByTimeAsync(9 * 60_000)
    expect(other.cut).toBe(false)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(other.cut).toBe(true)
    expect(other.answers).toMatchObject([{ error: { code: -32603 } }])
  })

  test('holds at most twenty streams of one principal', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => ({ ...key, taskId: `t${at}` }))
    await Promise.all(keys.map((one) => held.questions(one, stream().listen)))
    expect(await faultOf(held.questions({ ...key, taskId: 'more' }, stream().listen))).toBe('question.limit')
    expect(await held.questions({ ...key, principal: 'bob' }, stream().listen)).toHaveProperty('q1')
  })

  test('leaves no timer and no question behind when the gateway goes', async () => {
    const one = stream()
    await held.questions(key, one.listen)
    held.close()
    await settled()
    expect(one.cut).toBe(true)
    expect(one.answers).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is asked after in the session that it was made in, until it ends', () => {
    const session = {
      id: 'owner ada',
      caller: { revision: '2025-11-25' as const, capabilities: {}, client: undefined, logLevel: undefined },
    }
    held.made(key, session)
    expect(held.session(key)).toBe(session)
    expect(held.session({ ...key, principal: 'bob' })).toBeUndefined()
    held.end(key)
    expect(held.session(key)).toBeUndefined()
  })
})
