/** The owner of the database cuts off the end of a chain, with everything in it that refers to that end: the cut is detected. */
// @module-tag long
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { makeInstallation } from '../cli/installation.ts'
import { callTool, textIn } from './caller.ts'
import { startCountingUpstream } from './counting-upstream.ts'

const KEY = `uru_${'ab'.repeat(32)}`

test('a short life is signed at its end, and records that are cut off with their checkpoints and their count are missed', async () => {
  await using upstream = await startCountingUpstream()
  await using database = await createTestDatabase({ empty: true, server: inject('postgres') })
  const { host, user, database: name, port } = database.connection
  await using here = await makeInstallation({
    DATABASE_URL: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    TOOLWAY_BOOTSTRAP_KEY: KEY,
    TOOLWAY_DEMO: 'off',
    LOG_LEVEL: 'error',
  })
  const file = join(here.folder, 'toolway.yaml')
  await writeFile(file, JSON.stringify({ connections: { counted: { url: upstream.url, revision: '2026-07-28' } } }))
  const running = await here.start({ TOOLWAY_CONFIG: file })
  const tell = async () =>
    textIn(await callTool({ url: `${running.address}/mcp`, key: KEY }, 'counted__note', { mark: 'x' }))
  await expect.poll(tell).toContain('noted')
  for (let at = 0; at < 5; at++) await tell()
  expect(await running.stop()).toBe(0)

  // The last record, too, is proven by a signature, and the signature is in the data directory.
  const whole = await here.json(['records', 'verify'])
  const [{ organization_id: organization, last, proven }] = whole as [
    { organization_id: string; last: number; proven: number },
  ]
  expect(proven).toBe(last)
  expect(await readdir(join(here.data, 'checkpoints'))).toContain(`${organization}.json`)

  const client = new pg.Client(database.connection)
  await client.connect()
  const cut = last - 3
  for (const table of ['records', 'record_checkpoints', 'record_chains'])
    await client.query(`alter table ${table} disable trigger user`)
  await client.query('delete from records where organization_id = $1 and seq > $2', [organization, cut])
  await client.query('delete from record_checkpoints where organization_id = $1', [organization])
  await client.query(
    `update record_chains c set seq = r.seq, hash = r.hash from records r
      where c.organization_id = $1 and r.organization_id = $1 and r.seq = $2`,
    [organization, cut],
  )
  for (const table of ['records', 'record_checkpoints', 'record_chains'])
    await client.query(`alter table ${table} enable trigger user`)
  await client.end()

  const verified = await here.run(['records', 'verify'])
  expect(verified.code).toBe(1)
  expect(verified.out).toContain(`records ${cut + 1} to ${last} are missing: a checkpoint that was stored elsewhere`)

  // A gateway that goes on with what is left signs other records under those numbers, which does not hide it.
  const again = await here.start({ TOOLWAY_CONFIG: file })
  const target = { url: `${again.address}/mcp`, key: KEY }
  for (let at = 0; at < 10; at++) await callTool(target, 'counted__note', { mark: 'y' })
  expect(await again.stop()).toBe(0)
  expect(again.err()).toContain('signed records are missing')
  expect((await here.run(['records', 'verify'])).out).toContain(`record ${last} `)
})
