/** Compiled code is run as it is found, so it is kept where nobody else can put theirs. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownFolder } from './keep-compiled.ts'

const MODULE = pathToFileURL(join(import.meta.dirname, 'keep-compiled.ts')).href
const SHOW = `const { keepCompiled, keptIn } = await import(${JSON.stringify(MODULE)}); keepCompiled(); console.log(keptIn() ?? 'nowhere')`

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'compiled-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function keptWith(environment: Record<string, string>): Promise<string> {
  const args = ['--input-type=module', '--eval', SHOW]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment })
  return stdout.trim()
}

test('it is kept in a folder of the user, which is made for nobody else', async () => {
  const home = join(folder, 'home')
  expect(await keptWith({ HOME: home })).toBe(join(home, '.cache/toolway/compiled'))
  expect((await stat(join(home, '.cache/toolway/compiled'))).mode & 0o777).toBe(0o700)
  const caches = join(folder, 'caches')
  expect(await keptWith({ HOME: home, XDG_CACHE_HOME: caches })).toBe(join(caches, 'toolway/compiled'))
})

test('the operator’s own choice counts', async () => {
  const chosen = join(folder, 'chosen')
  expect(await keptWith({ HOME: folder, NODE_COMPILE_CACHE: chosen })).toBe(chosen)
})

test.skipIf(process.platform === 'win32')(
  'a folder that others may write to, or that a link leads to, keeps none',
  async () => {
    const home = join(folder, 'open')
    const open = join(home, '.cache/toolway/compiled')
    await mkdir(open, { recursive: true })
    for (const mode of [0o777, 0o770]) {
      await chmod(open, mode)
      expect(ownFolder(open)).toBeUndefined()
    }
    expect(await keptWith({ HOME: home })).toBe('nowhere')
    await chmod(open, 0o700)
    expect(ownFolder(open)).toBe(open)
    const link = join(folder, 'link')
    await symlink(open, link)
    expect(ownFolder(link)).toBeUndefined()
  },
)

test('a home that cannot be written to ends no start', async () => {
  expect(await keptWith({ HOME: '/dev/null' })).toBe('nowhere')
})
