/**
 * The restore drill: a gateway with connections, secrets, keys, files and records is backed up while calls run, killed, and restored
 * into an empty place, with the database that comes along and with a PostgreSQL server; and what a restore refuses.
 */
// @module-tag long
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { makeBackup } from '../../packages/gateway/src/features/backup/make-backup.ts'
import { createDb } from '../../packages/gateway/src/db/db.ts'
import { migrate } from '../../packages/gateway/src/db/migrate.ts'
import { listOrganizations } from '../../packages/gateway/src/organizations/organizations.ts'
import { storeRecords } from '../../packages/gateway/src/records/records.ts'
import { testEntry } from '../../packages/gateway/src/testing/record-entry.ts'
import { makeAgeKeys } from '../../packages/gateway/src/testing/age-keys.ts'
import { callTool, textIn } from '../fault/caller.ts'
import { until } from '../e2e/peers/until.ts'
import { findS3Server, startS3Server } from '../e2e/peers/servers/s3-server.ts'
import { startEcho, type EchoServer } from './echo-server.ts'
import { makeInstallation, type Installation, type Settings } from './installation.ts'
import { makeDatabase } from './own-database.ts'

const PASSPHRASE = 'correct horse battery staple'
const SECRET = 's3cret-of-echo'

interface Summary {
  readonly file: string
  readonly rows: number
  readonly files: number
  readonly with_key: boolean
}

interface Verified extends Summary {
  readonly chains: readonly { readonly good: boolean; readonly records: number }[]
}

/** The embedded database of an installation whose gateway runs, or the one that its settings name. */
const connectionOf = (here: Installation, { DATABASE_URL: url }: Settings): pg.ClientConfig =>
  url === undefined
    ? { host: join(here.data, 'run'), port: 5432, user: 'toolway', database: 'toolway' }
    : { connectionString: url }

const RECORDS = 6_000
const HARD = 'tab\tbreak\nreturn\r\\. \\N \\\\x00 "quoted" ä€😀\u2028 end\\'

/** More than 5 MiB in each of two tables, so that each has several parts, with texts that are hard to cut. */
async function fillTables(connection: pg.ClientConfig): Promise<void> {
  const db = createDb({ connection })
  const [organization] = (await db.system(listOrganizations)).filter(({ slug }) => slug === 'default')
  const entry = (_: unknown, at: number) =>
    testEntry({
      ...{ org_id: organization?.id ?? expect.fail('no organization'), timestamp: new Date().toISOString() },
      ...{ request_id: `r-${at}`, detail: { text: HARD.repeat(at % 30), at } },
    })
  for (let at = 0; at < RECORDS; at += 1_000)
    await db.system((sql) => storeRecords(sql, Array.from({ length: 1_000 }, entry)))
  await db.close()
  await fillAlerts(connection, 6_000)
}

/** About a KiB each, and hard to compress. */
async function fillAlerts(connection: pg.ClientConfig, count: number): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(
    `insert into alerts (id, organization_id, kind, detail)
     select 'alert_' || g, o.id, 'test.filled',
            jsonb_build_object('text', $1::text, 'more', (select string_agg(md5(g || '/' || i), '') from generate_series(1, 30) i))
       from generate_series(1, $2::int) g, organizations o where o.slug = 'default'`,
    [HARD, count],
  )
  await client.end()
}

const MIGRATIONS = join(import.meta.dirname, '../../packages/gateway/src/db/migrations')
const LOCKED = ['--passphrase-env', 'BACKUP_PASSPHRASE']

/** The words that lock a backup, and those that open it. */
interface Locks {
  readonly locked: readonly string[]
  readonly opened: readonly string[]
}

const BY_PASSPHRASE: Locks = { locked: LOCKED, opened: LOCKED }

/** A passphrase costs a second of work each time, on purpose; tests of something else lock for a key, which costs none. */
async function lockByKey({ folder }: Installation): Promise<Locks & { readonly recipient: string }> {
  const { recipient, identity } = await makeAgeKeys()
  const file = join(folder, 'identity')
  await writeFile(file, `${identity}\n`, { mode: 0o600 })
  return { recipient, locked: ['--recipient', recipient], opened: ['--identity-file', file] }
}

