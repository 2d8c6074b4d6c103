import { zipSync, type Zippable } from 'fflate'
import { describe, expect, test } from 'vitest'
import { DOCUMENT_LIMIT } from '@toolway/contract'
import { documentOfArchive } from './archive.ts'
import { LIMITS } from './limits.ts'
import { readDocument } from './read-document.ts'

const bytesOf = (text: string) => Buffer.from(text)
const zip = (files: Zippable) => zipSync(files, { mtime: new Date(2026, 0, 1) })
const texts = (files: Record<string, string>) =>
  zip(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bytesOf(text)])))
const opened = (bytes: Uint8Array, limits: { files: number; bytes: number } = LIMITS) =>
  documentOfArchive(bytes, limits)
const reading = async (bytes: Uint8Array) => readDocument(await opened(bytes), { select: { exclude: [] }, effects: {} })

const ROOT = 'openapi: 3.0.3\npaths:\n  /a: { $ref: "paths/a.yml" }\n'
const A = 'get: { operationId: a, parameters: [{ name: q, in: query, schema: { type: string } }] }\n'

describe('a ZIP archive', () => {
  test.each([
    ['at its top', { 'openapi.yaml': ROOT, 'paths/a.yml': A }],
    ['in a folder, as a repository is downloaded', { 'api-main/openapi.yaml': ROOT, 'api-main/paths/a.yml': A }],
    ['under another name', { 'shop/shop.yaml': ROOT, 'shop/paths/a.yml': A }],
    ['packed on Windows', { 'api\\openapi.yaml': ROOT, 'api\\paths\\a.yml': A }],
    ['with what macOS adds', { '__MACOSX/._openapi.yaml': '\u0000', 'openapi.yaml': ROOT, 'paths/a.yml': A }],
  ])('is read with the files that its document refers to: %s', async (_, files) => {
    const { tools, leftOut } = await reading(texts(files))
    expect(tools.map(({ inputSchema }) => inputSchema)).toMatchObject([{ properties: { q: { type: 'string' } } }])
    expect(leftOut).toEqual([])
  })

  test('leaves out what is in a file that is missing, an archive itself or no text, each by name', async () => {
    const root = ['gone.yml', 'more.zip', 'latin.yml'].map((name, at) => `  /${at}: { $ref: "${name}" }\n`).join('')
    const inner = texts({ 'x.yml': A })
    const { leftOut } = await reading(
      zip({
        'openapi.yaml': bytesOf(`openapi: 3.0.3\npaths:\n${root}`),
        'more.zip': inner,
        'latin.yml': Buffer.from([0x67, 0xe4]),
      }),
    )
    expect(leftOut.map(({ reason }) => reason)).toEqual([
      'is in another file, "gone.yml": bundle the document into one file',
      'is in another file, "more.zip", which is an archive itself',
      'is in another file, "latin.yml", which cannot be read: it is not text in UTF-8: save it in that encoding',
    ])
  })

  test('may have texts in UTF-16 with a byte order mark, as shells of Windows write them', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(ROOT, 'utf16le')])
    const { tools } = await reading(zip({ 'openapi.yaml': utf16, 'paths/a.yml': bytesOf(A) }))
    expect(tools).toHaveLength(1)
  })
})

/** With the bytes at a place of the record in the directory, or of the archive's end, changed. */
function changed(bytes: Uint8Array, signature: number, offset: number, value: readonly number[]): Uint8Array {
  const copy = Buffer.from(bytes)
  const mark = Buffer.alloc(4)
  mark.writeUInt32LE(signature)
  copy.set(value, copy.indexOf(mark) + offset)
  return copy
}
const [CENTRAL, END] = [0x02_01_4b_50, 0x06_05_4b_50]
const PLAIN = texts({ 'openapi.yaml': `${ROOT}#${'x'.repeat(500)}` })
const link = zip({
  'openapi.yaml': bytesOf(ROOT),
  'link.yml': [bytesOf('/etc/passwd'), { os: 3, attrs: 0o12_0777 << 16 }],
})

describe('an archive that means ill, or is broken, is refused with what is wrong', () => {
  test.each([
    [
      'a path upwards',
      texts({ '../openapi.yaml': ROOT }),
      'contains the path "../openapi.yaml", which leads out of it',
    ],
    ['a path upwards of Windows', texts({ 'a\\..\\..\\x.yml': ROOT }), 'which leads out of it'],
    [
      'an absolute path',
      texts({ '/etc/openapi.yaml': ROOT }),
      'contains the path "/etc/openapi.yaml", which leads out',
    ],
    ['a drive', texts({ 'C:\\openapi.yaml': ROOT }), 'contains the path "C:/openapi.yaml", which leads out of it'],
    ['a symbolic link', link, 'contains the symbolic link "link.yml"'],
    [
      'another archive only',
      zip({ 'inner.zip': texts({ 'openapi.yaml': ROOT }) }),
      'contains another archive, "inner.zip": unpack',
    ],
    ['no document', texts({ 'readme.md': '# x', 'x.yaml': 'a: 1' }), 'contains no OpenAPI document'],
    [
      'several documents',
      texts({ 'a.yaml': ROOT, 'b.yaml': ROOT }),
      'contains 2 OpenAPI documents ("a.yaml", "b.yaml"): name',
    ],
    [
      'a document that is no text',
      zip({ 'openapi.yaml': Buffer.from([...bytesOf(ROOT), 0xff]) }),
      'contains no OpenAPI document',
    ],
    ['a password', changed(PLAIN, CENTRAL, 8, [1]), 'is encrypted'],
    ['another packing', changed(PLAIN, CENTRAL, 10, [14]), 'contains no OpenAPI document'],
    ['ZIP64', changed(PLAIN, END, 10, [0xff, 0xff]), 'ZIP64'],
    ['nothing after its begin', PLAIN.subarray(0, 60), 'is damaged or incomplete'],
    ['a directory that is not there', changed(PLAIN, END, 16, [0xff, 0xff, 0xff, 0x7f]), 'is damaged or incomplete'],
    ['another checksum', changed(PLAIN, CENTRAL, 16, [1, 2, 3, 4]), 'contains no OpenAPI document'],
  ])('%s', async (_, bytes, words) => {
    await expect(opened(bytes)).rejects.toThrow(words)
  })

  test('more files, or more bytes than it may have, by what it says of them', async () => {
    const many = texts(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${at}.yml`, 'a: 1'])))
    await expect(opened(many, { files: 10, bytes: 1_000 })).rejects.toThrow('more than the maximum of 10 files')
    await expect(opened(many, { files: 20, bytes: 40 })).rejects.toThrow('unpacks to more than the maximum of 40 bytes')
  })

  test('a file that unpacks to more than it says, of which no more is unpacked', async () => {
    const bomb = zip({ 'openapi.yaml': [Buffer.concat([bytesOf(ROOT), Buffer.alloc(50_000_000, 0x20)]), { level: 9 }] })
    const lying = changed(bomb, CENTRAL, 24, [100, 0, 0, 0])
    await expect(opened(lying)).rejects.toThrow('contains no OpenAPI document')
  })
})

test('a thread bounds a document as those do who hand it over', () => {
  expect(LIMITS.bytes).toBe(DOCUMENT_LIMIT)
})
