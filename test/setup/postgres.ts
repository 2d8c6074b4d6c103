/**
 * The database of the tests: one embedded PostgreSQL for the whole run, with a migrated template from which each test makes its
 * own database in 50 ms (packages/gateway/src/testing/database.ts). When TEST_DATABASE_URL names a server, it gets a template
 * too, and with TEST_DATABASE_ONLY=true every test runs there. Everything is removed after the run.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import { migrate } from '../../packages/gateway/src/db/migrate.ts'

/** A server on which tests make databases. Plain values: it travels to the workers. */
export interface TestServer {
  /** Connects as the owner of what tests make. `database` is one that exists already. */
  connection: { host: string; port: number; user: string; database: string; password?: string; ssl: false }
  /** Makes and drops databases. */
  admin: string
  template: string
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer
    outsidePostgres: TestServer | null
    /** A folder for clusters that test files make and copy; it is removed after the run. */
    clusters: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const fastest = await fastestFolder()
  const directory = await mkdtemp(path.join(fastest, 'toolway-test-'))
  // Three test files at a time may each start three gateways.
  const embedded = await startEmbeddedPostgres({ directory, connections: 250 })
  const undo = [() => rm(directory, { recursive: true, force: true }), () => embedded.stop()]
  const tearDown = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const clusters = await mkdtemp(path.join(fastest, 'toolway-clusters-'))
    undo.push(() => rm(clusters, { recursive: true, force: true }))
    // Under root a cluster belongs to another account, which must be able to pass through.
    await chmod(clusters, 0o755)
    await skipDisk({ ...embedded.connection, user: 'postgres', database: 'postgres' })
    const inside: TestServer = { connection: embedded.connection, admin: 'postgres', template: 'toolway_template' }
    undo.push(await makeTemplate(inside))
    const outside = outsideServer(process.env['TEST_DATABASE_URL'])
    if (outside) undo.push(await makeTemplate(outside))
    const only = process.env['TEST_DATABASE_ONLY'] === 'true'
    if (only && outside === null) throw new Error('TEST_DATABASE_ONLY needs a server: set TEST_DATABASE_URL')
    project.provide('postgres', (only ? outside : null) ?? inside)
    project.provide('outsidePostgres', outside)
    project.provide('clusters', clusters)
    return tearDown
  } catch (thrown) {
    await tearDown()
    throw thrown
  }
}

const MEMORY = '/dev/shm'
/** Databases of tests that run at the same time, and the write-ahead log. */
const ROOM = 3 * 1024 ** 3 // bytes

/** A test database is a thousand small files: in memory, where Linux has room for them, they are made and removed six times as fast. */
async function fastestFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= ROOM ? MEMORY : os.tmpdir()
}

/** No power cut is tested on this server: it waits for no disk. */
async function skipDisk(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    for (const setting of [
      'fsync = off',
      'full_page_writes = off',
      'synchronous_commit = off',
      "checkpoint_timeout = '1h'",
    ])
      await client.query(`alter system set ${setting}`)
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}

/** The user of the URL needs createdb and createrole, and nothing more. The name is this run's own: others may use the server. */
function outsideServer(address: string | undefined): TestServer | null {
  if (address === undefined || address === '') return null
  const { hostname, port, username, password, pathname, searchParams } = new URL(address)
  const user = decodeURIComponent(username)
  const connection = {
    host: searchParams.get('host') ?? hostname,
    port: port === '' ? 5432 : Number(port),
    user,
    database: decodeURIComponent(pathname.slice(1)) || 'postgres',
    ssl: false as const,
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
  return { connection, admin: user, template: `toolway_template_${randomBytes(4).toString('hex')}` }
}

/**
 * Organizations of tests ask nobody before a tool runs: most of their servers say nothing of what their tools do. Tests of that default
 * remove this fact, or set what an organization asks about.
 */
async function askAboutNothing(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`insert into installation (name, value) values ('approvals of new organizations', '"off"')`)
  } finally {
    await client.end()
  }
}

/** Returns what removes it. */
async function makeTemplate({ connection, admin, template }: TestServer): Promise<() => Promise<void>> {
  const command = async (text: string) => {
    const client = new pg.Client({ ...connection, user: admin })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  await command(`create database ${template} owner ${pg.escapeIdentifier(connection.user)}`)
  await migrate({ ...connection, database: template })
  await askAboutNothing({ ...connection, database: template })
  return () => command(`drop database ${template} with (force)`)
}
