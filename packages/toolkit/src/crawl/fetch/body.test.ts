import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readBody } from './body.ts'

const MOST = 100_000
const signal = new AbortController().signal
const read = (bytes: Buffer, coding: string, most = MOST) => readBody(Readable.from([bytes]), coding, most, signal)

const CODINGS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  'x-gzip': (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
}
/** By mistake of many servers "deflate" is the bare format. */
const ALL = [...Object.entries(CODINGS), ['deflate', (bytes: Buffer) => zlib.deflateRawSync(bytes)] as const]

describe('a body', () => {
  test.each(ALL)(
    'in %s is decompressed, a bomb in it ends early, and what is cut off is told',
    async (coding, pack) => {
      const text = Buffer.from('Grüße '.repeat(1_000))
      expect(await read(pack(text), coding)).toEqual(text)
      const bomb = pack(Buffer.alloc(50_000_000))
      expect(bomb.length).toBeLessThan(MOST)
      await expect(read(bomb, coding)).rejects.toThrow('larger than 100000 bytes when it is decompressed')
      await expect(read(pack(text).subarray(0, 20), coding)).rejects.toThrow(/damaged or cut off/)
      await expect(read(Buffer.from('<html>this is not compressed'), coding)).rejects.toThrow(/damaged/)
    },
  )

  test('that is larger than the bound ends before it is whole', async () => {
    let parts = 0
    const endless = Readable.from(
      (function* () {
        for (;;) yield ((parts++, Buffer.alloc(10_000)))
      })(),
    )
    await expect(readBody(endless, '', MOST, signal)).rejects.toThrow('larger than 100000 bytes')
    expect(parts).toBeLessThan(100)
  })

  test('in two codings is decompressed twice, and in three or an unknown one it is refused', async () => {
    const twice = zlib.gzipSync(zlib.brotliCompressSync('text'))
    expect(`${await read(twice, 'br, gzip')}`).toBe('text')
    await expect(read(zlib.gzipSync(zlib.gzipSync(Buffer.alloc(90_000_000))), 'gzip, gzip')).rejects.toThrow(/larger/)
    await expect(read(twice, 'gzip, gzip, gzip')).rejects.toThrow(/unsupported/)
    await expect(read(twice, 'compress')).rejects.toThrow('(compress)')
    await expect(read(twice, 'constructor')).rejects.toThrow('(constructor)')
    expect(`${await read(Buffer.from('plain'), 'identity')}`).toBe('plain')
    expect(await read(Buffer.alloc(0), 'gzip')).toHaveLength(0)
  })
})
