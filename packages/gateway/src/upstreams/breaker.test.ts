import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { CLOSED, createBreaker, decide, circuitAfter, type Circuit } from './breaker.ts'

const SECOND = 1_000
const late = () => new Fault('upstream.timeout', { connection: 'web', seconds: 5 })

function fixture() {
  const clock = { now: 0 }
  const turns: (string | undefined)[] = []
  const breaker = createBreaker({
    alias: 'web',
    patience: 5 * SECOND,
    now: () => clock.now,
    onStateChange: (failure) => void turns.push(failure?.code),
  })
  const fail = (times = 1, fault: Fault = late()) => {
    for (let at = 0; at < times; at++) breaker.failed(breaker.turn, fault)
  }
  return { breaker, clock, turns, fail }
}

describe('what is decided', () => {
  const open: Circuit = { failures: 5, until: 10 * SECOND, pause: 20 * SECOND, trial: undefined }

  test('lets all through while closed, none while open, and one when the time is over', () => {
    expect(decide(CLOSED, 0)).toBe('pass')
    expect(decide(open, 10 * SECOND - 1)).toBe('refuse')
    expect(decide(open, 10 * SECOND)).toBe('try')
    expect(decide({ ...open, trial: 15 * SECOND }, 11 * SECOND)).toBe('refuse')
    // The one that tried never came back.
    expect(decide({ ...open, trial: 15 * SECOND }, 15 * SECOND)).toBe('try')
  })

  test('learns of five failures in a row, and of the pauses that grow up to two minutes', () => {
    let circuit = CLOSED
    for (let at = 1; at < 5; at++) circuit = circuitAfter(circuit, 'failed', 0)
    expect(decide(circuit, 0)).toBe('pass')
    const pauses: number[] = []
    for (let now = 0; pauses.length < 6; now = circuit.until ?? 0) {
      circuit = circuitAfter(circuit, 'failed', now)
      pauses.push(((circuit.until ?? 0) - now) / SECOND)
    }
    expect(pauses).toEqual([10, 20, 40, 80, 120, 120])
    expect(circuitAfter(circuit, 'answered', 0)).toEqual(CLOSED)
  })

  test('is not changed by those that were under way when it opened', () => {
    expect(circuitAfter(open, 'failed', 5 * SECOND)).toMatchObject({ until: 10 * SECOND, pause: 20 * SECOND })
  })
})

describe('a connection that does not answer', () => {
  test('is asked nothing after five failures in a row, and the refusal says why and until when', () => {
    const { breaker, fail, turns } = fixture()
    fail(4)
    expect([breaker.closed, breaker.admit()]).toEqual([true, undefined])
    fail()
    expect([breaker.closed, turns]).toEqual([false, ['upstream.timeout']])
    const refusal = breaker.admit()
    expect(refusal?.code).toBe('upstream.resting')
    expect(refusal?.message).toBe(
      'The connection web is not available (no answer within 5 s). After 5 failures in a row, no requests are sent to it for 10 s, until 1970-01-01T00:00:10.000Z.',
    )
  })

  test('gets one call when its time is over; an answer lets all others through', () => {
    const { breaker, clock, fail, turns } = fixture()
    fail(5)
    clock.now = 10 * SECOND
    expect(breaker.admit()).toBeUndefined()
    expect(breaker.admit()?.code).toBe('upstream.resting')
    breaker.answered(breaker.turn)
    expect([breaker.closed, turns]).toEqual([true, ['upstream.timeout', undefined]])
    fail(4)
    expect(breaker.closed).toBe(true)
  })

  test('rests twice as long when the one call fails, and is told of once', () => {
    const { breaker, clock, fail, turns } = fixture()
    fail(5)
    clock.now = 10 * SECOND
    breaker.admit()
    fail()
    clock.now = 30 * SECOND - 1
    expect(breaker.admit()?.facts).toMatchObject({ seconds: 1, failures: 6 })
    clock.now = 30 * SECOND
    expect(breaker.admit()).toBeUndefined()
    expect(turns).toHaveLength(1)
  })

  test('lets another try when the one call was given up by its client, which says nothing of the server', () => {
    const { breaker, clock, fail } = fixture()
    fail(5)
    clock.now = 10 * SECOND
    expect(breaker.admit()).toBeUndefined()
    breaker.failed(breaker.turn, new Fault('call.cancelled'))
    expect(breaker.admit()).toBeUndefined()
    expect(breaker.closed).toBe(false)
  })
})

describe('what counts', () => {
  test('is silence, a broken or refused connection, and what a proxy says of a server that is away', () => {
    for (const fault of [
      late(),
      new Fault('upstream.lost', { connection: 'web' }),
      new Fault('upstream.unreachable', { connection: 'web', problem: 'nothing is listening there' }),
      new Fault('egress.refused', { connection: 'web' }),
    ]) {
      const { breaker, fail } = fixture()
      fail(5, fault)
      expect({ code: fault.code, closed: breaker.closed }).toEqual({ code: fault.code, closed: false })
    }
    for (const status of [502, 503, 504]) {
      const { breaker } = fixture()
      for (let at = 0; at < 5; at++) breaker.answered(breaker.turn, status)
      expect({ status, closed: breaker.closed }).toEqual({ status, closed: false })
    }
  })

  test('is never a caller who leaves, a refused credential, too much at once, or an error of the server’s own', () => {
    const { breaker, fail } = fixture()
    fail(50, new Fault('call.cancelled'))
    fail(50, new Fault('result.too-large', { connection: 'web', limit: 1 }))
    for (const status of [200, 400, 401, 403, 404, 429, 500])
      for (let at = 0; at < 10; at++) breaker.answered(breaker.turn, status)
    expect(breaker.closed).toBe(true)
  })

  test('is no failure of a call that began before the last answer: one slow tool takes nothing from the others', () => {
    const { breaker } = fixture()
    const { turn } = breaker
    breaker.answered(turn)
    for (let at = 0; at < 50; at++) breaker.failed(turn, late())
    expect(breaker.closed).toBe(true)
  })
})
