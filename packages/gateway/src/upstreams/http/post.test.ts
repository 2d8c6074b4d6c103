import type { Dispatcher, Pool } from 'undici'
import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { createBreaker } from '../breaker.ts'
import { send, type Exchange, type Wire } from './post.ts'

/** A pool whose connections are all taken: it keeps what it was given until somebody starts it. */
function fullPool() {
  const waiting: Dispatcher.DispatchHandler[] = []
  const dispatch = (_: Dispatcher.DispatchOptions, sink: Dispatcher.DispatchHandler) => waiting.push(sink) === 0
  return { pool: { dispatch } as unknown as Pool, waiting }
}

function fixture({ timeout = 60 } = {}) {
  const [calls, streams] = [fullPool(), fullPool()]
  const wire: Wire = {
    alias: 'web',
    breaker: createBreaker({ alias: 'web', patience: 1_000, now: Date.now, onStateChange: () => {} }),
    pool: calls.pool,
    origin: 'http://127.0.0.1',
    ownPool: () => calls.pool,
    streams: streams.pool,
    path: '/mcp',
    headers: {},
    timeout,
    mask: (text) => text,
  }
  const codeOf = (outgoing: Partial<Exchange> = {}) =>
    send(wire, { method: 'POST', headers: {}, body: '{}', ...outgoing }).then(
      () => 'answered',
      (thrown: unknown) => Fault.of(thrown).code,
    )
  return { wire, calls, streams, codeOf }
}

describe('an exchange that waits for a connection', () => {
  test('is late when its time is over, although it has not begun', async () => {
    const { calls, codeOf } = fixture({ timeout: 0.05 })
    expect(await codeOf()).toBe('upstream.timeout')
    expect(calls.waiting).toHaveLength(1)
  })

  test('ends when its caller cancels it, although it has not begun', async () => {
    const { codeOf } = fixture()
    const leaving = new AbortController()
    const told = codeOf({ signal: leaving.signal })
    leaving.abort(new Fault('call.cancelled'))
    expect(await told).toBe('call.cancelled')
    expect(await codeOf({ signal: leaving.signal })).toBe('call.cancelled')
  })

  test('and was given up is not sent when its turn comes', async () => {
    const { calls, codeOf } = fixture()
    const leaving = new AbortController()
    const told = codeOf({ signal: leaving.signal })
    leaving.abort()
    await told
    let aborted: unknown
    calls.waiting[0]?.onRequestStart?.({ abort: (why: unknown) => (aborted = why) } as never, undefined)
    expect(aborted).toMatchObject({ code: 'call.cancelled' })
  })

  test('takes no place of calls where it is a stream that stays open, and has no deadline', async () => {
    const { calls, streams, codeOf } = fixture({ timeout: 0.01 })
    const leaving = new AbortController()
    const listening = codeOf({ patient: true, signal: leaving.signal })
    expect([calls.waiting.length, streams.waiting.length]).toEqual([0, 1])
    expect(await codeOf()).toBe('upstream.timeout')
    leaving.abort()
    expect(await listening).toBe('call.cancelled')
  })
})

test('a time limit of ours is the upstream’s silence, and no wish of the client’s', async () => {
  const { codeOf } = fixture()
  expect(await codeOf({ signal: AbortSignal.timeout(10) })).toBe('upstream.timeout')
})
