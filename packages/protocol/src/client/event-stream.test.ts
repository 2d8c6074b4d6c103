import { eventOf } from '@toolway/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventStream, EventTooLarge } from './event-stream.ts'

const feed = (text: string) => {
  const stream = createEventStream(10_000)
  return { events: stream.feed(Buffer.from(text)), stream }
}

describe('events', () => {
  test('are the same however the bytes are cut, as the gateway writes them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat(100)), (texts, cuts) => {
        const messages = texts.map((text) => ({ jsonrpc: '2.0' as const, method: 'm', params: { text } }))
        const bytes = Buffer.from(
          `: keep-alive\n\n${messages.map((message, at) => eventOf(message, `e-${at}`)).join('')}`,
        )
        const stream = createEventStream(1_000_000)
        const found: unknown[] = []
        let at = 0
        for (const cut of [...cuts, bytes.length]) {
          found.push(...stream.feed(bytes.subarray(at, at + cut)).map((text) => JSON.parse(text) as unknown))
          at += cut
        }
        expect(found).toEqual(JSON.parse(JSON.stringify(messages)))
        expect(stream.lastEventId).toBe(texts.length === 0 ? undefined : `e-${texts.length - 1}`)
      }),
    )
  })

  test.each(['\n', '\r\n', '\r'])('may end their lines with %j', (end) => {
    const { events } = feed(['data: {"a":', 'data: 1}', '', 'data: 2', '', '', 'x'].join(end))
    expect(events).toEqual(['{"a":\n1}', '2'])
  })

  test('without data are none, and still name where the stream is', () => {
    const { events, stream } = feed('id: e-1\nretry: 25\ndata:\n\n: comment\n\nid: e-2\n')
    expect(events).toEqual([])
    // The second id belongs to an event that has not ended.
    expect([stream.lastEventId, stream.retry]).toEqual(['e-1', 25])
  })

  test('that do not end are not kept without bound', () => {
    const stream = createEventStream(1000)
    stream.feed(Buffer.from(`data: ${'x'.repeat(900)}\n\n`))
    stream.feed(Buffer.from(`data: ${'x'.repeat(900)}`))
    expect(() => stream.feed(Buffer.from('x'.repeat(200)))).toThrow(EventTooLarge)
  })
})
