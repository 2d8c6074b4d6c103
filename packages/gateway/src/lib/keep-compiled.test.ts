/** Compiled code is run as it is found, so it is kept where nobody else can put theirs. */
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { safeFolder } from './keep-compiled.ts'

const MODULE = pathToFileURL(join(import.meta.dirname, 'keep-compiled.ts')).href
const SHOW = `const { keepCompiled, compileCacheFolder } = await import(${JSON.stringify(MODULE)}); keepCompiled(); console.log(compileCacheFolder() ?? 'nowhere')`
const IS_ROOT = process.getuid?.() === 0

let folder: string
beforeAll(async () => void (folder = await realpath(await mkdtemp(join(tmpdir(), 'compiled-')))))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function keptWith(environment: Record<string, string>, cwd = folder): Promise<string> {
  const args = ['--input-type=module', '--eval', SHOW]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment, cwd })
  return stdout.trim()
}

test('it is kept in a folder of the user, which is made for nobody else', async () => {
  const home = join(folder, 'home')
  expect(await keptWith({ HOME: home })).toBe(join(home, '.cache/toolway/compiled'))
  expect((await stat(join(home, '.cache/toolway/compiled'))).mode & 0o777).toBe(0o700)
  const caches = join(folder, 'caches')
  expect(await keptWith({ HOME: home, XDG_CACHE_HOME: caches })).toBe(join(caches, 'toolway/compiled'))
})

test('the operator’s own choice counts, and an empty one keeps nothing', async () => {
  const chosen = join(folder, 'chosen')
  expect(await keptWith({ HOME: folder, NODE_COMPILE_CACHE: chosen })).toBe(chosen)
  expect(await keptWith({ HOME: folder, NODE_COMPILE_CACHE: '' })).toBe('nowhere')
})

test('a relative path leads to no folder below the one where the program was started', async () => {
  const home = join(folder, 'absolute')
  const here = join(folder, 'here')
  await mkdir(here)
  expect(await keptWith({ HOME: home, XDG_CACHE_HOME: 'caches' }, here)).toBe(join(home, '.cache/toolway/compiled'))
  expect(await keptWith({ HOME: 'home' }, here)).toBe('nowhere')
  expect(await readdir(here)).toEqual([])
})

test('a home that cannot be written to ends no start', async () => {
  expect(await keptWith({ HOME: '/dev/null' })).toBe('nowhere')
})

describe.skipIf(process.platform === 'win32')('a folder', () => {
  test.each([0o777, 0o770])('that others may write to keeps none, nor does one below it (%o)', async (mode) => {
    const home = join(folder, `open-${mode}`)
    const kept = join(home, 'toolway/compiled')
    await mkdir(kept, { recursive: true })
    for (const open of [kept, home]) {
      await chmod(open, mode)
      expect(safeFolder(kept)).toBeUndefined()
      await chmod(open, 0o700)
      expect(safeFolder(kept)).toBe(kept)
    }
    await chmod(home, mode)
    await rm(join(home, 'toolway'), { recursive: true })
    expect(safeFolder(kept)).toBeUndefined()
    // Nothing is made there.
    expect(await readdir(home)).toEqual([])
  })

  test('that everybody may write to, and removes their own from alone, may be above it', async () => {
    const shared = join(folder, 'shared')
    await mkdir(shared)
    await chmod(shared, 0o1777)
    expect(safeFolder(join(shared, 'toolway/compiled'))).toBe(join(shared, 'toolway/compiled'))
  })

  test('that a link leads to is judged by where it is', async () => {
    const [real, open, link] = [join(folder, 'real'), join(folder, 'open'), join(folder, 'link')]
    for (const path of [real, open]) await mkdir(path)
    await symlink(real, link)
    expect(safeFolder(join(link, 'compiled'))).toBe(join(real, 'compiled'))
    await rm(link)
    await chmod(open, 0o777)
    await symlink(open, link)
    expect(safeFolder(join(link, 'compiled'))).toBeUndefined()
  })

  test.runIf(IS_ROOT)('of another user, or below one of theirs, keeps none', async () => {
    const home = join(folder, 'alice')
    const kept = join(home, '.cache/toolway/compiled')
    await mkdir(kept, { recursive: true })
    for (const theirs of [kept, home]) {
      await chown(theirs, 4_242, 4_242)
      expect(safeFolder(kept)).toBeUndefined()
      await chown(theirs, 0, 0)
    }
    await chown(home, 4_242, 4_242)
    // A folder that `sudo` with her home made there would be root's.
    expect(await keptWith({ HOME: home, XDG_CACHE_HOME: join(home, 'new') })).toBe('nowhere')
    expect(await readdir(home)).toEqual(['.cache'])
  })
})
