import { describe, expect, test } from 'vitest'
import { traceHeaders, withTrace } from './trace.ts'

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
const headers = (given: Record<string, string>) => (name: string) => given[name]

describe('trace context in headers', () => {
  test('comes to stand in _meta, beside what is there', () => {
    const given = { traceparent: PARENT, tracestate: 'a=1', baggage: 'user=ada' }
    expect(withTrace({ x: 1, _meta: { k: 'v' } }, headers(given))).toEqual({ x: 1, _meta: { k: 'v', ...given } })
  })

  test('gives way to the body’s own', () => {
    const params = { _meta: { traceparent: 'own' } }
    expect(withTrace(params, headers({ traceparent: PARENT }))).toBe(params)
  })

  test.each(['', 'x', `${PARENT}\n`, PARENT.toUpperCase(), `${PARENT}-00`])('that reads %j is none', (traceparent) => {
    const params = { x: 1 }
    expect(withTrace(params, headers({ traceparent, tracestate: 'a=1' }))).toBe(params)
  })
})

describe('trace context in _meta', () => {
  test('is said in headers too', () => {
    const _meta = { traceparent: PARENT, tracestate: 'a=1,b=2', baggage: 'user=ada' }
    expect(traceHeaders({ _meta })).toEqual(_meta)
  })

  test('that is no trace context becomes no header', () => {
    for (const traceparent of [undefined, null, 7, 'x', `${PARENT}\r\nevil: 1`, [PARENT]])
      expect(
        traceHeaders({ _meta: { ...(traceparent === undefined ? {} : { traceparent }), baggage: 'a=1' } }),
      ).toBeUndefined()
    for (const baggage of ['', 'a\r\nevil: 1', 'ü', 7, 'x'.repeat(9_000)])
      expect(traceHeaders({ _meta: { traceparent: PARENT, baggage } })).toEqual({ traceparent: PARENT })
    expect(traceHeaders({})).toBeUndefined()
  })
})
