import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closedPathWords, credentialsIn, findClosedPath, type SandboxView } from './closed-paths.ts'

let at = ''
let view: SandboxView
beforeAll(async () => {
  at = await mkdtemp(join(tmpdir(), 'toolway-closed-'))
  for (const name of ['open', 'closed/inner', 'hidden']) await mkdir(join(at, name), { recursive: true })
  await writeFile(join(at, 'closed/file'), '')
  await symlink(join(at, 'open'), join(at, 'closed/link'))
  await symlink(join(at, 'hidden'), join(at, 'closed/data'))
  view = { shown: [join(at, 'open')], readOnly: [], hidden: [join(at, 'hidden')], network: 'public' }
})
afterAll(() => rm(at, { recursive: true, force: true }))

describe('a path that a sandbox does not show', () => {
  test.each([
    ['that exists', 'closed/file', 'closed/file'],
    ['that exists, with a slash at its end', 'closed/inner/', 'closed/inner'],
    ['of a file that is to be created', 'closed/new.db', 'closed'],
    ['of a file in a folder that is to be created', 'closed/a/b/new.db', 'closed'],
    ['with a file where a folder should be', 'closed/file/new.db', 'closed/file'],
  ])('%s is told with what would have to be allowed', async (_, path, grant) => {
    expect(await findClosedPath(`${at}/${path}`, view)).toEqual({ path: `${at}/${path}`, grant: join(at, grant) })
  })

  test.each([
    ['it shows', 'open/file'],
    ['a link leads to what it shows', 'closed/link/new.db'],
    ['it is hidden, and cannot be allowed', 'hidden/key'],
    ['a link leads to what is hidden', 'closed/data/key'],
  ])('is not told where %s', async (_, path) => {
    expect(await findClosedPath(join(at, path), view)).toBeUndefined()
  })

  test('is not told where nothing of it exists, and where the sandbox has its own', async () => {
    for (const path of ['/api/v1/users', '/tmp/new-file', '/no-such', '/tmp/no-such/a/b'])
      expect(await findClosedPath(path, view)).toBeUndefined()
  })

  test('asks for a folder of its own, and not for all that is in /var', async () => {
    expect(await findClosedPath('/var/no-such-folder/a/new.db', view)).toEqual({
      ...{ path: '/var/no-such-folder/a/new.db', grant: '/var/no-such-folder', missing: true },
    })
  })

  test('is not told where the organization may not allow it', async () => {
    const roots = [join(at, 'open'), join(at, 'closed/inner')]
    const found = (path: string) => findClosedPath(join(at, path), { ...view, roots })
    expect(await found('closed/file')).toBeUndefined()
    expect(await found('closed/new.db')).toBeUndefined()
    expect(await found('closed/inner/new.db')).toMatchObject({ grant: join(at, 'closed/inner') })
  })
})

test('no value that may be a credential is taken for a path', async () => {
  const path = join(at, 'closed/file')
  const sentences = (environment: Record<string, string>) => closedPathWords({ args: [], environment }, view, 'x')
  for (const name of ['API_KEY', 'TOKEN', 'DB_PASSWORD']) expect(await sentences({ [name]: path })).toEqual([])
  expect(await sentences({ SECRET_FILE: join(at, 'closed/none') })).toEqual([])
  expect(await sentences({ SECRET_FILE: path })).toEqual([expect.stringContaining(path)])
  expect(await sentences({ GOOGLE_APPLICATION_CREDENTIALS: path })).toHaveLength(1)
  expect(Object.keys(credentialsIn({ API_KEY: 'a', SECRET_FILE: 'b', ROOT: 'c', X: 'ghp_0123456789abcdef' }))).toEqual([
    ...['API_KEY', 'X'],
  ])
  const args = ['--api-key', path, path]
  expect(await closedPathWords({ args: args.slice(0, 2), environment: {} }, view, 'x')).toEqual([])
  const secretArgs = new Set([0])
  expect(await closedPathWords({ args: [path], secretArgs, environment: {} }, view, 'x')).toEqual([])
})

test('few paths are told, each once', async () => {
  const args = Array.from({ length: 20 }, (_, nth) => join(at, `closed/${nth}`))
  const sentences = await closedPathWords({ args: [...args, ...args], environment: {} }, view, 'x')
  expect(sentences).toHaveLength(5)
  expect(new Set(sentences).size).toBe(5)
})
