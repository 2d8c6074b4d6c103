/**
 * Tests that the embedded server runs while its gateway runs, ends with it, and never runs twice. Uses real processes and real
 * kills.
 */
import { execFile, spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findBinaries } from './embedded/binaries.ts'
import { isAlive } from './embedded/cluster.ts'
import { DirectoryInUse, findEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import type { EmbeddedConnection, EmbeddedPostgres } from './embedded-postgres.ts'
import { PATIENCE_MS } from '../testing/patience.ts'

/** A place for a data directory that does not exist yet. */
async function place(...below: string[]) {
  const root = await mkdtemp(path.join(os.tmpdir(), 'toolway-embedded-'))
  const directory = path.join(root, ...below, 'data')
  return { directory, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

/** Made once: a data directory that was used before, to copy. */
let used: Awaited<ReturnType<typeof place>>
beforeAll(async () => {
  used = await place()
  await (await startEmbeddedPostgres(used)).stop()
})
afterAll(() => used[Symbol.asyncDispose]())

async function placeUsedBefore(...below: string[]) {
  const at = await place(...below)
  await cp(used.directory, at.directory, { recursive: true })
  return at
}

async function start(directory: string) {
  const server = await startEmbeddedPostgres({ directory })
  return { ...server, [Symbol.asyncDispose]: () => server.stop() }
}

async function query(connection: EmbeddedConnection, text: string): Promise<unknown[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

/** A process of its own that starts the server, says so, and then writes numbers as fast as they are taken. */
function spawnStarter(directory: string) {
  const code = `import { startEmbeddedPostgres } from ${JSON.stringify(new URL('embedded-postgres.ts', import.meta.url).href)}
    import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    const server = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} }).catch((error) => {
      console.log(error.name + ' ' + error.pid)
      process.exit(3)
    })
    const client = new pg.Client(server.connection)
    await client.connect()
    await client.query('create table if not exists written (n int primary key)')
    console.log('ready ' + server.pid)
    let n = (await client.query('select coalesce(max(n), 0)::int as n from written')).rows[0].n
    for (;;) {
      await client.query('insert into written values ($1)', [++n])
      console.log(n)
    }`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  readline.createInterface(child.stdout).on('line', (line) => said.push(line))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { child, said, closed }
}

async function startElsewhere(directory: string) {
  const { child, said, closed } = spawnStarter(directory)
  await Promise.race([vi.waitUntil(() => said.length > 0, PATIENCE_MS), closed])
  const [word = '', pid = ''] = said[0]?.split(' ') ?? []
  return { child, said, closed, word, pid: Number(pid) }
}

describe('the embedded PostgreSQL', () => {
  test('starts from nothing, and keeps what was written over a restart', async () => {
    await using at = await place()
    {
      await using server = await start(at.directory)
      await query(server.connection, 'create table kept as select 42 as n')
    }
    await using again = await start(at.directory)
    expect(await query(again.connection, 'select n from kept')).toEqual([42])
    expect(await query(again.connection, 'show fsync')).toEqual(['on'])
  })

  test(
    'has exactly one winner among starters of the very first start, and nothing half is left',
    { tags: 'long' },
    async () => {
      await using at = await place()
      const starts = await Promise.allSettled(
        Array.from({ length: 4 }, () => startEmbeddedPostgres({ directory: at.directory })),
      )
      const winners = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const losers = starts.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      for (const winner of winners) await winner.stop()
      expect(winners).toHaveLength(1)
      for (const loser of losers) expect(loser).toBeInstanceOf(DirectoryInUse)
      expect((await readdir(at.directory)).sort()).toEqual(['postgres', 'postgres.log', 'run'])
    },
  )

  test('has exactly one winner among starters in processes of their own', { tags: 'long' }, async () => {
    await using at = await place()
    const starters = await Promise.all([1, 2, 3].map(() => startElsewhere(at.directory)))
    const words = starters.map(({ word }) => word).sort()
    for (const { child, closed } of starters) {
      child.kill('SIGKILL')
      await closed
    }
    expect(words).toEqual(['DirectoryInUse', 'DirectoryInUse', 'ready'])
    const winner = starters.find(({ word }) => word === 'ready')
    await expect.poll(() => isAlive(winner?.pid ?? 0)).toBe(false)
  })

  test('is found only while it runs', async () => {
    await using at = await placeUsedBefore()
    expect(await findEmbeddedPostgres(at)).toBeUndefined()
    const server = await startEmbeddedPostgres(at)
    expect(await findEmbeddedPostgres(at)).toEqual(server.connection)
    await server.stop()
    expect(await findEmbeddedPostgres(at)).toBeUndefined()
  })

  test(
    'ends with its starter even when that is killed, and no acknowledged write is lost',
    { tags: 'long' },
    async () => {
      await using at = await placeUsedBefore()
      for (let round = 1; round <= 5; round++) {
        const starter = await startElsewhere(at.directory)
        expect(starter.word).toBe('ready')
        await expect.poll(() => starter.said.length).toBeGreaterThan(20 * round)
        starter.child.kill('SIGKILL')
        await starter.closed
        const acknowledged = Number(starter.said.at(-1))
        // At once: the dead one's server may still be ending, and this start waits for it.
        await using server = await start(at.directory)
        expect(await isAlive(starter.pid)).toBe(false)
        expect(
          await query(server.connection, `select count(*)::int >= ${acknowledged}, max(n) = count(*) from written`),
        ).toEqual([true, true])
      }
      expect(await findEmbeddedPostgres(at)).toBeUndefined()
    },
  )

  test('tells when it ends by itself, and not when it was asked to', async () => {
    await using at = await placeUsedBefore()
    const heard: unknown[] = []
    const first = await startEmbeddedPostgres({ directory: at.directory })
    first.onExit((exit) => heard.push(exit))
    process.kill(first.pid, 'SIGQUIT')
    await expect.poll(() => heard).toHaveLength(1)
    await first.stop()
    const second = await startEmbeddedPostgres({ directory: at.directory })
    second.onExit((exit) => heard.push(exit))
    await second.stop()
    expect(await isAlive(second.pid)).toBe(false)
    expect(heard).toHaveLength(1)
  })

  test('works in a directory whose path is too long or too odd for a socket', { tags: 'long' }, async () => {
    for (const name of ['a'.repeat(120), `with, "signs" 'and' spaces`]) {
      await using at = await placeUsedBefore(name)
      await using server = await start(at.directory)
      expect(server.connection.host.startsWith(at.directory)).toBe(false)
      expect(await modeOf(server.connection.host)).toBe('700')
      expect(await query(server.connection, 'select 1')).toEqual([1])
      expect(await findEmbeddedPostgres(at)).toEqual(server.connection)
      await rm(server.connection.host, { recursive: true })
    }
  })

  test(
    'starts over the drafts of a killed first start, and over lock files whose number another program has now',
    { tags: 'long' },
    async () => {
      await using at = await place()
      await mkdir(path.join(at.directory, 'postgres.new-999999999-abcd', 'base'), { recursive: true })
      {
        await using server = await start(at.directory)
        expect(await readdir(at.directory)).not.toContain('postgres.new-999999999-abcd')
        expect(server.pid).toBeGreaterThan(0)
      }
      // This test's own process is alive and no PostgreSQL, as after a power cut.
      const stale = [
        process.pid,
        path.join(at.directory, 'postgres'),
        1,
        5432,
        path.join(at.directory, 'run'),
        '',
        '',
        'ready',
      ].join('\n')
      await writeFile(path.join(at.directory, 'postgres', 'postmaster.pid'), stale)
      await writeFile(path.join(at.directory, 'run', '.s.PGSQL.5432.lock'), stale)
      await using again = await start(at.directory)
      expect(await query(again.connection, 'select 1')).toEqual([1])
    },
  )

  test('begins its log anew when it has grown over 5 MB', async () => {
    await using at = await placeUsedBefore()
    const file = path.join(at.directory, 'postgres.log')
    await writeFile(file, 'x'.repeat(5 * 1024 * 1024 + 1))
    await utimes(file, 0, 0)
    await using server = await start(at.directory)
    expect(server.pid).toBeGreaterThan(0)
    expect((await stat(file)).size).toBeLessThan(100_000)
  })

  test('leaves nothing half when its starter is killed while it makes the cluster', { tags: 'long' }, async () => {
    await using at = await place()
    const { child, closed } = spawnStarter(at.directory)
    const drafts = async () =>
      (await readdir(at.directory).catch(() => [])).filter((name) => name.startsWith('postgres.new-'))
    await expect.poll(drafts, { interval: 5 }).toHaveLength(1)
    child.kill('SIGKILL')
    await closed
    await using server = await start(at.directory)
    expect(await query(server.connection, 'select 1')).toEqual([1])
    expect(await drafts()).toEqual([])
  })

  test('leaves a cluster to the account that owns it, also when root starts it', async () => {
    await using at = await placeUsedBefore()
    const root = process.getuid?.() === 0
    const owner = root ? 65_534 : process.getuid?.()
    if (root) {
      await chmod(path.dirname(at.directory), 0o711)
      for (const name of ['postgres', 'run'])
        await promisify(execFile)('chown', ['-R', '65534:65534', path.join(at.directory, name)])
    }
    const { postgres } = await findBinaries()
    const reachable = await promisify(execFile)(postgres, ['--version'], root ? { uid: 65_534, cwd: '/' } : {}).then(
      () => true,
      () => false,
    )
    const starting = start(at.directory)
    // Where the programs lie in root's own folder, nobody cannot run them, and that is said.
    if (!reachable) {
      await expect(starting).rejects.toThrow('DATABASE_URL')
      return
    }
    await using server = await starting
    expect(await query(server.connection, 'select 1')).toEqual([1])
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(owner)
    expect((await stat(path.join(at.directory, 'postgres', 'PG_VERSION'))).uid).toBe(owner)
    // The account may pass through root's directory and do nothing else in it: what lies beside is not its own.
    expect(await modeOf(at.directory)).toBe(root ? '710' : '700')
  })
})

describe('a running embedded PostgreSQL', () => {
  let at: Awaited<ReturnType<typeof place>>
  let server: EmbeddedPostgres
  beforeAll(async () => {
    vi.stubEnv('TOOLWAY_TEST_SECRET', 'never-in-a-child')
    at = await placeUsedBefore()
    server = await startEmbeddedPostgres(at)
    vi.unstubAllEnvs()
  })
  afterAll(async () => {
    await server.stop()
    await at[Symbol.asyncDispose]()
  })

  test('lets nobody else in: directory, cluster and socket are 0700, the log is 0600, and there is no network', async () => {
    for (const folder of [at.directory, path.join(at.directory, 'postgres'), server.connection.host]) {
      expect(await modeOf(folder), folder).toBe('700')
    }
    expect(await modeOf(path.join(at.directory, 'postgres.log'))).toBe('600')
    expect(await query(server.connection, 'show listen_addresses')).toEqual([''])
  })

  test('gives the gateway an account that is no superuser', async () => {
    const powers = `select rolsuper or rolbypassrls from pg_roles where rolname = current_user`
    expect(await query(server.connection, powers)).toEqual([false])
    await expect(query(server.connection, `copy (select 1) to program 'cat'`)).rejects.toMatchObject({ code: '42501' })
  })

  test('has nothing of our environment, and does not hear our terminal', async () => {
    const environment = await readFile(`/proc/${server.pid}/environ`, 'utf8')
    expect(environment).toContain('LC_ALL=C')
    expect(environment).not.toContain('never-in-a-child')
    const session = async (pid: number) => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[3]
    expect(await session(server.pid)).not.toBe(await session(process.pid))
  })

  test('refuses a second starter and names itself', async () => {
    await expect(startEmbeddedPostgres(at)).rejects.toMatchObject({ name: 'DirectoryInUse', pid: server.pid })
    expect(await query(server.connection, 'select 1')).toEqual([1])
  })

  test('is found by the command line, through the same account', async () => {
    const found = await findEmbeddedPostgres(at)
    expect(found).toEqual(server.connection)
    expect(found && (await query(found, 'select current_user::text'))).toEqual(['toolway'])
  })

  test('is not found in a socket folder that others may enter', async () => {
    await chmod(server.connection.host, 0o755)
    expect(await findEmbeddedPostgres(at)).toBeUndefined()
    await chmod(server.connection.host, 0o700)
    expect(await findEmbeddedPostgres(at)).toEqual(server.connection)
  })

  test('writes neither rows nor statements into its log', async () => {
    await query(server.connection, `create table secrets (value text check (value <> 'hush-hush'))`)
    const refused = query(server.connection, `insert into secrets values ('hush-hush')`)
    await expect(refused).rejects.toMatchObject({ code: '23514' })
    const log = await readFile(path.join(at.directory, 'postgres.log'), 'utf8')
    expect(log).toContain('violates check constraint')
    expect(log).not.toContain('hush-hush')
  })
})
