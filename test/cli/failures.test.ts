/**
 * What an operator is told where something is wrong: every command ends in a sentence with the cause and the next step, `doctor` and a
 * start say the same of a database, and nobody at a terminal sees a stack or the log of a server.
 */
// @module-tag long
import { once } from 'node:events'
import { truncate, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { makeInstallation, type Installation, type Settings } from './installation.ts'
import { makeDatabase } from './own-database.ts'

/** A PostgreSQL server that refuses every connection with this error, as a real one does (protocol, "ErrorResponse"). */
async function startRefusing(code: string, message: string) {
  const field = (type: string, value: string) => Buffer.from(`${type}${value}\0`)
  const fields = Buffer.concat([field('S', 'FATAL'), field('C', code), field('M', message), Buffer.from([0])])
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([head, fields])))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://toolway:hunter2@127.0.0.1:${port}/toolway`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** What a command that fails says, without what it logged on the way. */
async function failureOf(here: Installation, words: readonly string[], settings: Settings = {}): Promise<string> {
  const { code, out, err } = await here.run(words, { settings })
  const text = `${out}${err}`
  expect(text, words.join(' ')).not.toMatch(/^\s+at |node:internal|file:\/\/|hunter2/m)
  expect([words, code]).not.toEqual([words, 0])
  return text
    .split('\n')
    .filter((line) => !line.startsWith('{') && !line.endsWith(' …'))
    .join('\n')
}

const SECRET = { BACKUP_PASSPHRASE: 'correct horse battery staple' }
const LOCKED = ['--passphrase-env', 'BACKUP_PASSPHRASE']

describe('a database that cannot be used is told with its cause and what mends it, by a start, by doctor and by a command', () => {
  test.each([
    ['28P01', 'password authentication failed for user "toolway"', 'check the user and password in DATABASE_URL'],
    ['3D000', 'database "toolway" does not exist', 'create the database, or correct its name in DATABASE_URL'],
    ['53300', 'sorry, too many clients already', 'raise max_connections of the server, or lower TOOLWAY_DATABASE_CO'],
    ['42501', 'permission denied for table migrations', 'make the role in DATABASE_URL the owner of the database'],
    ['25006', 'cannot execute INSERT in a read-only transaction', 'set DATABASE_URL to the primary server'],
    ['57P03', 'the database system is starting up', 'check that PostgreSQL is running'],
  ])('%s: %s', async (code, message, mend) => {
    await using server = await startRefusing(code, message)
    await using here = await makeInstallation({ DATABASE_URL: server.url, ...SECRET })
    const sentence = `The database at DATABASE_URL cannot be used (${message}): ${mend}`
    expect(await failureOf(here, ['start'])).toContain(sentence)
    expect(await failureOf(here, ['doctor'])).toContain(`BAD   database: ${sentence}`)
    expect(await failureOf(here, ['key', 'list'])).toContain(sentence)
  })

  test('a closed port', async () => {
    const DATABASE_URL = 'postgres://toolway:hunter2@127.0.0.1:1/toolway'
    await using here = await makeInstallation({ DATABASE_URL, ...SECRET })
    const sentence =
      'The database at DATABASE_URL cannot be used (ECONNREFUSED): check that PostgreSQL is running, and check the host and port in DATABASE_URL.'
    for (const words of [['start'], ['migrate'], ['doctor'], ['key', 'list'], ['records', 'verify']])
      expect(await failureOf(here, words)).toContain(sentence)
    const file = join(here.folder, 'b.toolway')
    expect(await failureOf(here, ['backup', file, ...LOCKED])).toBe(`The backup ${file} was not written. ${sentence}\n`)
  })
})

