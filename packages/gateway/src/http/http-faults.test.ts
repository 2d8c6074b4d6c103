import { Fault, FAULTS, type FaultCode } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { errorOf, failureOf, problemAnswer, problemOf, statusOf, statusOfError } from './http-faults.ts'

const codes = Object.keys(FAULTS) as FaultCode[]
/** A fault of any code; which facts it wants is the table's business and not this test's. */
const faultOf = (code: FaultCode) => new (Fault as unknown as new (code: FaultCode, facts: object) => Fault)(code, {})

describe('the status of a fault', () => {
  const table: [code: FaultCode, legacy: number, modern: number][] = [
    ['request.host', 403, 403],
    ['request.media-type', 415, 415],
    ['request.too-large', 413, 413],
    ['request.not-json', 400, 400],
    ['key.missing', 401, 401],
    ['place.unknown', 404, 404],
    ['session.unknown', 404, 404],
    ['envelope.missing', 400, 400],
    ['envelope.version', 400, 400],
    ['envelope.header', 400, 400],
    ['client.capability', 200, 400],
    ['method.unknown', 200, 404],
    ['tool.unknown', 200, 200],
    ['cursor.unknown', 200, 200],
    ['params.shape', 200, 200],
    ['upstream.timeout', 200, 200],
    ['internal', 200, 200],
  ]
  test.each(table)('%s is %i in the legacy era and %i in the modern one', (code, legacy, modern) => {
    expect([statusOf(faultOf(code), 'legacy'), statusOf(faultOf(code), 'modern')]).toEqual([legacy, modern])
  })

  test('that an upstream gave is 200, but for what the modern era names', () => {
    expect([-32601, -32021, -32602, -32603, -32002, 0, 1].map(statusOfError)).toEqual([
      404, 400, 200, 200, 200, 200, 200,
    ])
  })
})

describe('the number of a fault', () => {
  test('in the modern era is none that its revision keeps for something else', () => {
    const standard = [-32700, -32600, -32601, -32602, -32603]
    const defined = [-32020, -32021, -32022]
    for (const code of codes) {
      const number = errorOf(faultOf(code), 'modern', 'c').code
      const isFree = number > -32000 || number < -32768
      expect(standard.includes(number) || defined.includes(number) || isFree, code).toBe(true)
    }
  })
})

describe('the words of a fault', () => {
  const fault = new Fault(
    'upstream.unreachable',
    { connection: 'docs', problem: 'nothing is listening there' },
    { cause: new Error('connect 10.0.0.7 uru_secret'), data: { code: 'forged', correlation_id: 'forged', uri: 'a:b' } },
  )

  test('say to a program what happened, what to do, and the id to ask about', () => {
    expect(errorOf(fault, 'legacy', 'c-1')).toEqual({
      code: -32003,
      message: 'The connection docs is not available: nothing is listening there.',
      data: {
        uri: 'a:b',
        code: 'UNAVAILABLE',
        fault: 'upstream.unreachable',
        phase: 'open',
        mend: '`toolway connection test docs` shows the cause.',
        retryable: true,
        correlation_id: 'c-1',
      },
    })
  })

  test('say the same as problem+json', () => {
    expect(problemOf(fault, 'c-1')).toEqual({
      type: 'urn:toolway:fault:upstream.unreachable',
      title: 'UNAVAILABLE',
      status: 502,
      detail: 'The connection docs is not available: nothing is listening there.',
      mend: '`toolway connection test docs` shows the cause.',
      code: 'upstream.unreachable',
      phase: 'open',
      correlation_id: 'c-1',
    })
  })

  test('have a status that says that it failed, in the answer and in its problem', () => {
    for (const code of codes) {
      const { status, problem } = problemAnswer(faultOf(code), 'c')
      expect(problem.status, code).toBe(status)
      expect(status, code).toBeGreaterThanOrEqual(400)
    }
  })

  test('never hold the cause, and of a bug nothing at all', () => {
    const bug = Fault.of(new Error('password=hunter2 at /srv/secret.ts:5'))
    for (const [one, told] of [
      [fault, /10\.0\.0\.7|uru_secret/],
      [bug, /hunter2|srv/],
    ] as const) {
      for (const era of ['legacy', 'modern'] as const) expect(JSON.stringify(errorOf(one, era, 'c'))).not.toMatch(told)
      expect(JSON.stringify(problemOf(one, 'c'))).not.toMatch(told)
    }
  })
})

describe('the answer to a request that failed', () => {
  const error = { code: -32600, message: 'm' }
  test.each([0, '', 7, 'x'])('carries its id %j', (id) =>
    expect(failureOf(id, error)).toEqual({ jsonrpc: '2.0', id, error }),
  )
  test('carries none where none could be read', () =>
    expect(failureOf(undefined, error)).toEqual({ jsonrpc: '2.0', error }))
})
