/** ZIP archives: what is packed comes back, and archives that are made to do harm are refused before anything is written. */
// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { Workspace } from '../files/workspace.ts'
import { Session } from '../session.ts'
import { createTools } from '../tools/all.ts'
import { makeFolder } from '../testing/toolkit-client.ts'

const TOOLS = createTools({ environment: {} })

async function makeGround() {
  const base = await makeFolder()
  const root = join(base.path, 'ws')
  await mkdir(root)
  const workspace = await Workspace.open([root])
  const session = new Session({ tools: TOOLS, budgets: { byTool: new Map() } })
  const call = (name: string, given: object, signal = new AbortController().signal, progress = (): void => {}) => {
    const tool = session.findTool(name)
    if (tool === undefined) throw new Error(`no ${name}`)
    return session.call(tool, given, { workspace, signal, progress })
  }
  const all = async () => (await readdir(base.path, { recursive: true })).sort()
  return {
    ...{ root, call, all },
    /** The reason why an archive is refused; nothing is written then. */
    async refused(archive: Uint8Array, given: object = {}): Promise<string> {
      await writeFile(join(root, 'evil.zip'), archive)
      const before = await all()
      const { fault, text } = await call('extract_files', { archive_path: 'evil.zip', folder: 'out', ...given })
      expect(fault, text).toBeDefined()
      expect(await all()).toEqual(before)
      return text
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const zipOf = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytes(text)])))

test('files come back as they were, also by another program, and the same files give the same archive', async () => {
  await using ground = await makeGround()
  const big = Buffer.alloc(3_000_000, 'abcdefghijk')
  await mkdir(join(ground.root, 'in/deep/er'), { recursive: true })
  await writeFile(join(ground.root, 'in/ü 🎉.txt'), 'Grüße')
  await writeFile(join(ground.root, 'in/deep/er/big.bin'), big)
  await writeFile(join(ground.root, 'in/deep/empty.txt'), '')
  for (const name of ['one.zip', 'two.zip'])
    expect(await ground.call('compress_files', { paths: ['in'], archive_path: name, base: 'in' })).toMatchObject({
      structured: { files: 3, bytes: big.length + Buffer.byteLength('Grüße'), skipped: 0 },
    })
  const [one, two] = await Promise.all(['one.zip', 'two.zip'].map((name) => readFile(join(ground.root, name))))
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true)
  expect(await ground.call('extract_files', { archive_path: 'one.zip', folder: 'out' })).toMatchObject({
    structured: {
      files: ['deep/empty.txt', 'deep/er/big.bin', 'ü 🎉.txt'].map((name) => join(ground.root, 'out', name)),
    },
  })
  expect(await readFile(join(ground.root, 'out/ü 🎉.txt'), 'utf8')).toBe('Grüße')
  expect((await readFile(join(ground.root, 'out/deep/er/big.bin'))).equals(big)).toBe(true)
  const other = `import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(sorted(z.namelist()))`
  const names = execFileSync('python3', ['-c', other, join(ground.root, 'one.zip')]).toString()
  expect(names.trim()).toBe("['deep/empty.txt', 'deep/er/big.bin', 'ü 🎉.txt']")
})

test('an archive leaves out itself and links, and two files of one name in it are refused', async () => {
  await using ground = await makeGround()
  await writeFile(join(ground.root, 'a.txt'), 'a')
  for (let time = 0; time < 2; time++)
    expect(await ground.call('compress_files', { paths: ['.'], archive_path: 'all.zip' })).toMatchObject({
      structured: { files: 1 },
    })
  const empty = await ground.call('compress_files', { paths: ['all.zip'], archive_path: 'all.zip' })
  expect(empty.text).toContain('no file to compress')
  expect(
    (await ground.call('compress_files', { paths: ['a.txt'], archive_path: 'x.zip', base: 'out' })).text,
  ).toContain('base')
  expect(await readdir(ground.root)).toEqual(['a.txt', 'all.zip'])
})

