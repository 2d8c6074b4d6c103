import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLines } from './lines.ts'

function cut(bytes: Buffer, step: number, limit = 1_000) {
  const lines: string[] = []
  let tooLong = 0
  const push = createLines({ limit, line: (line) => lines.push(line.toString()), tooLong: () => (tooLong += 1) })
  for (let at = 0; at < bytes.length; at += step) push(bytes.subarray(at, at + step))
  return { lines, tooLong }
}

describe('lines', () => {
  test('are the same however the bytes were cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '€', '🦊', '\n', '\r\n', ' '), maxLength: 200 })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (words, step) => {
        const whole = words
          .split('\n')
          .slice(0, -1)
          .map((line) => line.replace(/\r$/, ''))
        expect(cut(Buffer.from(words), step)).toEqual({ lines: whole.filter((line) => line !== ''), tooLong: 0 })
      }),
    )
  })

  test.each([1, 3, 1_000])('of exactly the limit pass, one byte more is too long (chunks of %i)', (step) => {
    expect(cut(Buffer.from('12345\n'), step, 5)).toEqual({ lines: ['12345'], tooLong: 0 })
    expect(cut(Buffer.from('12\n123456\n78\n'), step, 5)).toEqual({ lines: ['12'], tooLong: 1 })
  })
})
