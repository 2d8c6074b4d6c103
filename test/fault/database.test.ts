/** The database goes away under a running gateway: probes tell the truth, calls are answered or refused in words, all comes back. */
// @module-tag long
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { makeInstallation } from '../cli/installation.ts'
import { ask, openSession } from '../e2e/peers/clients/raw-client.ts'
import { callTool, faultIn, textIn } from './caller.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const STRANGER = `uru_${'cd'.repeat(32)}`

const probe = (address: string, name: string) =>
  fetch(`${address}/health/${name}`).then(
    ({ status }) => status,
    () => 0,
  )
const probes = async (address: string) => ({
  live: await probe(address, 'live'),
  ready: await probe(address, 'ready'),
  startup: await probe(address, 'startup'),
})
const slowly = { interval: 100 }

/** A server of the user's own, which can be stopped and started again. */
async function startOutside() {
  const directory = await mkdtemp(join(tmpdir(), 'toolway-outside-'))
  let server = await startEmbeddedPostgres({ directory })
  const { host, user, database } = server.connection
  return {
    url: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`,
    connection: server.connection,
    stop: () => server.stop(),
    start: async () => void (server = await startEmbeddedPostgres({ directory })),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

describe('a gateway whose database stops', () => {
  test('S3-OBS-07: stays live and says it is not ready, startup speaks once migrations and connections are there, and readiness comes back', async () => {
    await using outside = await startOutside()
    await using here = await makeInstallation({ DATABASE_URL: outside.url, TOOLWAY_BOOTSTRAP_KEY: KEY })
    const port = await freePort()
    const begun = here.begin({ TOOLWAY_PORT: String(port), TOOLWAY_DATABASE_GRACE_SECONDS: '2' })
    const address = `http://127.0.0.1:${port}`
    // A request that comes too early gets no answer: nothing listens before the schema and the connections are there.
    await expect.poll(() => probe(address, 'startup'), slowly).toBe(200)
    const client = new pg.Client(outside.connection)
    await client.connect()
    const { rows } = await client.query<{ alias: string }>('select alias from connections')
    await client.end()
    expect(rows).toEqual([{ alias: 'demo' }])
    const running = await begun.ready()
    expect(await probes(address)).toEqual({ live: 200, ready: 200, startup: 200 })

    const known = { url: `${address}/mcp`, key: KEY }
    expect((await callTool(known, 'demo__calculate', { expression: '6*7' })).status).toBe(200)
    await outside.stop()
    await expect.poll(() => probe(address, 'ready'), slowly).toBe(503)
    // A key that was good serves as long as readiness says so, and no longer.
    const refused = async () => faultIn(await callTool(known, 'demo__calculate', { expression: '6*7' }))?.fault
    await expect.poll(refused, { interval: 500 }).toBe('database.unavailable')
    expect(await probes(address)).toEqual({ live: 200, ready: 503, startup: 200 })
    const told = (await (await fetch(`${address}/health/ready`)).json()) as Record<string, unknown>
    expect(told).toMatchObject({
      status: 'not ready',
      problem: 'the database does not respond',
      checks: { database: 'the database does not respond' },
    })

    await outside.start()
    await expect.poll(() => probe(address, 'ready'), slowly).toBe(200)
    await expect.poll(refused, slowly).toBeUndefined()
    expect(await running.stop()).toBe(0)
  })

  test('goes on answering the keys it knows, refuses the others in words, and keeps the records for later', async () => {
    await using outside = await startOutside()
    await using here = await makeInstallation({ DATABASE_URL: outside.url, TOOLWAY_BOOTSTRAP_KEY: KEY })
    const running = await here.start()
    const known = { url: `${running.address}/mcp`, key: KEY }
    await expect
      .poll(async () => textIn(await callTool(known, 'demo__calculate', { expression: '6*7' })), slowly)
      .toContain('42')

    const session = await openSession(known.url, KEY)
    await outside.stop()
    const status = async () =>
      ((await (await fetch(`${running.address}/health/ready`)).json()) as { status: string }).status
    await expect.poll(status, slowly).toBe('degraded')
    expect(await probe(running.address, 'ready')).toBe(200)
    // A session that is known goes on; whether another one is to live again cannot be looked up.
    expect((await ask(session, 'ping')).status).toBe(200)
    const unknown = await ask({ ...session, session: 'f'.repeat(32) }, 'ping')
    expect([unknown.status, unknown.answer.error?.data?.['fault']]).toEqual([503, 'database.unavailable'])
    const answered = await callTool(known, 'demo__calculate', { expression: '6*7' })
    expect(textIn(answered)).toContain('42')
    const refused = await callTool({ ...known, key: STRANGER }, 'demo__calculate', { expression: '6*7' })
    expect(refused.status).toBe(503)
    expect(faultIn(refused)).toMatchObject({ fault: 'database.unavailable', code: 'UNAVAILABLE', retryable: true })
    expect(refused.text).toContain('it does not respond')
    expect(refused.text).not.toMatch(/ENOENT|\.s\.PGSQL|postgres:/)

    await outside.start()
    await expect.poll(async () => (await callTool({ ...known, key: STRANGER }, 'x')).status, slowly).toBe(401)
    const client = new pg.Client(outside.connection)
    await client.connect()
    const count = () =>
      client
        .query('select from records where correlation_id = $1', [answered.correlation])
        .then(({ rowCount }) => rowCount)
    await expect.poll(count, slowly).toBe(1)
    await client.end()
    // Signals are heard again too: a key that another process adds is known, and one that it removes is not.
    const { key } = (await here.json(['key', 'add', 'later'])) as { key: string }
    expect(textIn(await callTool({ ...known, key }, 'demo__calculate', { expression: '6*7' }))).toContain('42')
    await here.json(['key', 'remove', 'later'])
    await expect.poll(async () => (await callTool({ ...known, key }, 'x')).status, slowly).toBe(401)
    expect(await running.stop()).toBe(0)
  })

  test('starts its embedded database again when that was killed, and goes on', async () => {
    await using here = await makeInstallation({ TOOLWAY_BOOTSTRAP_KEY: KEY })
    const running = await here.start()
    const postmaster = async () =>
      Number.parseInt(await readFile(join(here.data, 'postgres/postmaster.pid'), 'utf8').catch(() => '0'), 10)
    const target = { url: `${running.address}/mcp`, key: KEY }
    const product = async () => textIn(await callTool(target, 'demo__calculate', { expression: '6*7' }))
    await expect.poll(product, slowly).toContain('42')
    const before = await postmaster()
    process.kill(before, 'SIGKILL')
    await expect.poll(async () => [before, 0].includes(await postmaster()), slowly).toBe(false)
    await expect.poll(() => probe(running.address, 'ready'), slowly).toBe(200)
    expect(await here.json(['key', 'list'])).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'bootstrap' })]),
    )
    expect(await product()).toContain('42')
    expect(await running.stop()).toBe(0)
  })
})
