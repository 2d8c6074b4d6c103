import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { firstLine, launchOf, readAll, startChildren } from '../children.test.fixture.ts'
import type { SandboxParts } from '../confinement.ts'
import { chooseDriver } from './choose-driver.ts'
import { createBubblewrap } from './bubblewrap.ts'
import type { ConfinedLaunch } from './driver.ts'
import { splitLoaderVariables } from './loader-variables.ts'
import { readableFolders } from './readable-folders.ts'

const parts = (data: string, more: Partial<SandboxParts> = {}): SandboxParts => ({
  ...{ policy: 'preferred', driver: 'auto', hiddenPaths: [data], processes: 1024, diskLimit: 2 ** 30, ...more },
})
async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'toolway-sandbox-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

describe('the policy of an installation', () => {
  test('off confines nothing, and says so', async () => {
    expect(await chooseDriver('off')).toMatchObject({
      driver: 'none',
      guarantees: [],
      reasons: ['TOOLWAY_SANDBOX is off.'],
    })
  })

  test('disabled starts no server, whatever the policy', async () => {
    await using data = await folder()
    for (const policy of ['off', 'preferred', 'required'] as const) {
      await using children = await startChildren({ sandbox: parts(data.path, { policy, driver: 'disabled' }) })
      await expect(children.start(launchOf('echo'))).rejects.toMatchObject({ code: 'NOT_CONFINED' })
    }
  })

  test('a driver that is asked for by name is not replaced by nothing', async () => {
    expect((await chooseDriver('preferred', 'kubernetes')).refusal).toMatch(/cannot be confined here/)
  })

  test('required starts no server where the driver lacks what matters', async () => {
    await using data = await folder()
    const sandbox = parts(data.path, { policy: 'required', driver: 'process' })
    await using children = await startChildren({ sandbox })
    await expect(children.start(launchOf('echo'))).rejects.toMatchObject({ code: 'NOT_CONFINED' })
  })

  test('required starts no server that shares the network of the machine', async () => {
    await using data = await folder()
    await using children = await startChildren({ sandbox: parts(data.path, { policy: 'required' }) })
    await expect(children.start(launchOf('echo', [], { network: 'host' }))).rejects.toMatchObject({
      code: 'NOT_CONFINED',
    })
  })
})

describe('a path that is allowed', () => {
  test.each([
    ['the data folder', (data: string) => data],
    ['a folder in it', (data: string) => join(data, 'children')],
    ['a link to it', (data: string) => join(data, '..', 'link')],
    ['the whole machine', () => '/'],
    ['the process table', () => '/proc'],
  ])('is refused where it is %s', async (_, pathIn) => {
    await using at = await folder()
    const data = join(at.path, 'data')
    await mkdir(join(data, 'children'), { recursive: true })
    await symlink(data, join(at.path, 'link'))
    await using children = await startChildren({ sandbox: parts(data) })
    const launch = launchOf('echo', [], { allowPaths: [pathIn(data)] })
    await expect(children.start(launch)).rejects.toMatchObject({ code: 'NOT_CONFINED' })
  })

  test('is refused in words where it is not there or not absolute', async () => {
    await using at = await folder()
    await using children = await startChildren({ sandbox: parts(at.path) })
    const start = (path: string) => children.start(launchOf('echo', [], { allowPaths: [path] }))
    await expect(start('/no/such/folder')).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' })
    await expect(start('relative')).rejects.toMatchObject({ code: 'INVALID_LAUNCH' })
  })

  test('is named where an argument names it and it is not allowed', async () => {
    await using at = await folder()
    await using data = await folder()
    await using children = await startChildren({ sandbox: parts(data.path) })
    const said = async (args: string[], allowPaths: string[] = []) => {
      const launch = { ...launchOf('x'), command: 'sh', args: ['-c', '', ...args], allowPaths }
      const { stderr } = (await readAll(await children.start(launch))).exit
      return stderr.filter((line) => line.includes('is not allowed'))
    }
    const { driver } = (await children.sandbox()) ?? {}
    const named = driver === 'bubblewrap' ? [expect.stringContaining(`${at.path} is not allowed in the sandbox`)] : []
    // Neither what is not there nor the data folder, which cannot be allowed.
    const others = ['/no/such/folder', data.path, '/usr/bin', '/']
    expect(await said([`--root=${at.path}`, ...others])).toEqual(named)
    expect(await said([at.path], [at.path])).toEqual([])
  })

  test('is named with the command that allows it where a variable names it, or a file in it is to be created', async () => {
    await using at = await folder()
    await using data = await folder()
    for (const name of ['key.json', 'token']) await writeFile(join(at.path, name), '{}')
    await using children = await startChildren({ sandbox: parts(data.path) })
    if ((await children.sandbox())?.driver !== 'bubblewrap') return
    const launch = {
      ...launchOf('x'),
      ...{ name: 'memory.con_1', alias: 'memory', command: 'sh', args: ['-c', '', `--db-path=${at.path}/a/new.db`] },
      environment: {
        MEMORY_FILE_PATH: `${at.path}/mem.json`,
        API_TOKEN: `${at.path}/token`,
        KEY_FILE: `file://${at.path}/key.json`,
        OTHER_KEY_FILE: `${at.path}/none.json`,
      },
    }
    const { withheld, stderr } = (await readAll(await children.start(launch))).exit
    const allow = 'toolway connection allow memory --allow-path'
    expect(withheld).toEqual({
      hosts: [],
      paths: [
        expect.stringContaining(`${at.path}/a/new.db does not exist, and its folder ${at.path} is not allowed`),
        expect.stringContaining(`${at.path}/mem.json does not exist`),
        expect.stringContaining(`${allow} ${at.path}/key.json, or`),
      ],
    })
    expect(withheld.paths.slice(0, 2)).toEqual([
      expect.stringContaining(`${allow} ${at.path})`),
      expect.stringContaining(`${allow} ${at.path})`),
    ])
    expect(stderr).toEqual(expect.arrayContaining(withheld.paths.map((sentence) => `toolway: ${sentence}`)))
  })

  test('may be used, and with :ro only be read', async () => {
    await using at = await folder()
    await using data = await folder()
    await writeFile(join(at.path, 'text'), 'read me')
    await using children = await startChildren({ sandbox: parts(data.path) })
    const script = `cat ${at.path}/text; echo; echo changed > ${at.path}/new && echo written || echo refused`
    const run = async (path: string) =>
      (
        await readAll(
          await children.start({ ...launchOf('x'), command: 'sh', args: ['-c', script], allowPaths: [path] }),
        )
      ).lines
    expect(await run(at.path)).toEqual(['read me', 'written'])
    const { driver } = (await children.sandbox()) ?? {}
    if (driver === 'bubblewrap') expect(await run(`${at.path}:ro`)).toEqual(['read me', 'refused'])
  })
})

