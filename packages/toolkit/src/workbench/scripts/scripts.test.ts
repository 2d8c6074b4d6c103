/** The scripts, run by real interpreters: what they do to files, and that no path or content becomes code. */
// @module-tag long
import { createHash, randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RemotePath } from '../../files/paths.ts'
import { javascriptScript } from './javascript.ts'
import { pythonScript } from './python.ts'
import { answerIn, givenOf, type Given, type Operation } from './script.ts'
import { shellScript } from './shell.ts'

const has = (program: string, ...given: string[]): boolean => {
  try {
    execFileSync(program, given, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
/** A machine with npm alone has Node; the others are tried where they are. */
const INTERPRETERS = [
  { name: 'python', script: pythonScript, program: ['python3', '-I', '-'], is: has('python3', '--version') },
  { name: 'javascript', script: javascriptScript, program: [process.execPath, '-'], is: true },
  {
    name: 'shell',
    script: shellScript,
    program: ['sh'],
    is: process.platform !== 'win32' && has('sh', '-c', 'sha256sum /dev/null'),
  },
] as const

let home: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'scripts-')))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const at = (path: string) => `/home/user/${path}` as RemotePath
const EVIL = [
  'it\'s "quoted".txt',
  '"); open("/tmp/owned", "w").write("x"); ("',
  "'''; import os; os.abort(); '''",
  '$(touch owned) `touch owned` ; touch owned',
  '${process.exit(3)} \u2028 umlaut ü 🎉.md',
  '--help',
  "EOF\\'TOOLWAY",
]

for (const { name, script, program } of INTERPRETERS.filter((one) => one.is)) {
  const run = (path: string, operation: Operation) => {
    const given: Given = givenOf(at(path), home, operation)
    const [command, ...options] = program
    const stdout = execFileSync(command, options, { input: script(given), cwd: home, maxBuffer: 64 * 1024 * 1024 })
    return answerIn({ data: { stdout: `noise\n${stdout.toString()}more` } }, given.nonce)
  }
  const write = (path: string, offset: number, bytes: Uint8Array) => run(path, { name: 'write', offset, bytes }).said

  describe(`in ${name}`, name === 'javascript' ? {} : { tags: 'long' }, () => {
    test('a file is written in parts, checked and put in its place, and only then visible', async () => {
      const bytes = randomBytes(300_000)
      const wanted = { size: bytes.length, sha256: hashOf(bytes) }
      expect(write('a/b/out.bin', 0, bytes.subarray(0, 100_000))).toEqual({
        size: 100_000,
        sha256: hashOf(bytes.subarray(0, 100_000)),
      })
      expect(run('a/b/out.bin', { name: 'stat', target: 'path' }).said).toEqual({ file: null })
      expect(run('a/b/out.bin', { name: 'stat', target: 'part' }).said).toMatchObject({ file: { size: 100_000 } })
      expect(run('a/b/out.bin', { name: 'finish', ...wanted }).said).toMatchObject({ done: false })
      expect(write('a/b/out.bin', 100_001, bytes)).toEqual({ gap: 100_000 })
      // The same part twice, and one that begins before the end, change nothing.
      for (const from of [100_000, 100_000, 50_000]) write('a/b/out.bin', from, bytes.subarray(from))
      for (const _ of [1, 2]) expect(run('a/b/out.bin', { name: 'finish', ...wanted }).said).toEqual({ done: true })
      expect(await readdir(join(home, 'a/b'))).toEqual(['out.bin'])
      expect((await readFile(join(home, 'a/b/out.bin'))).equals(bytes)).toBe(true)
      expect(run('a/b/out.bin', { name: 'stat', target: 'path' }).said).toEqual({ file: wanted })
      for (const [offset, size] of [
        [0, 10],
        [299_990, 100],
        [300_000, 10],
        [1, 299_999],
      ] as const) {
        const { said, bytes: read } = run('a/b/out.bin', { name: 'read', offset, size })
        expect(Buffer.from(read).equals(bytes.subarray(offset, offset + size))).toBe(true)
        expect(said).toEqual({ sha256: hashOf(bytes.subarray(offset, offset + size)) })
      }
    })

    test('an empty file is a file, and a folder or a missing file is told as such', () => {
      write('empty', 0, new Uint8Array())
      expect(run('empty', { name: 'finish', size: 0, sha256: hashOf(new Uint8Array()) }).said).toEqual({ done: true })
      expect(run('empty', { name: 'stat', target: 'path' }).said).toMatchObject({ file: { size: 0 } })
      write('folder/x', 0, Buffer.from('x'))
      expect(run('folder', { name: 'stat', target: 'path' }).said).toHaveProperty('failed')
      expect(run('none', { name: 'read', offset: 0, size: 1 }).said).toHaveProperty('failed')
    })

    test('names with quotes, commands and line ends of other languages stay names', async () => {
      for (const evil of EVIL) {
        const bytes = Buffer.from(evil)
        write(evil, 0, bytes)
        expect(run(evil, { name: 'finish', size: bytes.length, sha256: hashOf(bytes) }).said).toEqual({ done: true })
        expect(await readFile(join(home, evil), 'utf8')).toBe(evil)
      }
      const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      expect(files).toHaveLength(EVIL.length)
      await expect(readFile('/tmp/owned')).rejects.toThrow('ENOENT')
    })
  })
}

test('S4-TK-09: without its base64 literals, a script is the same text for every path and content', () => {
  for (const { name, script } of INTERPRETERS) {
    const skeletons = EVIL.map((evil) => {
      const given = givenOf(at(evil), '/home/user', { name: 'write', offset: 0, bytes: Buffer.from(evil) })
      const text = script({ ...given, nonce: '0' })
      expect(text, name).not.toContain(evil)
      return text.replace(/(["'])[A-Za-z0-9+/=]{8,}\1/g, '""').replace(/^[A-Za-z0-9+/=]{8,}$/m, '')
    })
    expect(new Set(skeletons).size, name).toBe(1)
  }
})

test('an answer that was cut off is told from one that never came', () => {
  expect(() => answerIn({ stdout: '@@toolway:abc:e30=:AAAA' }, 'abc')).toThrow('cut off')
  expect(() => answerIn({ stdout: 'Traceback' }, 'abc')).toThrow('did not return its answer')
  expect(answerIn(['x', { a: '{"b":"@@toolway:abc:e30=:AAAA@@"}' }], 'abc').bytes).toHaveLength(3)
})