/** One installation with something of everything, backed up while calls run and killed afterwards. */
async function drill(settings: Settings, restored: Settings, lockOf: (here: Installation) => Locks | Promise<Locks>) {
  await using here = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE, ...settings })
  const { locked, opened } = await lockOf(here)
  await using echo = await startEcho()
  const gateway = await here.start()
  const { key } = (await here.json(['key', 'add', 'laptop'])) as { key: string }
  await here.run(['connection', 'add', 'echo', '--url', echo.url, '--header-from', '-'], {
    input: `Authorization: Bearer ${SECRET}\n`,
  })
  await writeFile(join(here.folder, 'report.csv'), 'a,b\n1,2\n'.repeat(5_000))
  const put = await here.run(['file', 'put', 'report.csv'])
  expect(put.code).toBe(0)
  await fillTables(connectionOf(here, settings))
  const target = { url: `${gateway.address}/mcp`, key }
  let running = true
  let answered = 0
  const calls = (async () => {
    while (running)
      if (textIn(await callTool(target, 'demo__calculate', { expression: '6 * 7' }))?.includes('= 42')) answered++
  })()
  const file = join(here.folder, 'kept.toolway')
  const made = (await here.json(['backup', file, '--with-key', ...locked])) as Summary
  const whileMade = answered
  running = false
  await calls
  expect(made).toMatchObject({ with_key: true, files: 1 })
  const verified = (await here.json(['backup', 'verify', file, ...opened])) as Verified
  expect(verified.chains.every(({ good }) => good)).toBe(true)
  expect(verified.chains.reduce((sum, { records }) => sum + records, 0)).toBeGreaterThan(RECORDS)
  expect(whileMade).toBeGreaterThan(0)
  // The console shows the last backup, and the audit log who made which.
  expect(await here.json(['records', 'list', '-o', 'platform', '--action', 'backup.create'])).toMatchObject({
    items: [{ action: 'backup.create', resource_id: 'kept.toolway', details: { files: 1, with_key: true } }],
  })
  gateway.signal('SIGKILL')
  await gateway.ended

  await using there = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE, ...restored })
  const back = await there.run(['restore', file, ...opened])
  expect(back).toMatchObject({ code: 0, err: '' })
  const again = await there.run(['restore', file, ...opened])
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('The database is not empty') })
  await holds(there, { key, secret: echo, file: /toolway:\/\/files\/file_\w{26}/.exec(put.out)?.[0] ?? '' })
  return { bytes: await readFile(file), key }
}

async function holds(there: Installation, { key, secret, file }: { key: string; secret: EchoServer; file: string }) {
  const heard = secret.seen.length
  const gateway = await there.start()
  // The key that the client has kept.
  const target = { url: `${gateway.address}/mcp`, key }
  expect(textIn(await callTool(target, 'demo__calculate', { expression: '6 * 7' }))).toContain('42')
  // The secret opens: the upstream hears it again.
  await there.run(['connection', 'restart', 'echo'])
  await expect.poll(() => secret.seen.length).toBeGreaterThan(heard)
  expect(new Set(secret.seen)).toEqual(new Set([`Bearer ${SECRET}`]))
  const got = await there.run(['file', 'get', file, 'copy.csv'])
  expect(got).toMatchObject({ code: 0 })
  expect(await readFile(join(there.folder, 'copy.csv'), 'utf8')).toBe('a,b\n1,2\n'.repeat(5_000))
  expect(await there.run(['records', 'verify'])).toMatchObject({ code: 0, err: '' })
  expect(await there.run(['records', 'verify', '-o', 'platform'])).toMatchObject({ code: 0, err: '' })
  // Every sealed value opens with the key that came along: turning it opens and seals each one.
  const turned = await there.run(['vault', 'rotate'])
  expect(turned).toMatchObject({ code: 0, out: expect.stringMatching(/values were re-encrypted\.$/m) })
  expect(turned.out).not.toContain('Cannot be decrypted')
  expect(await gateway.stop()).toBe(0)
}

describe('a backup while calls run, kill -9, and a restore into an empty place', () => {
  test('with the database that comes along: records verify, every secret opens, keys and files work', async () => {
    const { bytes, key } = await drill({}, {}, () => BY_PASSPHRASE)
    for (const secret of [key, SECRET, 'report.csv']) expect(bytes.includes(secret)).toBe(false)
  })

  test('with a PostgreSQL server', async () => {
    await using from = await makeDatabase()
    await using to = await makeDatabase()
    await drill({ DATABASE_URL: from.url }, { DATABASE_URL: to.url }, lockByKey)
  })
})

/**
 * A backup that a signal ends while some of it is on disk: how it ended, and what it left. Where it is done before the signal comes, it
 * is made again.
 */
