/** Tests a gateway that cannot be created, or whose parts fail as it ends: no resource of it remains. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp, type AppParts } from './app.ts'
import { loadConfig } from './config.ts'
import { createDb, type Db } from './db/db.ts'
import { createTestDatabase } from './testing/database.ts'
import { createVault } from './vault/vault.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** A database whose listener tells when it ended, and which fails as it is told. */
function listening(
  db: Db,
  { system = db.system, endFails = false }: { system?: Db['system']; endFails?: boolean } = {},
) {
  const ended: string[] = []
  const listen: Db['listen'] = async (channel, hear) => {
    const listener = await db.listen(channel, hear)
    const close = async () => {
      await listener.close()
      ended.push(channel)
      if (endFails) throw new Error('the line broke')
    }
    return { ...listener, close }
  }
  return { db: { ...db, listen, system }, ended }
}

async function partsWith(db: Db): Promise<AppParts & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-compose-'))
  const { config, path, lang } = loadConfig({ PATH: process.env['PATH'], TOOLWAY_PORT: '0', TOOLWAY_DATA: folder })
  const store = { db, vault: createVault(Buffer.alloc(32, 7)) }
  return {
    ...{ config, store, log, logLine() {}, path, lang },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Timers of ours; those of the database’s own pool come and go. */
const intervals = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

test('a gateway that fails half-way ends what it had opened, and says why it failed', async () => {
  await using database = await createTestDatabase()
  const system: Db['system'] = () => Promise.reject(new Error('the tables are gone'))
  const { db, ended } = listening(database.db, { system })
  await using parts = await partsWith(db)
  // The pool has its connections, and their timers, from the first time on.
  await expect(createApp(parts)).rejects.toThrow('the tables are gone')
  const before = intervals()
  await expect(createApp(parts)).rejects.toThrow('the tables are gone')
  expect(ended).toEqual(['toolway_changed', 'toolway_changed'])
  expect(intervals()).toBeLessThanOrEqual(before)
})

test('a gateway starts though each answer of its database takes longer than callers of a running one would wait', async () => {
  await using database = await createTestDatabase()
  const { host, port, ...credentials } = database.connection
  const slow = createServer((client) => {
    const server = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    client.on('error', () => server.destroy()).pipe(server)
    server.on('error', () => client.destroy()).on('data', (chunk) => setTimeout(() => client.write(chunk), 60))
    server.on('close', () => setTimeout(() => client.end(), 60))
  })
  await once(slow.listen(0, '127.0.0.1'), 'listening')
  const through = { ...credentials, host: '127.0.0.1', port: (slow.address() as AddressInfo).port }
  const db = createDb({ connection: through, patience: 20 })
  await using parts = await partsWith(db)
  const gateway = await createApp(parts)
  expect(await gateway.listen()).toBeGreaterThan(0)
  await gateway.close()
  await db.close()
  slow.close()
})

test('a part that fails as the gateway ends keeps no other from ending', async () => {
  await using database = await createTestDatabase()
  const { db, ended } = listening(database.db, { endFails: true })
  await using parts = await partsWith(db)
  const gateway = await createApp(parts)
  const port = await gateway.listen()
  await expect(gateway.close()).rejects.toThrow('the line broke')
  expect(ended).toEqual(['toolway_changed'])
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow()
})
