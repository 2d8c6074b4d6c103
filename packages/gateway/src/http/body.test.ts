import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBody, textOf } from './body.ts'

const problemOf = (bytes: Buffer): unknown => {
  try {
    textOf(bytes)
  } catch (thrown) {
    const fault = Fault.of(thrown)
    expect(fault.code).toBe('request.not-json')
    return fault.facts['problem']
  }
  throw new Error('it was read')
}

describe('the text of a body', () => {
  test('is what its UTF-8 says, a byte order mark included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(textOf(Buffer.from(text))).toBe(text)
      }),
    )
    expect(textOf(Buffer.from('\uFEFF{}'))).toBe('\uFEFF{}')
    expect(textOf(Buffer.alloc(0))).toBe('')
  })

  const bad: [name: string, bytes: number[]][] = [
    ['a byte that UTF-8 never has', [0xff]],
    ['a continuation without a start', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xfc]],
  ]
  test.each(bad)(
    'is refused with %s, at the start, in the middle and at the end, and the place is said',
    (_, bytes) => {
      for (const [before, after] of [
        ['', '{"a":1}'],
        ['{"a":"ü', '"}'],
        ['{"a":1}', ''],
      ] as const) {
        const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
        // A decoder notices a wrong character at one of its bytes; the place lies inside it.
        const at = Number(/^it is not UTF-8 at byte (\d+)\.$/.exec(String(problemOf(body)))?.[1])
        expect(at).toBeGreaterThanOrEqual(Buffer.byteLength(before))
        expect(at).toBeLessThanOrEqual(Buffer.byteLength(before) + bytes.length)
      }
    },
  )

  test('is refused when its last character is cut off', () => {
    expect(problemOf(Buffer.from('aü').subarray(0, 2))).toBe('it is not UTF-8 at byte 2.')
    expect(problemOf(Buffer.concat([Buffer.alloc(1_000_000, 'x'), Buffer.from([0xe2, 0x82])]))).toBe(
      'it is not UTF-8 at byte 1000002.',
    )
  })

  test('of a large body is refused at the one bad byte', () => {
    const body = Buffer.alloc(1_048_576, 'x')
    body[777_777] = 0xff
    expect(problemOf(body)).toBe('it is not UTF-8 at byte 777777.')
  })
})

test('a request that was cut off before its body is read is refused at once, not waited for', async () => {
  const request = new IncomingMessage(new Socket()).destroy()
  await expect(readBody(request, 10)).rejects.toMatchObject({ code: 'request.cut-off' })
})
