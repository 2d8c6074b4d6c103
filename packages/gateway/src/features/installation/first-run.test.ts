import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { ConnectionSettings } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findKey, KEY_FORM, listKeys } from '../../identity/keys/keys.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { createVault } from '../../vault/vault.ts'
import { ensureLocalKey, firstRun, noteShown } from './first-run.ts'

const { hash } = createVault(Buffer.alloc(32, 7))
const Id = z.object({ id: z.string() })
const GIVEN = `uru_${'0f'.repeat(32)}`
const ANOTHER = `uru_${'f0'.repeat(32)}`

/** A database on which starts can be repeated. */
async function open() {
  const database = await createTestDatabase()
  const { db } = database
  const folder = await mkdtemp(join(tmpdir(), 'toolway-first-'))
  const parts = {
    ...{ db, hash, bootstrapKey: undefined, approvals: 'ask-destructive' as const, keyFile: join(folder, 'key') },
    demo: { wanted: true, command: 'node', args: ['/a/demo-server.ts'] },
  }
  const begin = (bootstrapKey?: string) => firstRun({ ...parts, bootstrapKey })
  /** As `toolway start`, up to the screen with the key. */
  async function start() {
    await using _ = await db.startTurn()
    const run = await firstRun(parts)
    await ensureLocalKey(parts)
    await noteShown(db)
    return run
  }
  async function run(text: string): Promise<unknown[]> {
    const client = new pg.Client(database.connection)
    await client.connect()
    try {
      const results = await client.query(text)
      return results.rows ?? []
    } finally {
      await client.end()
    }
  }
  const demos = () => run(`select trusted, settings -> 'args' as args from connections`)
  const isKnown = async (key: string | undefined) =>
    (await db.system((sql) => findKey(sql, hash(key ?? '')))) !== undefined
  const keys = async () => {
    const [{ id } = { id: '' }] = await db.system((sql) => sql(Id)`select id from organizations`)
    return db.organization(id, listKeys)
  }
  async function dispose() {
    await database[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  }
  return { db, begin, start, run, demos, isKnown, keys, [Symbol.asyncDispose]: dispose }
}

describe('a first run', () => {
  test('makes one key, and later starts are silent about it', async () => {
    await using here = await open()
    const { key } = await here.begin()
    expect(key).toMatch(KEY_FORM)
    await noteShown(here.db)
    expect(await here.begin()).toEqual({ key: undefined, first: false, setUpCode: undefined, empty: true })
    expect(await here.keys()).toHaveLength(1)
  })

  test('that was killed before its screen gives the next start a key to show, and the one that may have been seen stays good', async () => {
    await using here = await open()
    const unseen = (await here.begin()).key
    const { key } = await here.begin()
    expect(key).toMatch(KEY_FORM)
    expect(key).not.toBe(unseen)
    expect([await here.isKnown(unseen), await here.isKnown(key)]).toEqual([true, true])
    await noteShown(here.db)
    expect((await here.begin()).key).toBeUndefined()
  })

  test('takes a given key instead, keeps its row while it stays the same, and drops it for another one', async () => {
    await using here = await open()
    expect((await here.begin(GIVEN)).key).toBeUndefined()
    const [before] = await here.keys()
    expect((await here.begin(GIVEN)).key).toBeUndefined()
    expect(await here.keys()).toEqual([before])
    await here.begin(ANOTHER)
    expect([await here.isKnown(GIVEN), await here.isKnown(ANOTHER)]).toEqual([false, true])
  })
})

describe('several first runs at once', () => {
  test(
    'on an empty database are one: each start succeeds, and one key, one code and one demo are made',
    { tags: 'long' },
    async () => {
      for (let round = 0; round < 10; round++) {
        await using here = await open()
        const runs = await Promise.all(Array.from({ length: 4 }, () => here.start()))
        expect(runs.filter(({ first }) => first)).toHaveLength(1)
        expect(runs.filter(({ key }) => key !== undefined)).toHaveLength(1)
        expect(runs.filter(({ setUpCode }) => setUpCode !== undefined)).toHaveLength(1)
        expect(await here.keys()).toHaveLength(2)
        expect(await here.demos()).toEqual([{ trusted: true, args: ['/a/demo-server.ts'] }])
      }
    },
  )
})

describe('the demo', () => {
  const HTTP_SETTINGS = JSON.stringify(
    ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://demo-server.example/demo-server.ts' }),
  )
  const WITHOUT_TRUST = `update connections set trusted = false; delete from installation where name = 'demo trust settled';`

  test('of a version before the trust of servers is trusted after the update, and its alert is gone', async () => {
    await using here = await open()
    await here.begin()
    await here.run(WITHOUT_TRUST)
    await here.run(`insert into alerts (id, organization_id, kind, connection_id)
                    select 'alr_1', organization_id, 'effect.unproven', id from connections`)
    await here.run(`update connections set settings = settings || '{"args": ["/older/place/demo-server.ts"]}'`)
    await here.begin()
    expect(await here.demos()).toEqual([{ trusted: true, args: ['/a/demo-server.ts'] }])
    expect(await here.run(`select id from alerts`)).toEqual([])
    // An administrator who removes the trust afterwards keeps that decision.
    await here.run(`update connections set trusted = false`)
    await here.begin()
    expect(await here.demos()).toMatchObject([{ trusted: false }])
  })

  test('stays untrusted where an administrator decided so before the update', async () => {
    await using here = await open()
    await here.begin()
    await here.run(WITHOUT_TRUST)
    await here.run(`select append_records(organization_id, array['rec_1'], array[now()], array['change'], array['usr_1'], array[null], array[null],
      array[null], array['lock.set'], array[null], array[null], array[null], array[null], array[0], array[0], array[0], array['ok'], array[null],
      array['allow'], array['c'], array['user'], array['connection'], array[id], array[null], array[null], array[null::jsonb]) from connections`)
    await here.begin()
    expect(await here.demos()).toMatchObject([{ trusted: false }])
  })

  test.each([
    ['somebody else’s connection of that name', `update connections set origin = 'usr_1'`],
    ['another program under its name', `update connections set settings = settings || '{"args": ["/own/server.ts"]}'`],
    [
      'another kind of server',
      `update connections set connector = 'mcp.http',
       settings = '${HTTP_SETTINGS}'`,
    ],
  ])('%s is not trusted, and stays as it is', async (_, change) => {
    await using here = await open()
    await here.begin()
    await here.run(WITHOUT_TRUST)
    await here.run(change)
    const before = await here.run('select trusted, settings from connections')
    await here.begin()
    expect(await here.run('select trusted, settings from connections')).toEqual(before)
    expect(before).toMatchObject([{ trusted: false }])
  })
})
