import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findKey, KEY_FORM, listKeys } from '../../identity/keys/keys.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { createVault } from '../../vault/vault.ts'
import { firstRun, noteShown } from './first-run.ts'

const { hash } = createVault(Buffer.alloc(32, 7))
const Id = z.object({ id: z.string() })
const GIVEN = `uru_${'0f'.repeat(32)}`
const ANOTHER = `uru_${'f0'.repeat(32)}`

/** A database on which starts can be repeated. */
async function open() {
  const database = await createTestDatabase()
  const { db } = database
  const demo = { wanted: true, command: 'node', args: ['demo.ts'] }
  const begin = (bootstrapKey?: string) =>
    firstRun({ db, hash, bootstrapKey, approvals: 'ask-destructive', demo, keyFile: '' })
  const isKnown = async (key: string | undefined) =>
    (await db.system((sql) => findKey(sql, hash(key ?? '')))) !== undefined
  const keys = async () => {
    const [{ id } = { id: '' }] = await db.system((sql) => sql(Id)`select id from organizations`)
    return db.organization(id, listKeys)
  }
  return { db, begin, isKnown, keys, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
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
