/**
 * Tests that no record is lost: not when the gateway is killed fifty times under load, not while its database is away, not when
 * it is told to end. The calls that a server received are compared with the records.
 */
// @module-tag long
import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { makeInstallation, type Installation, type Settings } from '../cli/installation.ts'
import { until } from '../e2e/peers/until.ts'
import { faultIn, requestOf, callTool, type Target } from './caller.ts'
import { startCountingUpstream, type CountingUpstream } from './counting-upstream.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const KILLS = 50
const LANES = 2

interface Kept {
  readonly correlation_id: string
  readonly outcome: string
  readonly code: string | null
}

/** A database of the test's own, an upstream that counts, and an installation that uses both. */
async function fixture() {
  const stack = new AsyncDisposableStack()
  const upstream = stack.use(await startCountingUpstream())
  const { connection } = stack.use(await createTestDatabase({ empty: true, server: inject('postgres') }))
  const { host, user, database, port } = connection
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const here = stack.use(
    await makeInstallation({
      DATABASE_URL: url,
      TOOLWAY_BOOTSTRAP_KEY: KEY,
      TOOLWAY_DEMO: 'off',
      LOG_LEVEL: 'error',
    }),
  )
  const file = join(here.folder, 'toolway.yaml')
  await writeFile(file, JSON.stringify({ connections: { counted: { url: upstream.url, revision: '2026-07-28' } } }))
  const client = new pg.Client(connection)
  stack.defer(() => client.end())
  await client.connect()
  const records = async () =>
    (
      await client.query<Kept>(
        `select correlation_id, outcome, code from records where kind = 'call' and target = 'counted__note'`,
      )
    ).rows
  const settings: Settings = { TOOLWAY_CONFIG: file }
  return { upstream, here, settings, client, records, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Calls one after the other until the gateway is gone; what was answered is noted. */
async function callOn({ url, key }: Target, answered: Set<string>): Promise<void> {
  for (;;) {
    const mark = `load-${randomUUID()}`
    const { headers, body } = requestOf('tools/call', { name: 'counted__note', arguments: { mark } }, key)
    const response = await fetch(url, { method: 'POST', headers: { ...headers, 'x-correlation-id': mark }, body })
    if ((await response.text()).includes('noted')) answered.add(mark)
  }
}

async function offers({ here, settings }: { here: Installation; settings: Settings }): Promise<void> {
  const first = await here.start(settings)
  const target = { url: `${first.address}/mcp`, key: KEY }
  await expect.poll(async () => (await callTool(target, 'counted__note', { mark: 'first' })).text).toContain('noted')
  expect(await first.stop()).toBe(0)
}

/** How each mark that the server saw is on record, and whether none is twice. */
async function compare(upstream: CountingUpstream, records: () => Promise<Kept[]>) {
  const marks = new Set(upstream.seen.filter((mark) => mark.startsWith('load-')))
  await expect
    .poll(
      async () => {
        const kept = new Set((await records()).map(({ correlation_id: id }) => id))
        return [...marks].filter((mark) => !kept.has(mark)).length
      },
      { interval: 200 },
    )
    .toBe(0)
  const kept = (await records()).filter(({ correlation_id: id }) => id.startsWith('load-'))
  expect(new Set(kept.map(({ correlation_id: id }) => id)).size).toBe(kept.length)
  return { marks, kept: new Map(kept.map((one) => [one.correlation_id, one])) }
}

test('S3-AUD-04: killed fifty times under load, it has on record every call that a server saw, each once, and the chain is whole', async () => {
  await using held = await fixture()
  const { upstream, here, settings, records } = held
  await offers(held)
  const answered = new Set<string>()
  let kills = 0
  // Two at a time in one data directory: neither takes what the other one is still writing.
  const lane = async () => {
    while (kills++ < KILLS) {
      const running = await here.start(settings)
      const target = { url: `${running.address}/mcp`, key: KEY }
      const own = new Set<string>()
      const loads = Array.from({ length: 6 }, () => callOn(target, own).catch(() => undefined))
      await until('calls are answered', () => own.size >= 3)
      await sleep(Math.random() * 200)
      running.signal('SIGKILL')
      expect(await running.ended).toBe('SIGKILL')
      await Promise.all(loads)
      for (const mark of own) answered.add(mark)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const last = await here.start(settings)
  const { marks, kept } = await compare(upstream, records)
  expect(answered.size).toBeGreaterThan(KILLS * 2)
  for (const mark of answered) expect(kept.get(mark), mark).toBeDefined()
  for (const { correlation_id: mark, outcome, code } of kept.values()) {
    if (outcome === 'unknown') expect(code).toBe('gateway.ended')
    // Every call recorded as carried out reached the server.
    else if (outcome === 'ok') expect(marks.has(mark), mark).toBe(true)
  }
  expect(await last.stop()).toBe(0)
  expect(await here.run(['records', 'verify'], { settings })).toMatchObject({ code: 0, err: '' })
  expect(await readdir(join(here.data, 'outbox'))).toEqual([])
})

test('S3-AUD-04: told to end under load, it leaves no call without its record and nothing in the outbox', async () => {
  await using held = await fixture()
  const { upstream, here, settings, records } = held
  await offers(held)
  const answered = new Set<string>()
  const running = await here.start(settings)
  const loads = Array.from({ length: 8 }, () =>
    callOn({ url: `${running.address}/mcp`, key: KEY }, answered).catch(() => undefined),
  )
  await sleep(500)
  expect(await running.stop()).toBe(0)
  await Promise.all(loads)
  const kept = new Map((await records()).map((one) => [one.correlation_id, one.outcome]))
  for (const mark of answered) expect(kept.get(mark)).toBe('ok')
  for (const mark of upstream.seen.filter((one) => one.startsWith('load-'))) expect(kept.has(mark), mark).toBe(true)
  expect(await readdir(join(here.data, 'outbox'))).toEqual([])
})

test('a disk that takes no line refuses calls in words that name cause and mend, and no call goes out', async () => {
  await using held = await fixture()
  const { upstream, here, settings, records } = held
  await offers(held)
  const outbox = join(here.data, 'outbox')
  await rename(outbox, `${outbox}-away`)
  await writeFile(outbox, 'not a folder')
  const running = await here.start(settings)
  const target = { url: `${running.address}/mcp`, key: KEY }
  const refused = await callTool(target, 'counted__note', { mark: 'refused' })
  expect(faultIn(refused)).toMatchObject({ fault: 'record.unwritable', code: 'UNAVAILABLE', retryable: true })
  expect(refused.text).toContain('Free disk space for the folder')
  expect(upstream.seen).not.toContain('refused')
  // Lists are answered all the same, and the refusal is on record: the database is there.
  await expect
    .poll(async () => (await records()).map(({ correlation_id: id, code }) => [id, code]))
    .toContainEqual([refused.correlation, 'record.unwritable'])
  await rm(outbox)
  expect((await callTool(target, 'counted__note', { mark: 'again' })).text).toContain('noted')
  expect(await running.stop()).toBe(0)
})
