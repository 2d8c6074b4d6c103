/**
 * The restore drill: a gateway with connections, secrets, keys, files and records is backed up while calls run, killed, and restored
 * into an empty place, with the database that comes along and with a PostgreSQL server; and what a restore refuses.
 */
// @module-tag long
import { once } from 'node:events'
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Settings } from './installation.ts'

const PASSPHRASE = 'correct horse battery staple'
const SECRET = 's3cret-of-echo'

/** An upstream that hears which Authorization header came. */
async function startEcho() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '')
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An empty database of a server of its own. */
async function makeDatabase() {
  const database = await createTestDatabase({ empty: true, server: inject('outsidePostgres') ?? inject('postgres') })
  const { user, password, host, port, database: name } = database.connection as Readonly<Record<string, unknown>>
  const url = new URL(`postgresql://localhost/${name}`)
  url.searchParams.set('host', String(host))
  if (port !== undefined) url.searchParams.set('port', String(port))
  url.searchParams.set('user', String(user))
  if (password !== undefined) url.searchParams.set('password', String(password))
  return { url: url.href, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

interface Summary {
  readonly file: string
  readonly rows: number
  readonly files: number
  readonly with_key: boolean
}

const LOCKED = ['--passphrase-env', 'BACKUP_PASSPHRASE']

/** One installation with something of everything, backed up while calls run and killed afterwards. */
async function drill(settings: Settings, restored: Settings) {
  await using here = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE, ...settings })
  await using echo = await startEcho()
  const gateway = await here.start()
  const { key } = (await here.json(['key', 'add', 'laptop'])) as { key: string }
  await here.run(['connection', 'add', 'echo', '--url', echo.url, '--header-from', '-'], {
    input: `Authorization: Bearer ${SECRET}\n`,
  })
  await writeFile(join(here.folder, 'report.csv'), 'a,b\n1,2\n'.repeat(5_000))
  const put = await here.run(['file', 'put', 'report.csv'])
  expect(put.code).toBe(0)
  const target = { url: `${gateway.address}/mcp`, key }
  let running = true
  let answered = 0
  const calls = (async () => {
    while (running)
      if (textIn(await callTool(target, 'demo__calculate', { expression: '6 * 7' }))?.includes('42')) answered++
  })()
  const file = join(here.folder, 'kept.toolway')
  const made = (await here.json(['backup', file, '--with-key', ...LOCKED])) as Summary
  const whileMade = answered
  running = false
  await calls
  expect(made).toMatchObject({ with_key: true, files: 1 })
  expect(whileMade).toBeGreaterThan(0)
  gateway.signal('SIGKILL')
  await gateway.ended

  await using there = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE, ...restored })
  const back = await there.run(['restore', file, ...LOCKED])
  expect(back).toMatchObject({ code: 0, err: '' })
  const again = await there.run(['restore', file, ...LOCKED])
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('The database is not empty') })
  await holds(there, { key, secret: echo, file: /toolway:\/\/files\/file_\w{26}/.exec(put.out)?.[0] ?? '' })
  return { bytes: await readFile(file), key }
}

async function holds(
  there: Installation,
  { key, secret, file }: { key: string; secret: Awaited<ReturnType<typeof startEcho>>; file: string },
) {
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
  expect(turned).toMatchObject({ code: 0, out: expect.stringMatching(/values were sealed anew\.$/m) })
  expect(turned.out).not.toContain('Does not open')
  expect(await gateway.stop()).toBe(0)
}

describe('a backup while calls run, kill -9, and a restore into an empty place', () => {
  test('with the database that comes along: records verify, every secret opens, keys and files work', async () => {
    const { bytes, key } = await drill({}, {})
    for (const secret of [key, SECRET, 'report.csv']) expect(bytes.includes(secret)).toBe(false)
  })

  test('with a PostgreSQL server', async () => {
    await using from = await makeDatabase()
    await using to = await makeDatabase()
    await drill({ DATABASE_URL: from.url }, { DATABASE_URL: to.url })
  })
})

test('a restore refuses the wrong passphrase, a file that was changed or cut off, and a missing vault key, and changes nothing', async () => {
  await using here = await makeInstallation({ BACKUP_PASSPHRASE: PASSPHRASE })
  await (await here.start()).stop()
  const file = join(here.folder, 'without-key.toolway')
  expect(await here.run(['backup', file, ...LOCKED])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/The vault key [0-9a-f]{16} is not in it/),
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await here.run(['backup', file, ...LOCKED])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is there already'),
  })
  expect(await here.run(['backup', 'verify', file, ...LOCKED])).toMatchObject({
    code: 0,
    out: expect.stringContaining('is whole'),
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
  await refused(file, 'has no vault key in it')
  const bytes = await readFile(file)
  const cut = join(here.folder, 'cut.toolway')
  await writeFile(cut, bytes)
  await truncate(cut, Math.floor(bytes.length / 2))
  await refused(cut, 'changed or cut off')
  const changed = join(here.folder, 'changed.toolway')
  bytes[bytes.length - 40]! ^= 1
  await writeFile(changed, bytes)
  await refused(changed, 'changed or cut off')
  await refused(join(here.folder, 'nowhere'), 'There is no backup')

  // With the key where it belongs, the same file is restored.
  const key = (await readFile(join(here.data, 'vault.key'), 'utf8')).trim()
  expect(await there.run(['restore', file, ...LOCKED], { settings: { MCP_ENCRYPTION_KEY: key } })).toMatchObject({
    code: 0,
  })
  expect(await there.run(['vault', 'status'], { settings: { MCP_ENCRYPTION_KEY: key } })).toMatchObject({ code: 0 })
})
