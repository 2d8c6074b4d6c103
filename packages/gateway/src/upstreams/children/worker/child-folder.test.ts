import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prepareFolders } from './child-folder.ts'

async function root() {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-home-'))
  return { folder, home: join(folder, 'child'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
const orderIn = (home: string, environment = {}) => ({
  ...{
    command: 'x',
    args: [],
    programs: [],
    hidden: [],
    secretArgs: [],
    inherited: {},
    path: '/bin',
    lang: 'C.UTF-8',
    lineLimit: 1,
    memoryLimit: 1,
    home,
    environment,
  },
})

describe('the folder of a child', () => {
  test('is made private again when it was opened', async () => {
    await using at = await root()
    await prepareFolders(orderIn(at.home))
    await chmod(at.home, 0o777)
    await prepareFolders(orderIn(at.home))
    expect((await stat(at.home)).mode & 0o777).toBe(0o700)
  })

  test('is not followed when the child made it a link to elsewhere', async () => {
    await using at = await root()
    const elsewhere = join(at.folder, 'elsewhere')
    await mkdir(elsewhere, { mode: 0o755 })
    await mkdir(at.home)
    await symlink(elsewhere, join(at.home, 'tmp'))
    await expect(prepareFolders(orderIn(at.home))).rejects.toMatchObject({ code: 'START_FAILED' })
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o755)
  })

  test('delays no start by what the child put beside its temporary folder, and removes no folder of another', async () => {
    await using at = await root()
    const { temporary } = await prepareFolders(orderIn(at.home))
    const other = await mkdtemp(join('/tmp', 'toolway-'))
    // A pipe that nobody writes to, and a note in the form of ours that names the folder of another child.
    execFileSync('mkfifo', [join(at.home, 'tmp', 'pipe')])
    await writeFile(join(at.home, 'tmp', basename(other)), '')
    const second = await prepareFolders(orderIn(at.home))
    expect((await stat(other)).isDirectory()).toBe(true)
    expect((await stat(temporary.path)).isDirectory()).toBe(true)
    for (const path of [other, temporary.path, second.temporary.path]) await rm(path, { recursive: true })
  })

  test('has npx and uvx use what is there where it has no network, and git the folders that are allowed', async () => {
    await using at = await root()
    const confinement = {
      ...{
        driver: 'bubblewrap' as const,
        required: false,
        name: 'x',
        alias: 'x',
        network: 'none' as const,
        allowHosts: [],
      },
      ...{ allowPaths: ['/srv'], hiddenPaths: [], processes: 1, diskLimit: 1 },
    }
    const { environment } = await prepareFolders({ ...orderIn(at.home, { UV_OFFLINE: '0' }), confinement })
    expect(environment).toMatchObject({ npm_config_offline: 'true', GIT_CONFIG_VALUE_0: '*', UV_OFFLINE: '0' })
    const open = { ...confinement, network: 'public' as const, allowPaths: [] }
    const other = await prepareFolders({ ...orderIn(at.home), confinement: open })
    expect(Object.keys(other.environment).toSorted()).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR', 'npm_config_cache'])
  })

  test('gives way to what was declared', async () => {
    await using at = await root()
    const { environment } = await prepareFolders(orderIn(at.home, { HOME: '/elsewhere', LANG: 'de_DE.UTF-8' }))
    expect(environment).toMatchObject({ HOME: '/elsewhere', LANG: 'de_DE.UTF-8', PATH: '/bin' })
  })
})
