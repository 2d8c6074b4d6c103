/** Gateways with a data directory each and one outbox: a killed one comes back nowhere, and what it did is on record. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { isAlive } from '../../packages/gateway/src/db/live-listeners.ts'
import { makeInstallation } from '../cli/installation.ts'
import { ask, requestOf } from './caller.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'

const KEY = `uru_${'ab'.repeat(32)}`

test('the call that a gateway was killed in is put on record by another gateway, while a stopped one keeps its own', async () => {
  const { promise: reached, resolve: arrive } = Promise.withResolvers<void>()
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    act({ method }) {
      // Never answered.
      if (method === 'tools/call') arrive()
      return method === 'tools/call'
    },
  })
  await using database = await createTestDatabase({ empty: true, server: inject('postgres') })
  const { host, user, database: name, port } = database.connection
  const outbox = await mkdtemp(join(tmpdir(), 'toolway-shared-outbox-'))
  const settings = {
    DATABASE_URL: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    MCP_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    TOOLWAY_OUTBOX: outbox,
    TOOLWAY_BOOTSTRAP_KEY: KEY,
    TOOLWAY_DEMO: 'off',
    LOG_LEVEL: 'error',
  }
  await using first = await makeInstallation(settings)
  await using second = await makeInstallation(settings)
  const file = join(first.folder, 'toolway.yaml')
  await writeFile(file, JSON.stringify({ connections: { up: { url: upstream.url, revision: '2026-07-28' } } }))
  const victim = await first.start({ TOOLWAY_CONFIG: file })
  const other = await second.start({ TOOLWAY_CONFIG: file })

  const { headers, body } = requestOf('tools/call', { name: 'up__good', arguments: {} }, KEY)
  const call = () =>
    fetch(`${victim.address}/mcp`, { method: 'POST', headers: { ...headers, 'x-correlation-id': 'killed' }, body })
  const tools = async () => (await ask({ url: `${victim.address}/mcp`, key: KEY }, 'tools/list')).text
  await expect.poll(tools).toContain('up__good')
  const answer = call().catch(() => undefined)
  await reached
  const [own = ''] = (await readdir(outbox)).filter((one) => one.includes(`-${victim.pid}-`))
  const owner = own.replace(/-\d{9}$/, '')
  // Stopped, it is alive for all who ask the database.
  victim.signal('SIGSTOP')
  expect(await database.db.system((sql) => isAlive(sql, owner))).toBe(true)
  victim.signal('SIGKILL')
  expect(await victim.ended).toBe('SIGKILL')
  await answer
  await expect.poll(() => database.db.system((sql) => isAlive(sql, owner))).toBe(false)

  const client = new pg.Client(database.connection)
  await client.connect()
  const found = async () =>
    (await client.query(`select outcome, code from records where correlation_id = 'killed'`)).rows as unknown[]
  await expect.poll(found, { interval: 200 }).toEqual([{ outcome: 'unknown', code: 'gateway.ended' }])
  await client.end()
  expect(await other.stop()).toBe(0)
  expect(await readdir(outbox)).toEqual([])
  await rm(outbox, { recursive: true })
})