test('cancelling leaves no archive and no half file', async () => {
  await using ground = await makeGround()
  for (let at = 0; at < 5; at++) await writeFile(join(ground.root, `${at}.bin`), Buffer.alloc(2_000_000, at))
  const packing = new AbortController()
  const stopAt = (controller: AbortController, when: number) => () => {
    if (--when === 0) controller.abort()
  }
  const given = { paths: ['.'], archive_path: 'all.zip' }
  const packed = await ground.call('compress_files', given, packing.signal, stopAt(packing, 2))
  expect(packed.fault?.code).toBe('CANCELLED')
  expect(await ground.all()).not.toContain('ws/all.zip')
  await ground.call('compress_files', given)
  const unpacking = new AbortController()
  const out = await ground.call(
    'extract_files',
    { archive_path: 'all.zip', folder: 'out' },
    unpacking.signal,
    stopAt(unpacking, 7),
  )
  expect(out.fault?.code).toBe('CANCELLED')
  expect((await ground.all()).filter((name) => name.includes('part'))).toEqual([])
  expect((await readdir(join(ground.root, 'out'))).length).toBeLessThan(5)
})

test('files that are there are replaced only where that is asked for', async () => {
  await using ground = await makeGround()
  await mkdir(join(ground.root, 'out'))
  await writeFile(join(ground.root, 'out/b.txt'), 'old')
  const archive = zipOf({ 'a.txt': 'new', 'b.txt': 'new' })
  expect(await ground.refused(archive)).toContain('already exists')
  const replaced = await ground.call('extract_files', { archive_path: 'evil.zip', folder: 'out', replace: true })
  expect(replaced.fault).toBeUndefined()
  expect(await readFile(join(ground.root, 'out/b.txt'), 'utf8')).toBe('new')
})

/** Names of entries that must not be unpacked. */
const NAMES: readonly string[] = [
  ...['../x', '../../x', 'a/../../x', 'a/../b', './x', 'a//b', 'a/./b', '..', '.', '/', '/etc/passwd', '//x', '/x'],
  ...['..\\x', 'a\\b', '\\x', 'C:\\x', 'C:x', 'c:/x', '\\\\host\\share\\x', 'a:stream', 'x.txt::$DATA', 'file:///x'],
  ...['CON', 'nul.txt', 'a/aux/b', 'COM1.log', 'lpt9', 'x.', 'x ', 'a./b', 'x\u0000.txt', 'x\ny', 'x\u007f', '...'],
  ...['．．/x', '‥/x', 'a／..／x', '.\u200b./x', 'a＼b', 'a\u202etxt.exe', '.toolway-part-x', 'a/.toolway-part-t0'],
  ...['x'.repeat(256), 'a/'.repeat(2_100) + 'x', 'é'.repeat(128), ''],
]

