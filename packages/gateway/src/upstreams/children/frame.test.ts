import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameReader, decodeTaken, encodeFrame, encodeTaken, FRAME_LIMIT, KIND } from './frame.ts'

const kinds = fc.constantFrom(...Object.values(KIND))
const frames = fc.array(
  fc.record({ kind: kinds, child: fc.nat(0xffff_ffff), body: fc.uint8Array({ maxLength: 300 }) }),
  { maxLength: 20 },
)

describe('frames', () => {
  test('come out as they went in, however the bytes were cut on the way', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 50 }), (sent, step) => {
        const bytes = Buffer.concat(sent.map(({ kind, child, body }) => encodeFrame(kind, child, body)))
        const got: unknown[] = []
        const read = createFrameReader(({ kind, child, body }) =>
          got.push({ kind, child, body: Uint8Array.from(body) }),
        )
        for (let at = 0; at < bytes.length; at += step) read(bytes.subarray(at, at + step))
        expect(got).toEqual(sent.map((frame) => ({ ...frame, body: Uint8Array.from(frame.body) })))
      }),
    )
  })

  test('carry text as UTF-8 and a weight as a number', () => {
    const got: string[] = []
    const read = createFrameReader(({ kind, body }) =>
      got.push(kind === KIND.taken ? String(decodeTaken(body)) : String(body)),
    )
    read(Buffer.concat([encodeFrame(KIND.line, 7, 'größe €\n'), encodeTaken(7, 4_000_000_000)]))
    expect(got).toEqual(['größe €\n', '4000000000'])
  })

  test('over the limit are neither made nor waited for', () => {
    expect(() => encodeFrame(KIND.line, 1, Buffer.alloc(FRAME_LIMIT + 1))).toThrow(RangeError)
    const header = encodeFrame(KIND.line, 1)
    header.writeUInt32LE(FRAME_LIMIT + 1)
    expect(() => createFrameReader(() => undefined)(header)).toThrow(RangeError)
  })
})