describe('with folders below which paths may be allowed', () => {
  async function world() {
    const at = await folder()
    for (const name of ['acme', 'other', 'data']) await mkdir(join(at.path, name), { mode: 0o755 })
    await chmod(at.path, 0o755)
    await writeFile(join(at.path, 'acme/text'), 'of acme')
    await writeFile(join(at.path, 'other/run.sh'), 'echo "of another"', { mode: 0o755 })
    await symlink(join(at.path, 'other'), join(at.path, 'acme/link'))
    const sandbox = parts(join(at.path, 'data'), { roots: [join(at.path, '{organization}')] })
    const children = await startChildren({ sandbox })
    const start = (more: object) =>
      children.start({ ...launchOf('x'), command: 'sh', args: ['-c', ''], organization: 'acme', ...more })
    return {
      ...{ path: at.path, start },
      async [Symbol.asyncDispose]() {
        await children[Symbol.asyncDispose]()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  test('those in the folder of the organization are shown', async () => {
    await using here = await world()
    const { path, start } = here
    const args = ['-c', `cat ${path}/acme/text; echo`]
    const child = await start({ args, allowPaths: [`${path}/acme:ro`] })
    expect((await readAll(child)).lines).toEqual(['of acme'])
  })

  test.each([
    ['of another organization', 'other', 'acme'],
    ['above it', '.', 'acme'],
    ['to which a link in it leads', 'acme/link', 'acme'],
    ['of this organization, where no organization is named', 'acme', undefined],
  ])('a folder %s is refused at the start, and the setting is named', async (_, name, organization) => {
    await using here = await world()
    const allowPaths = [join(here.path, name)]
    await expect(here.start({ allowPaths, organization })).rejects.toMatchObject({
      code: 'NOT_CONFINED',
      message: expect.stringMatching(/^The path \S+ cannot be allowed: it is outside .*TOOLWAY_SANDBOX_ROOTS/),
    })
  })

  test('neither a program nor PATH brings in a folder from elsewhere', async () => {
    await using here = await world()
    const { path, start } = here
    await expect(start({ args: [`${path}/other/run.sh`] })).rejects.toMatchObject({
      message: expect.stringContaining('TOOLWAY_SANDBOX_ROOTS'),
    })
    const environment = { PATH: `${path}/other:/usr/bin:/bin` }
    const { lines } = await readAll(await start({ args: ['-c', `cat ${path}/other/run.sh || echo none`], environment }))
    const driver = await createBubblewrap().check()
    if (driver.ready) expect(lines).toEqual(['none'])
  })

  test('programs of the installation start as before', async () => {
    await using here = await world()
    const { command, args } = launchOf('echo')
    const child = await here.start({ command, args })
    const line = firstLine(child)
    await child.send('hello')
    expect(await line).toBe('hello')
  })
})

/** A launch that needs nothing, as the driver words it. */
async function wordsOf(more: Partial<ConfinedLaunch>): Promise<string> {
  const { args } = await createBubblewrap().confine({
    ...{ name: 'x', command: '/bin/true', args: [], env: {}, cwd: '/tmp', folder: '/tmp/a', temporary: '/tmp/b' },
    ...{
      packageFolders: [],
      neededFolders: [],
      givenFiles: [],
      allowPaths: [],
      hiddenPaths: [],
      identities: new Map(),
      allowHosts: [],
    },
    ...{ network: 'none', bounds: { memoryBytes: 1, processes: 1 }, ...more },
  })
  return args.join(' ')
}

test('memory that is a file is bounded where a child may write it', async () => {
  const words = await wordsOf({})
  expect(words).toMatch(/--dev \/dev .*--remount-ro \/dev .*--remount-ro \/ /)
  expect(words.match(/--tmpfs/g)?.length).toBe(words.match(/--size \d+ --perms \d+ --tmpfs/g)?.length)
})

test('a data folder among the programs of the system is hidden, and the own folder in it is not', async () => {
  const words = await wordsOf({ hiddenPaths: ['/usr/share'], folder: '/usr/share/children/x' })
  expect(words).toMatch(
    /--ro-bind \/usr \/usr .*--tmpfs \/usr\/share .*--dir \/usr\/share\/children --bind \/usr\/share\/children\/x /,
  )
})

test('the data folder has no other name, whatever folders a connection puts into PATH', async () => {
  await using at = await folder()
  await using data = await folder()
  for (const path of [at.path, data.path]) await chmod(path, 0o755)
  await mkdir(join(data.path, 'inner'))
  await writeFile(join(data.path, 'inner/key'), 'the vault key', { mode: 0o644 })
  await symlink(data.path, join(at.path, 'above'))
  await symlink(join(data.path, 'inner'), join(at.path, 'link'))
  await using children = await startChildren({ sandbox: parts(join(data.path, 'inner')) })
  const run = async (path: string, file: string) => {
    const environment = { PATH: `${path}:/usr/bin:/bin` }
    const args = ['-c', `cat ${file} 2>/dev/null || echo none`]
    return (await readAll(await children.start({ ...launchOf('x'), command: 'sh', args, environment }))).lines
  }
  const key = join(data.path, 'inner/key')
  expect(await run(`/usr/..${data.path}/inner`, key)).toEqual(['none'])
  expect(await run(join(at.path, 'link'), join(at.path, 'link/key'))).toEqual(['none'])
  expect(await run(join(at.path, 'above'), join(at.path, 'above/inner/key'))).toEqual(['none'])
  expect(await run('/usr/..', key)).toEqual(['none'])
})

test('what a child removed from its folder is its own again at the next start', async () => {
  await using data = await folder()
  await using children = await startChildren({ sandbox: parts(data.path) })
  const run = async (script: string) =>
    (await readAll(await children.start({ ...launchOf('x'), command: 'sh', args: ['-c', script] }))).lines
  expect(await run('rm -r ~/npm && echo removed')).toEqual(['removed'])
  expect(await run('echo > ~/npm/file && echo written')).toEqual(['written'])
})

test('variables of the loader reach the program, and nothing that runs before it', () => {
  expect(splitLoaderVariables({ LD_PRELOAD: '/x.so', BASH_ENV: '/y', PATH: '/bin', TOKEN: 't' })).toEqual({
    safe: { PATH: '/bin', TOKEN: 't' },
    unsafe: { LD_PRELOAD: '/x.so', BASH_ENV: '/y' },
  })
})

test('a variable that is held back reaches the program, and stands on no command line', async () => {
  await using data = await folder()
  await using children = await startChildren({ sandbox: parts(data.path) })
  const environment = { LD_SDK_KEY: 'a secret "$x" of a vendor', BASH_ENV: '/none' }
  const script = 'echo "$LD_SDK_KEY"; env | grep -c TOOLWAY_HELD; read -r line'
  const child = await children.start({ ...launchOf('x'), command: 'sh', args: ['-c', script], environment })
  expect(await firstLine(child)).toBe(environment.LD_SDK_KEY)
  const seen = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('of a vendor')
    } catch {
      return false
    }
  })
  expect(seen).toEqual([])
})

test('the program of a server is its package, and never a whole home', async () => {
  await using at = await folder()
  await mkdir(join(at.path, 'server/dist'), { recursive: true })
  await writeFile(join(at.path, 'server/package.json'), '{}')
  await writeFile(join(at.path, 'server/dist/index.js'), '')
  const given = {
    command: '/usr/bin/env',
    args: ['-x', join(at.path, 'server/dist/index.js')],
    cwd: '/usr',
    path: '/root:/usr/bin',
  }
  expect(readableFolders(given).needed).toEqual([join(at.path, 'server')])
  expect(readableFolders(given).all).not.toContain('/root')
})