test('doctor names a database that is read-only, and a role to which row-level security does not apply; a start logs the role', async () => {
  await using database = await makeDatabase()
  await using here = await makeInstallation({ DATABASE_URL: database.url })
  await (await here.start()).stop()
  const url = new URL(database.url)
  const name = pg.escapeIdentifier(url.pathname.slice(1))
  const ask = async (text: string) => {
    // What this connection does is not read-only, whatever the database is set to.
    const client = new pg.Client({ connectionString: database.url, options: '-c default_transaction_read_only=off' })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  await ask(`alter database ${name} set default_transaction_read_only = on`)
  expect(await failureOf(here, ['doctor'])).toContain('set DATABASE_URL to the primary server')
  await ask(`alter database ${name} reset all`)
  // The role of an outside server is no superuser, and cannot make one.
  if (inject('outsidePostgres') !== null) return
  url.searchParams.set('user', inject('postgres').admin)
  const powerful = { DATABASE_URL: url.href }
  expect(await failureOf(here, ['doctor'], powerful)).toMatch(
    /^BAD {3}database: its role \w+ is a superuser, so row-level security, which separates organizations, does not apply/m,
  )
  const running = await here.start(powerful)
  expect(running.err()).toContain('is a superuser, so row-level security')
  expect(await running.stop()).toBe(0)
})

test('doctor tells that Redis is away, and a data directory that cannot be used', async () => {
  await using here = await makeInstallation()
  await (await here.start()).stop()
  expect(await failureOf(here, ['doctor'], { REDIS_URL: 'redis://:hunter2@127.0.0.1:1' })).toMatch(
    /^BAD {3}redis: Redis at REDIS_URL cannot be used \(ECONNREFUSED\), so limits are not shared between gateways: check /m,
  )
  await writeFile(join(here.folder, 'file'), '')
  for (const [path, cause] of [
    [join(here.folder, 'file'), 'it or something in its path is a file'],
    [join(here.folder, 'file', 'below'), 'it or something in its path is a file'],
  ] as const)
    expect(await failureOf(here, ['doctor'], { TOOLWAY_DATA: path })).toContain(
      `BAD   data directory: The data directory ${path} cannot be used, because ${cause}`,
    )
})

test('a damaged embedded database is told with the command that restores a backup, and without the log of PostgreSQL', async () => {
  await using here = await makeInstallation(SECRET)
  await (await here.start()).stop()
  await truncate(join(here.data, 'postgres/global/pg_control'), 100)
  const file = join(here.folder, 'b.toolway')
  // `doctor` starts no embedded database.
  for (const words of [['start'], ['key', 'list'], ['backup', file, ...LOCKED]]) {
    const text = await failureOf(here, words)
    expect(text).toContain(`The database in ${here.data} failed to start (PostgreSQL reports: `)
    expect(text).toContain(
      'restore a backup into a new directory: `TOOLWAY_DATA=/new/directory toolway restore BACKUP`',
    )
    expect(text).not.toMatch(/\bLOG: |^20\d\d-/m)
  }
})

test('backup and restore say what did not happen, why, and what to do', async () => {
  await using here = await makeInstallation(SECRET)
  await (await here.start()).stop()
  const missing = join(here.folder, 'nowhere/b.toolway')
  expect(await failureOf(here, ['backup', missing, ...LOCKED])).toMatch(
    /^The backup \S+ was not written: \S+ cannot be used \(ENOENT\)\. Check its folder, its permissions and the space on its disk\.\n$/,
  )
  expect(await failureOf(here, ['backup', 'verify', here.folder, ...LOCKED])).toMatch(
    /^The backup \S+ cannot be read \(EISDIR\): check the path/,
  )
  const file = join(here.folder, 'b.toolway')
  expect(await here.run(['backup', file, '--with-key', ...LOCKED])).toMatchObject({ code: 0 })
  const away = { DATABASE_URL: 'postgres://toolway@127.0.0.1:1/toolway', TOOLWAY_DATA: join(here.folder, 'other') }
  expect(await failureOf(here, ['restore', file, ...LOCKED], away)).toMatch(
    /^The backup \S+ was not restored\. The database at DATABASE_URL cannot be used \(ECONNREFUSED\): check /,
  )
})
