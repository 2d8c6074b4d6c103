import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from './json.ts'
import { eventOf, eventOfText, KEEP_ALIVE, primingEvent } from './sse.ts'

test('an event has its message in one data line, whatever the message holds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const message = {
        jsonrpc: '2.0' as const,
        method: 'a',
        params: { value: value as Json, breaks: 'a\r\nb\rc\nd\u2028e' },
      }
      const event = eventOf(message)
      expect(event.endsWith('\n\n')).toBe(true)
      const lines = event.slice(0, -2).split(/\r\n|\r|\n/)
      expect(lines).toHaveLength(2)
      expect(lines[0]).toBe('event: message')
      expect(JSON.parse(lines[1]?.slice('data: '.length) ?? '')).toEqual(JSON.parse(JSON.stringify(message)))
    }),
  )
})

test('an event may carry an id, and a beat carries nothing that a client hears', () => {
  expect(eventOf({ jsonrpc: '2.0', method: 'a' }, '7')).toBe(
    'id: 7\nevent: message\ndata: {"jsonrpc":"2.0","method":"a"}\n\n',
  )
  expect(KEEP_ALIVE).toMatch(/^:[^\n]*\n\n$/)
})

test('an event that is replayed is the one that was sent, and a priming event has an id, a pause and no data', () => {
  const message = { jsonrpc: '2.0' as const, method: 'a' }
  expect(eventOfText(JSON.stringify(message), '7')).toBe(eventOf(message, '7'))
  expect(primingEvent('7', 1000)).toBe('id: 7\nretry: 1000\ndata: \n\n')
})
