/**
 * A hostile stdio server on every driver that can run here, started by a worker of this user and, where this user is root, by one of an
 * unprivileged user. Each attempt fails, or it is among the guarantees that the driver says it does not have.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createBubblewrap } from '../../packages/gateway/src/upstreams/children/sandbox/bubblewrap.ts'
import { createProcessDriver } from '../../packages/gateway/src/upstreams/children/sandbox/process-driver.ts'

const SCRIPT = join(import.meta.dirname, 'hostile/hostile-run.script.ts')
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

const Result = z.object({ driver: z.string(), missing: z.array(z.string()) }).catchall(z.unknown())
type Result = z.output<typeof Result>
const DRIVERS = { bubblewrap: createBubblewrap(), process: createProcessDriver() }
const users = isRoot ? ['root', 'nobody'] : ['this user']

/** Drivers that do not work on this machine are left out, and named by a test. */
const ready = await Promise.all(
  Object.values(DRIVERS).map(async (driver) => ({ name: driver.name, state: await driver.check() })),
)
const runs = ready.flatMap(({ name, state }) => (state.ready ? users.map((user) => ({ driver: name, user })) : []))

async function attempt(driver: string, user: string): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-hostile-'))
  // The folder of the test may be entered; its data folder is private.
  await chmod(folder, 0o711)
  const own = user === 'nobody' ? { uid: NOBODY, gid: NOBODY } : {}
  if (user === 'nobody') await chown(folder, NOBODY, NOBODY)
  try {
    const words = ['--disable-warning=ExperimentalWarning', SCRIPT, driver, folder]
    const env = { PATH: process.env['PATH'], TMPDIR: '/tmp', HOME: folder }
    const { stdout } = await promisify(execFile)(process.execPath, words, { ...own, env, cwd: '/', timeout: 240_000 })
    return Result.parse(JSON.parse(stdout))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const results = new Map<string, Result>()
beforeAll(async () => {
  const all = await Promise.all(
    runs.map(async (run) => [`${run.driver} ${run.user}`, await attempt(run.driver, run.user)] as const),
  )
  for (const [name, result] of all) results.set(name, result)
})
afterAll(() => results.clear())

test('the drivers that cannot run here say why', () => {
  for (const { name, state } of ready)
    if (!state.ready) expect({ name, reason: state.reason }).toMatchObject({ reason: expect.stringMatching(/\.$/) })
  if (process.platform === 'linux') expect(runs.map(({ driver }) => driver)).toContain('process')
})

describe.each(runs)('a hostile server under $driver, started by $user', ({ driver, user }) => {
  const got = () => results.get(`${driver} ${user}`) as Result
  const holds = (guarantee: string) => !got().missing.includes(guarantee)

  test('ran to its end, and may write its own folder', () => {
    expect(got()).toMatchObject({ driver, 'own folder': 'written' })
    expect(got()['failed']).toBeUndefined()
  })

  test('reads neither the vault key nor the data folder nor the folder of another server', () => {
    expect(got()['vault key']).toBe('failed: ENOENT')
    expect(got()['data folder']).toBe('children')
    expect(got()['other folder']).toBe('failed: ENOENT')
    // Where it may write, it wrote into a folder of its own namespace.
    expect(got()['data folder is whole']).toBe('children vault.key')
    expect(got()['write system']).toMatch(/^failed: (?:EROFS|EACCES)$/)
    if (holds('files')) expect(got()['file of the system']).toBe('failed: ENOENT')
  })

  test('sees no other process, and a process that left its group ends with it', () => {
    expect(got()['environ of others']).toMatch(/^nothing among/)
    expect(got()['words of gateway']).toMatch(/^nothing among/)
    expect(got()['escaped before']).toBe(1)
    expect(got()['escaped after']).toBe(0)
  })

  test('reaches neither ports of this machine nor the metadata address, directly or by its proxy', () => {
    expect(got()['loopback']).toBe('ECONNREFUSED, HTTP/1.1 403 Refused')
    expect(got()['metadata']).toBe('ENETUNREACH, HTTP/1.1 403 Refused')
  })

  test('has no privileges and gains none', () => {
    const status = String(got()['status'])
    for (const name of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`^${name}:\\s+0{16}$`, 'm'))
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    if (user === 'root') expect(status).not.toMatch(/^Uid:\s+0\s/m)
  })

  test('is refused the calls that its filter names', () => {
    if (!holds('system calls')) return expect(String(got()['status'])).toMatch(/^Seccomp:\s+0$/m)
    const refused = ['ptrace', 'unshare', 'keyctl', 'bpf', 'userfaultfd', 'mount', 'process_vm_readv']
    for (const name of refused) expect({ name, errno: got()[`call ${name}`] }).toEqual({ name, errno: '1' })
    for (const name of ['io_uring', 'clone3', 'memfd'])
      expect({ name, errno: got()[`call ${name}`] }).toEqual({ name, errno: '38' })
    expect([got()['call vsock'], got()['call getpid']]).toEqual(['97', '0'])
  })

  test('exhausts neither processes nor memory nor disk', () => {
    // Of 600 that it tried, with 160 allowed. Without a bound of the system the watch ends it.
    if (Number(got()['fork']) >= 160) expect(got()['fork end']).toBe('TOO_MANY_PROCESSES')
    expect(got()['memory']).toMatch(/^(?:ended: TOO_MUCH_MEMORY|failed: ERR_MEMORY_ALLOCATION_FAILED|ended: ENDED)$/)
    // On a slow machine the watch of the folder may come before the file is as large as one may be.
    expect(['failed: EFBIG', 'ended: TOO_MUCH_DISK']).toContain(got()['one file'])
    expect(got()['many files']).toBe('ended: TOO_MUCH_DISK')
  })
})
