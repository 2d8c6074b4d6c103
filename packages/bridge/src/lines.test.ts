import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLines } from './lines.ts'

function collect(limit: number) {
  const found: string[] = []
  const long: { head: string; tail: string }[] = []
  const lines = createLines({
    limit,
    line: (bytes) => void found.push(bytes.toString()),
    tooLong: (head, tail) => void long.push({ head: head.toString(), tail: tail.toString() }),
  })
  return { lines, found, long }
}

describe('lines', () => {
  test('are the same however the bytes are cut', () => {
    const line = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((text) => !/[\r\n]/.test(text))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(200)), fc.boolean(), (texts, cuts, returns) => {
        const bytes = Buffer.from(texts.map((text) => `${text}${returns ? '\r\n' : '\n'}`).join(''))
        const { lines, found, long } = collect(200)
        let at = 0
        for (const cut of [...cuts, bytes.length]) {
          lines.feed(bytes.subarray(at, at + cut))
          at += cut
        }
        lines.end()
        expect(found).toEqual(Buffer.from(texts.join('\n')).toString().split('\n').filter(Boolean))
        expect(long).toEqual([])
      }),
    )
  })

  test('that are empty are dropped, and the last one needs no end', () => {
    const { lines, found } = collect(100)
    lines.feed(Buffer.from('\n\r\na\n\nb'))
    expect(found).toEqual(['a'])
    lines.end()
    expect(found).toEqual(['a', 'b'])
  })

  test.each([1, 7, 5000, 100_000])('that are too long are told by both ends, cut into pieces of %i', (size) => {
    const { lines, found, long } = collect(10_000)
    const text = `{"begin":1${'x'.repeat(20_000)}"end":2}`
    const bytes = Buffer.from(`before\n${text}\nafter\n`)
    for (let at = 0; at < bytes.length; at += size) lines.feed(bytes.subarray(at, at + size))
    expect(found).toEqual(['before', 'after'])
    expect(long).toEqual([{ head: text.slice(0, 4096), tail: text.slice(-4096) }])
  })

  test('of exactly the limit are lines', () => {
    const { lines, found, long } = collect(10)
    lines.feed(Buffer.from(`${'x'.repeat(10)}\n${'y'.repeat(11)}\n`))
    expect(found).toEqual(['x'.repeat(10)])
    expect(long).toHaveLength(1)
  })
})
