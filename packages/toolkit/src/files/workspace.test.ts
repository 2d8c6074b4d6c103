/** The files of a session stay within its roots, whatever a path says and whoever moves folders meanwhile. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
  link,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../refusal.ts'
import { Workspace } from './workspace.ts'

let base: string
let root: string
let outside: string
let workspace: Workspace
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'toolkit-')))
  ;[root, outside] = [join(base, 'ws'), join(base, 'ws_evil')]
  await Promise.all([mkdir(root), mkdir(outside)])
  await writeFile(join(outside, 'secret.txt'), 'secret')
  workspace = await Workspace.open([root])
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  await rm(base, { recursive: true, force: true })
})

const refusalOf = async (work: () => Promise<unknown>, what = ''): Promise<string> => {
  const thrown: unknown = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(thrown instanceof Refusal)) throw new Error(`${JSON.stringify(what)} was not refused: ${String(thrown)}`)
  return thrown.message
}

const read = (path: string) => workspace.read(path, 1_000)
const write = (path: string) => workspace.write(path, 'x')
const add = (path: string) => workspace.append(path, 'x')

describe('S4-FS-02: confined to the roots', () => {
  test('symbolic links are followed in no part of a path, also where they stay within', async () => {
    await mkdir(join(root, 'real'))
    await writeFile(join(root, 'real/in.txt'), 'in')
    await symlink(outside, join(root, 'away'))
    await symlink(join(outside, 'secret.txt'), join(root, 'file.txt'))
    await symlink(join(root, 'real'), join(root, 'near'))
    await symlink('/', join(root, 'top'))
    await symlink(join(root, 'loop'), join(root, 'loop'))
    for (const path of ['away/secret.txt', 'file.txt', 'near/in.txt', 'top/etc/passwd', 'loop', 'loop/x'])
      for (const work of [read, write, add].map((act) => () => act(path)))
        expect(await refusalOf(work)).toMatch(/symbolic link|not a file|not a folder/)
    for (const path of ['away', 'top', 'loop']) await refusalOf(() => workspace.list(path, 10))
    expect((await workspace.list('.', 10)).entries.map(({ name, type }) => [name, type])).toEqual([
      ['away', 'other'],
      ['file.txt', 'other'],
      ['loop', 'other'],
      ['near', 'other'],
      ['real', 'directory'],
      ['top', 'other'],
    ])
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
  })

  test('pipes, devices, folders and files with several names are no files', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    await mkdir(join(root, 'folder'))
    await link(join(outside, 'secret.txt'), join(root, 'hard.txt'))
    for (const path of ['pipe', 'folder'])
      for (const work of [read, write, add].map((act) => () => act(path))) await refusalOf(work)
    expect(await refusalOf(() => workspace.append('hard.txt', 'x'))).toContain('several names')
    // Written anew, it is another file.
    await workspace.write('hard.txt', 'new')
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
  })

  test('a root is a folder, and no place of the system', async () => {
    for (const one of [join(base, 'none'), join(outside, 'secret.txt'), '/proc', '/dev', '/sys'])
      await expect(Workspace.open([one])).rejects.toThrow()
    await expect(Workspace.open([])).rejects.toThrow('--root')
  })

  /** Puts a link to the outside in the place of a folder and back, as fast as it can, until it is told to stop. */
  function swapping(): { stop(): Promise<void> } {
    const [folder, aside, evil] = [join(root, 'swap'), join(base, 'aside'), join(base, 'evil')]
    let stopped = false
    const done = (async () => {
      await symlink(outside, evil)
      while (!stopped) {
        await rename(folder, aside).catch(() => {})
        await rename(evil, folder).catch(() => {})
        await rename(folder, evil).catch(() => {})
        await rename(aside, folder).catch(() => {})
      }
    })()
    return {
      async stop() {
        stopped = true
        await done
      },
    }
  }

  test.skipIf(process.platform !== 'linux')(
    'a folder that is replaced by a link between check and use leads nowhere; a check of the path before would be passed by',
    { tags: 'long' },
    async () => {
      await mkdir(join(root, 'swap'))
      const swaps = swapping()
      const escaped = async () => (await readdir(outside)).filter((name) => name !== 'secret.txt')
      // The usual way: the real path is looked at, then the file is written.
      const naive = async (path: string) => {
        const folder = await realpath(dirname(path))
        if (!`${folder}/`.startsWith(`${root}/`)) return
        await writeFile(path, 'naive')
      }
      const until = Date.now() + 100_000
      for (let at = 0; (await escaped()).length === 0 && Date.now() < until; at++)
        await naive(join(root, 'swap', `naive-${at}`)).catch(() => {})
      expect((await escaped()).length).toBeGreaterThan(0)

      await Promise.all((await escaped()).map((name) => unlink(join(outside, name))))
      let written = 0
      for (let at = 0; at < 1_000 || (written === 0 && at < 50_000); at++) {
        await workspace.write(`swap/own-${at}`, 'own').then(
          () => written++,
          () => {},
        )
        await workspace.append(`swap/added-${at % 7}`, 'own').catch(() => {})
      }
      await swaps.stop()
      expect(written).toBeGreaterThan(0)
      expect(await escaped()).toEqual([])
    },
  )
})

describe('relative paths', () => {
  test(
    'are those of the session’s own workspace, and the answer has the absolute path: a thousand writes, none crossed',
    { tags: 'long' },
    async () => {
      const roots = await Promise.all(
        ['one', 'two'].map(async (name) => {
          const folder = join(base, name)
          await mkdir(folder)
          return { name, folder, workspace: await Workspace.open([folder]) }
        }),
      )
      await Promise.all(
        Array.from({ length: 1_000 }, async (_, at) => {
          const one = roots[at % 2]
          if (one === undefined) throw new Error('there are two')
          const { path } = await one.workspace.write(`notes/${at}.txt`, one.name)
          expect(path).toBe(join(one.folder, 'notes', `${at}.txt`))
        }),
      )
      for (const { name, folder } of roots) {
        const files = await readdir(join(folder, 'notes'))
        expect(files).toHaveLength(500)
        for (const file of files) expect(await readFile(join(folder, 'notes', file), 'utf8')).toBe(name)
      }
      for (const { workspace: one } of roots) await one[Symbol.asyncDispose]()
    },
  )

  test('an absolute path within a root is taken, by the name that the client knows', async () => {
    const alias = join(base, 'alias')
    await symlink(root, alias)
    await using known = await Workspace.open([alias])
    expect((await known.write(join(alias, 'a/b.txt'), 'x')).path).toBe(join(root, 'a/b.txt'))
    expect((await known.read(join(root, 'a/b.txt'), 10)).text).toBe('x')
    expect(resolve(known.roots[0] ?? '')).toBe(root)
  })
})

test('what is written is whole: a reader sees the old file or the new one, and nothing is left beside it', async () => {
  const [old, fresh] = ['a'.repeat(200_000), 'b'.repeat(300_000)]
  await workspace.write('report.md', old)
  let done = false
  const writing = (async () => {
    for (let at = 0; at < 40; at++) await workspace.write('report.md', at % 2 === 0 ? fresh : old)
    done = true
  })()
  while (!done) expect([old, fresh]).toContain((await workspace.read('report.md', 1_000_000)).text)
  await writing
  expect(await readdir(root)).toEqual(['report.md'])
  expect(existsSync(join(root, 'report.md'))).toBe(true)
})