describe('S4-FS-02: an archive is confined to its folder', () => {
  test(`${NAMES.length} names that lead out, or that some system takes for something else, are refused beside good ones`, async () => {
    await using ground = await makeGround()
    for (const name of NAMES)
      expect(await ground.refused(zipOf({ 'good.txt': 'x', [name]: 'x' })), name).toMatch(/archive is refused/)
  })

  const attrs = (mode: number) => ({ os: 3, attrs: mode * 2 ** 16 })
  const nested = (): Uint8Array => zipSync({ 'x.bin': [new Uint8Array(300_000_000), { level: 9 }] })
  const ARCHIVES: Readonly<Record<string, () => Uint8Array>> = {
    'a symbolic link': () => zipSync({ link: [bytes('/etc'), attrs(0o120777)], 'link/passwd': bytes('x') }),
    'a link only': () => zipSync({ link: [bytes('../../x'), attrs(0o120777)] }),
    'a pipe': () => zipSync({ pipe: [bytes(''), attrs(0o010644)] }),
    'a device': () => zipSync({ device: [bytes(''), attrs(0o020644)] }),
    'a socket': () => zipSync({ socket: [bytes(''), attrs(0o140644)] }),
    'a name twice': () => renamed(zipOf({ 'a.txt': '1', 'b.txt': '2' }), 'b.txt', 'a.txt'),
    'names that differ in case': () => zipOf({ 'a.txt': '1', 'A.TXT': '2' }),
    'names that differ in their form': () => zipOf({ 'é.txt': '1', 'e\u0301.txt': '2' }),
    'a file in a file': () => zipOf({ a: '1', 'a/b': '2' }),
    'a folder with content': () => zipSync({ 'a.': bytes('x') }, { level: 0 }),
    'two headers': () => renamedOnce(zipOf({ 'good.txt': 'x' }), 'good.txt', 'evil.txt'),
    'a bomb': nested,
    'a size that cannot be': () => patched(zipOf({ 'x.txt': 'x'.repeat(1_000) }), [24, 0x3f_ff_ff_ff]),
    'a size that is too small': () => patched(zipOf({ 'x.txt': 'x'.repeat(1_000) }), [24, 10]),
    'a wrong checksum': () => patched(zipOf({ 'x.txt': 'x'.repeat(1_000) }), [16, 1]),
    'bytes outside': () => patched(zipOf({ 'x.txt': 'x'.repeat(1_000) }), [20, 0x00_ff_ff_ff]),
    'entries over each other': () => overlapping(),
    ZIP64: () => patched(zipOf({ 'x.txt': 'x' }), [42, 0xff_ff_ff_ff]),
    'an encrypted file': () => patched(zipOf({ 'x.txt': 'x' }), [8, 1]),
    'an unknown way to pack': () => patched(zipOf({ 'x.txt': 'x' }), [10, 99]),
    'a damaged file': () => damaged(zipOf({ 'x.txt': Array.from({ length: 500 }, (_, at) => at * at).join(' ') })),
    'a cut archive': () => zipOf({ 'x.txt': 'x'.repeat(1_000) }).subarray(0, 60),
    'text before it': () => Buffer.concat([Buffer.from('#!/bin/sh\n'), zipOf({ 'x.txt': 'x' })]),
    'bytes after it': () => Buffer.concat([zipOf({ 'x.txt': 'x' }), Buffer.from('more')]),
    'no archive': () => bytes('hello'),
    nothing: () => new Uint8Array(),
  }
  test(`${Object.keys(ARCHIVES).length} archives are refused: links, doubled names, bombs, headers that disagree`, async () => {
    await using ground = await makeGround()
    for (const [what, make] of Object.entries(ARCHIVES))
      expect(await ground.refused(make()), what).toMatch(/^Error extracting files: /)
  })

  test('an archive with more files than is allowed is refused', { tags: 'long' }, async () => {
    await using ground = await makeGround()
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [String(at), '']))
    expect(await ground.refused(zipOf(many))).toContain('10000')
  })

  test('more files or bytes than an archive holds are not compressed', async () => {
    await using ground = await makeGround()
    await writeFile(join(ground.root, 'huge'), '')
    await truncate(join(ground.root, 'huge'), 3 * 1024 ** 3)
    const refused = await ground.call('compress_files', { paths: ['huge'], archive_path: 'x.zip' })
    expect(refused.fault?.code).toBe('PAYLOAD_TOO_LARGE')
    expect(await readdir(ground.root)).toEqual(['huge'])
  })
})

const CENTRAL = 0x02014b50
/** Where the list of an archive of one file begins. */
const listOf = (archive: Buffer): number => archive.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))

/** With another number in the list: of 2 bytes where the field is one of 2 bytes. */
function patched(archive: Uint8Array, [field, value]: readonly [number, number]): Uint8Array {
  const copy = Buffer.from(archive)
  const at = listOf(copy)
  expect(copy.readUInt32LE(at)).toBe(CENTRAL)
  if (field === 8 || field === 10) copy.writeUInt16LE(value, at + field)
  else copy.writeUInt32LE(value, at + field)
  return copy
}

function renamed(archive: Uint8Array, from: string, to: string): Uint8Array {
  return Buffer.from(Buffer.from(archive).toString('latin1').replaceAll(from, to), 'latin1')
}

function renamedOnce(archive: Uint8Array, from: string, to: string): Uint8Array {
  return Buffer.from(Buffer.from(archive).toString('latin1').replace(from, to), 'latin1')
}

function damaged(archive: Uint8Array): Uint8Array {
  const copy = Buffer.from(archive)
  for (let at = 60; at < 90; at++) copy[at] = 0xff
  return copy
}

/** Two entries of the list that are of the same bytes, under two names. */
function overlapping(): Uint8Array {
  const copy = Buffer.from(zipOf({ 'a.txt': 'x'.repeat(1_000), 'b.txt': 'x'.repeat(1_000) }))
  const first = listOf(copy)
  const second = copy.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]), first + 4)
  copy.writeUInt32LE(copy.readUInt32LE(first + 42), second + 42)
  return renamed(copy, 'b.txt', 'a.txt')
}