async function cutOff(here: Installation, backups: string, signal: NodeJS.Signals, locked: Locks['locked']) {
  const before = await readdir(backups)
  const added = async () => (await readdir(backups)).filter((name) => !before.includes(name))
  const sizeOf = async (name: string) => (await stat(join(backups, name)).catch(() => undefined))?.size ?? 0
  for (let tries = 0; tries < 20; tries++) {
    const begun = here.begin({}, 'pipe', ['backup', backups, ...locked])
    let isOver = false
    void begun.ended.then(() => (isOver = true))
    await until('some of it is on disk', async () => {
      const [unfinished] = (await added()).filter((name) => name.startsWith('.'))
      return isOver || (unfinished !== undefined && (await sizeOf(unfinished)) > 64 * 1024)
    })
    begun.signal(signal)
    const how = await begun.ended
    const left = await added()
    const isDone = left.some((name) => !name.startsWith('.'))
    if (!isDone) return { how, left, err: begun.err() }
    for (const name of left) await rm(join(backups, name))
  }
  throw new Error('each backup was done before its signal came')
}

async function interrupted(settings: Settings) {
  await using here = await makeInstallation(settings)
  const { locked, opened } = await lockByKey(here)
  const gateway = await here.start()
  await fillAlerts(connectionOf(here, settings), 40_000)
  const backups = join(here.folder, 'backups')
  await mkdir(backups)

  const killed = await cutOff(here, backups, 'SIGKILL', locked)
  expect(killed).toMatchObject({ how: 'SIGKILL', left: [expect.stringMatching(/^\./)] })
  const [leftover = ''] = killed.left
  expect(await readdir(backups)).toEqual([leftover])
  expect(await here.run(['backup', 'verify', join(backups, leftover), ...opened])).toMatchObject({
    code: 1,
    err: expect.stringContaining('changed or cut off'),
  })

  expect(await cutOff(here, backups, 'SIGTERM', locked)).toEqual({
    how: 1,
    left: [],
    err: 'The backup was interrupted, and nothing was written: run the command again.\n',
  })
  expect(await readdir(backups)).toEqual([leftover])

  // One of the last hour may be another process's; an older one is removed.
  expect((await here.run(['backup', backups, ...locked])).code).toBe(0)
  expect(await readdir(backups)).toContain(leftover)
  const old = new Date(Date.now() - 2 * 3_600_000)
  await utimes(join(backups, leftover), old, old)
  const next = await here.run(['backup', join(backups, 'next.toolway'), ...locked])
  expect(next).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Removed: ${leftover} (what remained of a backup`),
  })
  expect(await readdir(backups)).not.toContain(leftover)
  expect(await here.run(['backup', 'verify', join(backups, 'next.toolway'), ...opened])).toMatchObject({ code: 0 })
  expect(await gateway.stop()).toBe(0)
}

describe('a backup that is killed or interrupted leaves no file of its name, and the next one is whole', () => {
  test('with the database that comes along', () => interrupted({}))

  test('with a PostgreSQL server', async () => {
    await using database = await makeDatabase()
    await interrupted({ DATABASE_URL: database.url })
  })
})

test('a restore refuses the wrong passphrase, a file that was changed or cut off, and a missing vault key, and changes nothing', async () => {
  await using here = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE })
  await (await here.start()).stop()
  const file = join(here.folder, 'without-key.toolway')
  expect(await here.run(['backup', file, ...LOCKED])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/The backup does not contain the vault key [0-9a-f]{16}/),
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await here.run(['backup', file, ...LOCKED])).toMatchObject({
    code: 1,
    err: expect.stringContaining('already exists'),
  })
  expect(await here.run(['backup', 'verify', file, ...LOCKED])).toMatchObject({
    code: 0,
    out: expect.stringContaining('is complete'),
  })
  expect(
    await here.run(['backup', join(here.folder, 'x'), ...LOCKED], { settings: { BACKUP_PASSPHRASE: 'short' } }),
  ).toMatchObject({
    code: 1,
    err: expect.stringContaining('at least 12 characters'),
  })

  await using there = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE })
  const refused = async (path: string, words: string, settings: Settings = {}) => {
    const { code, err } = await there.run(['restore', path, ...LOCKED], { settings })
    expect([code, err]).toEqual([1, expect.stringContaining(words)])
    expect(await readdir(there.data).catch(() => [])).toEqual([])
  }
  await refused(file, 'the passphrase is wrong', { BACKUP_PASSPHRASE: 'another passphrase' })
  await refused(file, 'does not contain a vault key')
  const bytes = await readFile(file)
  const cut = join(here.folder, 'cut.toolway')
  await writeFile(cut, bytes)
  await truncate(cut, Math.floor(bytes.length / 2))
  await refused(cut, 'changed or cut off')
  const changed = join(here.folder, 'changed.toolway')
  bytes[bytes.length - 40]! ^= 1
  await writeFile(changed, bytes)
  await refused(changed, 'changed or cut off')
  await refused(join(here.folder, 'nowhere'), 'The backup')

  // With the key where it belongs, the same file is restored.
  const key = (await readFile(join(here.data, 'vault.key'), 'utf8')).trim()
  expect(await there.run(['restore', file, ...LOCKED], { settings: { MCP_ENCRYPTION_KEY: key } })).toMatchObject({
    code: 0,
  })
  expect(await there.run(['vault', 'status'], { settings: { MCP_ENCRYPTION_KEY: key } })).toMatchObject({ code: 0 })
})

test('a backup for public keys is opened by each of the private keys and by nothing else', async () => {
  const [one, two, stranger] = [await makeAgeKeys(), await makeAgeKeys(), await makeAgeKeys()]
  await using here = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE })
  await (await here.start()).stop()
  const file = join(here.folder, 'for-two.toolway')
  const recipients = [one.recipient, two.recipient]
  const made = await here.run(['backup', file, '--with-key', '--recipient', ...recipients])
  expect(made).toMatchObject({ code: 0, err: '' })
  const identityFile = async (name: string, identity: string) => {
    await writeFile(join(here.folder, name), `# made for this test\n${identity}\n`, { mode: 0o600 })
    return ['--identity-file', join(here.folder, name)]
  }
  expect(await here.run(['backup', 'verify', file, ...(await identityFile('one', one.identity))])).toMatchObject({
    code: 0,
  })
  const wrong = await here.run(['backup', 'verify', file, ...(await identityFile('stranger', stranger.identity))])
  expect(wrong).toMatchObject({ code: 1, out: '' })
  expect(wrong.err).not.toMatch(/ {4}at |AGE-SECRET-KEY/)
  expect(await here.run(['backup', 'verify', file, ...LOCKED])).toMatchObject({ code: 1 })
  expect(await here.run(['backup', file, '--recipient', 'age1wrong'])).toMatchObject({ code: 1 })

  await using there = await makeInstallation()
  expect(await there.run(['restore', file, ...(await identityFile('two', two.identity))])).toMatchObject({
    code: 0,
    err: '',
  })
  expect(await there.run(['vault', 'status'])).toMatchObject({ code: 0 })
})

