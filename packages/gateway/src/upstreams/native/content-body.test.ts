import { Readable } from 'node:stream'
import type { Content } from '@toolway/connectors'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { CallerFiles, FileFacts } from '../caller-files.ts'
import { contentBody } from './content-body.ts'

const REFERENCE = 'toolway://files/file_01'
const facts = (size: number): FileFacts => ({ id: 'file_01', uri: REFERENCE, name: 'a', mediaType: 'a/b', size })

/** A file that comes in chunks of so many bytes. */
function filesOf(bytes: Buffer, chunk: number): CallerFiles {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
    bytes.subarray(at * chunk, (at + 1) * chunk),
  )
  return { find: async () => facts(bytes.length), open: async () => Readable.from(chunks) }
}

const mime = (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{76}(?=.)/g, '$&\r\n')
const content = (as: 'bytes' | 'base64' | 'base64-text'): Content => ({
  type: 'message/rfc822',
  pieces: ['Grüße\r\n', { file: { reference: REFERENCE }, as }, '\r\n--end'],
})

describe('a body of texts and files', () => {
  test.each([0, 1, 56, 57, 58, 114, 1_000, 5_700])(
    'of %i bytes is sent as MIME has it, with its length known before, whatever its chunks are',
    async (size) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7) % 256))
      for (const chunk of [1, 3, 57, 100, 10_000]) {
        const { stream, length } = await contentBody(content('base64'), filesOf(bytes, chunk))
        const sent = await buffer(stream)
        expect(sent.toString()).toBe(`Grüße\r\n${mime(bytes)}\r\n--end`)
        expect(length).toBe(sent.length)
      }
    },
  )

  test('has a file as it is where that is wanted, and one that came with the call', async () => {
    const bytes = Buffer.from([0, 255, 13, 10])
    const { stream, length } = await contentBody(content('bytes'), filesOf(bytes, 2))
    const sent = await buffer(stream)
    expect(sent).toEqual(Buffer.concat([Buffer.from('Grüße\r\n'), bytes, Buffer.from('\r\n--end')]))
    expect(length).toBe(sent.length)
    const along: Content = { type: 'a/b', pieces: [{ file: { data: 'AAEC' }, as: 'bytes' }] }
    expect(await buffer((await contentBody(along, undefined)).stream)).toEqual(Buffer.from([0, 1, 2]))
  })

  test('has base64 in one line where a text of JSON holds the file, whatever its chunks are', async () => {
    for (const size of [0, 1, 2, 3, 100, 1_000])
      for (const chunk of [1, 2, 3, 57, 10_000]) {
        const bytes = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7) % 256))
        const { stream, length } = await contentBody(content('base64-text'), filesOf(bytes, chunk))
        const sent = await buffer(stream)
        expect(sent.toString()).toBe(`Grüße\r\n${bytes.toString('base64')}\r\n--end`)
        expect(length).toBe(sent.length)
      }
  })

  test('has a part of a file, as upload sessions take it', async () => {
    const bytes = Buffer.from(Array.from({ length: 10 }, (_, at) => at))
    const ranges = [
      { from: 0, to: 4 },
      { from: 4, to: 8 },
      { from: 8, to: 12 },
    ]
    for (const chunk of [1, 3, 4, 100]) {
      const parts: Buffer[] = []
      for (const range of ranges) {
        const piece = { file: { reference: REFERENCE }, as: 'bytes', ...range } as const
        const { stream, length } = await contentBody({ type: 'a/b', pieces: [piece] }, filesOf(bytes, chunk))
        parts.push(await buffer(stream))
        expect(length).toBe(parts.at(-1)?.length)
      }
      expect(parts.map((part) => part.length)).toEqual([4, 4, 2])
      expect(Buffer.concat(parts)).toEqual(bytes)
    }
  })

  test('is refused where no files are kept', async () => {
    await expect(contentBody(content('bytes'), undefined)).rejects.toMatchObject({ code: 'file.off' })
  })
})
