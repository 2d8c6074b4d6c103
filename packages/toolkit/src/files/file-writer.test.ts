/** Files that are written in parts: whole or not at all, and continued by a later call. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePartName, heldPartName, newPartKey, partKeyOf } from './part-names.ts'
import { Workspace } from './workspace.ts'

let root: string
let workspace: Workspace
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolkit-')))
  workspace = await Workspace.open([root])
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

const bytesOf = (text: string) => Buffer.from(text)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('a file appears when it is committed, and its part is seen by no tool meanwhile', async () => {
  await using writer = await workspace.createFile('out/data.bin')
  await writer.append(bytesOf('one '))
  await writer.append(bytesOf('two'))
  expect([writer.path, writer.size, writer.sha256()]).toEqual([join(root, 'out/data.bin'), 7, sha256('one two')])
  const [part = ''] = await readdir(join(root, 'out'))
  expect(part).toMatch(/^\.toolway-part-/)
  expect((await workspace.list('out', 10)).entries).toEqual([])
  await expect(workspace.read(`out/${part}`, 10)).rejects.toThrow('still being written')
  await expect(workspace.write(`out/${part.toUpperCase()}`, 'x')).rejects.toThrow('still being written')
  expect(await writer.commit()).toEqual({ path: join(root, 'out/data.bin'), bytes: 7 })
  expect(await readFile(join(root, 'out/data.bin'), 'utf8')).toBe('one two')
  expect(await readdir(join(root, 'out'))).toEqual(['data.bin'])
})

test('a file that is not committed, is cancelled or grows too large leaves what was there, and nothing beside it', async () => {
  await workspace.write('report.md', 'old')
  {
    await using writer = await workspace.createFile('report.md')
    await writer.append(bytesOf('new'))
  }
  const { signal, cancel } = cancellation()
  {
    await using writer = await workspace.createFile('report.md', { signal })
    await writer.append(bytesOf('new'))
    cancel()
    await expect(writer.append(bytesOf('more'))).rejects.toThrow('cancelled')
    await expect(writer.commit()).rejects.toThrow('cancelled')
  }
  {
    await using writer = await workspace.createFile('report.md', { most: 5 })
    await writer.append(bytesOf('12345'))
    await expect(writer.append(bytesOf('6'))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  }
  await expect(workspace.write('report.md', 'new', { replace: false })).rejects.toThrow('already exists')
  expect(await readFile(join(root, 'report.md'), 'utf8')).toBe('old')
  expect(await readdir(root)).toEqual(['report.md'])
})

function cancellation() {
  const controller = new AbortController()
  return { signal: controller.signal, cancel: () => controller.abort(new Error('cancelled')) }
}

test('a resumable file goes on where the last call ended, with its size and hash', async () => {
  for (const word of ['one ', 'two ']) {
    await using writer = await workspace.createFile('big.bin', { resume: 'remote-etag' })
    await writer.append(bytesOf(word))
  }
  expect(await readdir(root)).toEqual([freePartName(partKeyOf('big.bin', 'remote-etag'))])
  {
    await using other = await workspace.createFile('big.bin', { resume: 'another-etag' })
    expect(other.size).toBe(0)
  }
  await using writer = await workspace.createFile('big.bin', { resume: 'remote-etag' })
  expect([writer.size, writer.sha256()]).toEqual([8, sha256('one two ')])
  await expect(workspace.createFile('big.bin', { resume: 'remote-etag' })).rejects.toThrow('by another call')
  await writer.append(bytesOf('three'))
  await writer.commit()
  expect(await readFile(join(root, 'big.bin'), 'utf8')).toBe('one two three')
  expect(await readdir(root)).toEqual(['big.bin'])
})

test('a resumable file begins again where its beginning is not the right one, and is removed where it is given up', async () => {
  {
    await using writer = await workspace.createFile('big.bin', { resume: 'x' })
    await writer.append(bytesOf('wrong'))
    await writer.restart()
    expect([writer.size, writer.sha256()]).toEqual([0, sha256('')])
    await writer.append(bytesOf('right'))
  }
  await using writer = await workspace.createFile('big.bin', { resume: 'x' })
  expect(writer.sha256()).toBe(sha256('right'))
  await writer.abort()
  expect(await readdir(root)).toEqual([])
})

test('parts of processes that are gone are removed by the next write into their folder; living and resumable ones stay', async () => {
  const own = heldPartName(newPartKey())
  const gone = own.replace(/-\d+-/, '-4194999-')
  const foreign = heldPartName(newPartKey()).replace(/\.[0-9a-f]{12}-/, '.000000000000-')
  const old = heldPartName(newPartKey()).replace(/\.[0-9a-f]{12}-/, '.000000000000-')
  const resumable = heldPartName(partKeyOf('a', 'b')).replace(/-\d+-/, '-4194999-')
  const forgotten = freePartName(partKeyOf('c', 'd'))
  await mkdir(join(root, 'in'))
  for (const name of [own, gone, foreign, old, resumable, forgotten]) await writeFile(join(root, 'in', name), 'half')
  for (const name of [old, forgotten]) await utimes(join(root, 'in', name), 1, 1)
  await workspace.write('in/a', 'whole')
  expect((await readdir(join(root, 'in'))).sort()).toEqual([own, foreign, resumable, 'a'].sort())
  await using writer = await workspace.createFile('in/a', { resume: 'b' })
  expect(writer.size).toBe(4)
})

test('parts are removed from a root when the toolkit starts', async () => {
  await writeFile(join(root, heldPartName(newPartKey()).replace(/-\d+-/, '-4194999-')), 'half')
  await using _ = await Workspace.open([root])
  expect(await readdir(root)).toEqual([])
})

test('a part is no link, and the file keeps its mode when it is replaced', async () => {
  await writeFile(join(root, 'secret'), 'secret')
  await symlink(join(root, 'secret'), join(root, freePartName(partKeyOf('x', 'y'))))
  await expect(workspace.createFile('x', { resume: 'y' })).rejects.toThrow('symbolic link')
  expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret')
  await writeFile(join(root, 'run.sh'), 'old', { mode: 0o755 })
  await workspace.write('run.sh', 'new')
  expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o755)
})

test('a file is read in parts, also from the middle, and a file that becomes shorter meanwhile is refused', async () => {
  const text = 'abcdefgh'.repeat(400_000)
  await workspace.write('long.txt', text)
  const read: Buffer[] = []
  {
    await using file = await workspace.open('long.txt')
    for await (const chunk of file.chunks({ from: 8 })) read.push(chunk)
    expect(file.size).toBe(text.length)
  }
  expect(read.length).toBeGreaterThan(2)
  expect(Buffer.concat(read).toString()).toBe(text.slice(8))
  await using file = await workspace.open('long.txt')
  await writeFile(join(root, 'long.txt'), 'short')
  const readAll = async () => {
    for await (const chunk of file.chunks()) expect(chunk.byteLength).toBeGreaterThan(0)
  }
  await expect(readAll()).rejects.toThrow('became shorter')
})