test('a backup of the schema before the last migration is restored in its shape and migrated', async () => {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations = names.map((name) => name.replace(/\.sql$/, ''))
  const before = migrations.slice(0, -1)
  await using from = await makeDatabase()
  await using to = await makeDatabase()
  await using here = await makeInstallation({ DATABASE_URL: to.url })
  await migrate({ connectionString: from.url }, { only: new Set(before) })
  await asked(
    from.url,
    "insert into organizations (id, slug, name, origin) values ('org_01k0000000000000000000000a', 'old', 'Old', 'admin')",
  )
  const file = join(here.folder, 'older.toolway')
  const { recipient, opened } = await lockByKey(here)
  const lock = { recipients: [recipient] }
  const older = { version: '0.0.1', now: new Date(), keys: undefined, files: 'none' } as const
  const { manifest } = await makeBackup({ connection: { connectionString: from.url }, file, lock, ...older })
  expect(manifest.migrations).toEqual(before)

  expect(await here.run(['restore', file, ...opened])).toMatchObject({ code: 0, err: '' })
  expect(await asked(to.url, 'select name from migrations order by name')).toEqual(migrations.map((name) => ({ name })))
  expect(await asked(to.url, "select name from organizations where slug = 'old'")).toEqual([{ name: 'Old' }])
  expect(await (await here.start()).stop()).toBe(0)
})

const s3Binary = findS3Server()

if (s3Binary === undefined)
  test('a backup beside files in an S3 store: no server is there; `npm run counterparts` builds one where Go is', () => {
    expect(s3Binary).toBeUndefined()
  })
else
  test('a backup leaves the contents of files in an S3 store, and they are there after a restore', async () => {
    await using s3 = await startS3Server(s3Binary)
    await using here = await makeInstallation(s3.settings)
    const { locked, opened } = await lockByKey(here)
    const gateway = await here.start()
    await writeFile(join(here.folder, 'report.csv'), 'a,b\n1,2\n'.repeat(5_000))
    const put = await here.run(['file', 'put', 'report.csv'])
    const file = join(here.folder, 'kept.toolway')
    const made = await here.run(['backup', file, '--with-key', ...locked])
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('stay in the object store') })
    await gateway.stop()

    await using there = await makeInstallation(s3.settings)
    expect(await there.run(['restore', file, ...opened])).toMatchObject({ code: 0, err: '' })
    const again = await there.start()
    const id = /toolway:\/\/files\/file_\w{26}/.exec(put.out)?.[0] ?? ''
    expect(await there.run(['file', 'get', id, 'copy.csv'])).toMatchObject({ code: 0 })
    expect(await readFile(join(there.folder, 'copy.csv'), 'utf8')).toBe('a,b\n1,2\n'.repeat(5_000))
    await again.stop()
  })

async function asked(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
