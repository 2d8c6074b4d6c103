// @module-tag long
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectionSettings, type ConnectionId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addConnection, changeConnection, listConnections } from '../connections/connections.ts'
import type { Db } from '../db/db.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { countSealed } from './count-sealed.ts'
import { createKeySources, NoPlaceForKey, type KeySettings } from './key-sources.ts'
import { resealAll } from './reseal.ts'
import { openVault } from './ring.ts'
import { KeyStays, retire, rotate } from './rotate.ts'
import { connectionSealContext } from './sealed-columns.ts'
import type { Vault } from './vault.ts'

const [A, B, C] = ['aa'.repeat(32), 'bb'.repeat(32), 'cc'.repeat(32)] as const
const NO_KEYCHAIN = { read: async () => undefined, write: async () => {}, remove: async () => {} }
const settings = ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://example.com/mcp' })
const Nothing = z.object({})

async function installation(db: Db, files: Record<string, string> = { 'vault.key': A }) {
  const path = await mkdtemp(join(tmpdir(), 'toolway-rotate-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  const organization = await addTestOrganization(db, 'acme')
  const sources = (given: KeySettings = {}) =>
    createKeySources({ directory: path, settings: given, keychain: NO_KEYCHAIN })
  const records: string[] = []
  const parts = (given: KeySettings = {}) => ({
    db,
    sources: sources(given),
    record: async (_: unknown, action: string, id: string) => void records.push(`${action} ${id}`),
    settle: async () => {},
  })
  return {
    path,
    organization,
    sources,
    parts,
    records,
    add: (vault: Vault, alias: string, secret: string) =>
      db.organization(organization.id, (sql) =>
        addConnection(sql, {
          organizationId: organization.id,
          alias,
          title: alias,
          settings,
          enabled: true,
          origin: 'test',
          seal: (id) => vault.seal(secret, connectionSealContext(id)),
        }),
      ),
    change: (vault: Vault, id: ConnectionId, alias: string, secret: string) =>
      db.organization(organization.id, (sql) =>
        changeConnection(sql, id, {
          title: alias,
          settings,
          enabled: true,
          origin: 'test',
          seal: () => vault.seal(secret, connectionSealContext(id)),
        }),
      ),
    rows: () => db.organization(organization.id, listConnections),
    async secrets(vault: Vault) {
      const rows = await db.organization(organization.id, listConnections)
      return Object.fromEntries(
        rows.map(({ id, alias, sealed }) => [
          alias,
          sealed === null ? null : vault.open(sealed, connectionSealContext(id)),
        ]),
      )
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

const keysInUse = async (db: Db) => [...new Set((await db.system(countSealed)).map(({ key }) => key))]

describeEachPostgres('a rotation', (createDatabase) => {
  test('seals everything with a new key, keeps every secret, and leaves the hash of keys as it was', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const before = await openVault(db, here.sources())
    for (let n = 0; n < 25; n++) await here.add(before.vault, `c${n}`, `secret ${n}`)
    const secrets = await here.secrets(before.vault)
    const seen: number[] = []
    const turned = await rotate({ ...here.parts(), onProgress: (_, done) => seen.push(done) })
    expect(turned).toMatchObject({ done: 26, unopened: [], left: 0, resumed: false, source: 'file vault.keys' })
    expect(seen.at(-1)).toBe(26)
    expect(await keysInUse(db)).toEqual([turned.id])
    expect(here.records).toEqual([`rotate ${turned.id}`])
    const after = await openVault(db, here.sources())
    expect(after.vault.keyIds).toEqual([turned.id, before.vault.keyIds[0]])
    expect(await here.secrets(after.vault)).toEqual(secrets)
    expect(after.vault.hash('key')).toEqual(before.vault.hash('key'))
    expect(after.vault.verify('text', before.vault.sign('text', 'cursor'), 'cursor')).toBe(true)
    // A holder of the earlier ring alone can open nothing any more.
    await expect(here.secrets(before.vault)).rejects.toThrow('which is not there')
    await before.reload()
    expect(await here.secrets(before.vault)).toEqual(secrets)
  })

  test('made again gives a third key; without a change in between nothing is sealed twice', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault } = await openVault(db, here.sources())
    await here.add(vault, 'one', 'secret')
    const second = await rotate(here.parts())
    const opened = await openVault(db, here.sources())
    expect(await resealAll({ db, vault: opened.vault })).toEqual({ done: 0, unopened: [], left: 0 })
    const third = await rotate(here.parts())
    expect(third.id).not.toBe(second.id)
    const { vault: last } = await openVault(db, here.sources())
    expect(await here.secrets(last)).toEqual({ one: 'secret' })
    expect(last.keyIds).toHaveLength(3)
  })

  test('that two people begin at once loses no key and no value', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault } = await openVault(db, here.sources())
    for (let n = 0; n < 10; n++) await here.add(vault, `c${n}`, `secret ${n}`)
    await Promise.all([rotate(here.parts()), rotate(here.parts())])
    const after = await openVault(db, here.sources())
    expect(await here.secrets(after.vault)).toEqual(
      Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`c${n}`, `secret ${n}`])),
    )
  })

  test('loses nothing that is written meanwhile, and no value comes back that was replaced', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const opened = await openVault(db, here.sources())
    for (let n = 0; n < 40; n++) await here.add(opened.vault, `c${n}`, 'first')
    const rows = await here.rows()
    let written = 0
    const write = async () => {
      for (const { id, alias } of rows.toReversed()) {
        await here.change(opened.vault, id, alias, `second ${alias}`)
        written++
      }
    }
    const parts = here.parts()
    const settle = async () => void (await opened.reload())
    const [turned] = await Promise.all([rotate({ ...parts, settle }), write()])
    expect(written).toBe(40)
    expect(turned.unopened).toEqual([])
    const after = await openVault(db, here.sources())
    expect(await here.secrets(after.vault)).toEqual(
      Object.fromEntries(rows.map(({ alias }) => [alias, `second ${alias}`])),
    )
  })

  test('passes over what somebody holds locked, and comes back for it', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault, reload } = await openVault(db, here.sources())
    for (const alias of ['one', 'two']) await here.add(vault, alias, 'first')
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const writer = db.organization(here.organization.id, async (sql) => {
      const [one] = await listConnections(sql)
      if (one === undefined) throw new Error('there is no connection')
      await sql(
        Nothing,
      )`update connections set sealed = ${vault.seal('second', connectionSealContext(one.id))} where id = ${one.id}`
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const turned = rotate({ ...here.parts(), onProgress: () => held.resolve() })
    await writer
    expect(await turned).toMatchObject({ unopened: [], left: 0 })
    await reload()
    expect(await here.secrets(vault)).toEqual({ one: 'second', two: 'first' })
    expect(await keysInUse(db)).toEqual([vault.keyIds[0]])
  })

  test('leaves and names what opens with no key, and does everything else', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault } = await openVault(db, here.sources())
    const [one, two] = [await here.add(vault, 'one', 'first'), await here.add(vault, 'two', 'second')]
    // Two rows swapped by somebody with access to the database alone.
    await db.system(
      (sql) => sql(Nothing)`
      update connections as c set sealed = o.sealed from connections as o where c.id = ${one} and o.id = ${two}`,
    )
    const turned = await rotate(here.parts())
    expect(turned.unopened).toEqual([`connections.sealed ${one}`])
    // It does not stand in the way of the next one.
    const next = await rotate(here.parts())
    expect(next).toMatchObject({ resumed: false, unopened: [`connections.sealed ${one}`] })
    expect(next.id).not.toBe(turned.id)
  })

  test('goes to a key that its owner put before the one that seals, and says what to set where it may not write', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db, {})
    const { vault } = await openVault(db, here.sources({ MCP_ENCRYPTION_KEY: A }))
    await here.add(vault, 'one', 'secret')
    await expect(rotate(here.parts({ MCP_ENCRYPTION_KEY: A }))).rejects.toThrow(NoPlaceForKey)
    const given = { MCP_ENCRYPTION_KEY: B, MCP_ENCRYPTION_KEY_PREVIOUS: [A] }
    const turned = await rotate(here.parts(given))
    expect(turned).toMatchObject({ source: 'MCP_ENCRYPTION_KEY', done: 2 })
    const after = await openVault(db, here.sources(given))
    expect(await here.secrets(after.vault)).toEqual({ one: 'secret' })
    // The old one may go from the environment now, whether it was retired or not.
    const alone = await openVault(db, here.sources({ MCP_ENCRYPTION_KEY: B }))
    expect(await here.secrets(alone.vault)).toEqual({ one: 'secret' })
    await expect(openVault(db, here.sources({ MCP_ENCRYPTION_KEY: C }))).rejects.toThrow('a different vault key')
    expect(await readdir(here.path)).toEqual([])
  })

  test('is given up before anything is sealed where a gateway has not got the key', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault } = await openVault(db, here.sources())
    await here.add(vault, 'one', 'secret')
    const settle = () => Promise.reject(new Error('the gateway of box has not got it'))
    await expect(rotate({ ...here.parts(), settle })).rejects.toThrow('has not got it')
    const after = await openVault(db, here.sources())
    expect(after.vault.fingerprint).toBe(vault.fingerprint)
    expect(await keysInUse(db)).toEqual([vault.keyIds[0]])
    // The next run takes the key that was made.
    const turned = await rotate(here.parts())
    expect(after.vault.keyIds).toContain(turned.id)
  })
})

describeEachPostgres('a key', (createDatabase) => {
  test('is dropped only when nothing is sealed with it', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault } = await openVault(db, here.sources())
    await here.add(vault, 'one', 'secret')
    const [old = ''] = vault.keyIds
    await expect(retire(here.parts(), old)).rejects.toThrow('is used for encryption')
    const settle = async () => {}
    const turned = await rotate({ ...here.parts(), settle })
    // A gateway that did not hear of it writes with the old key once more.
    await here.add(vault, 'late', 'secret too')
    const failing = retire(here.parts(), old)
    await expect(failing).rejects.toThrow(KeyStays)
    await expect(failing).rejects.toThrow(`1 value is still encrypted with the vault key ${old} (connections.sealed)`)
    expect(await rotate(here.parts())).toMatchObject({ resumed: true, done: 1, id: turned.id })
    expect(await retire(here.parts(), old)).toEqual([])
    expect(await readdir(here.path)).toEqual(['vault.keys'])
    const after = await openVault(db, here.sources())
    expect(after.vault.keyIds).toEqual([turned.id])
    expect(await here.secrets(after.vault)).toEqual({ late: 'secret too', one: 'secret' })
    await expect(retire(here.parts(), old)).rejects.toThrow('has no vault key')
    expect(here.records).toEqual([`rotate ${turned.id}`, `retire ${old}`])
  })

  test('that was forgotten and not yet removed is removed the next time', async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await installation(db)
    const { vault } = await openVault(db, here.sources())
    await rotate(here.parts())
    const [old = ''] = vault.keyIds
    await retire(here.parts(), old)
    await writeFile(join(here.path, 'vault.key'), A)
    expect(await retire(here.parts(), old)).toEqual([])
    expect(await readdir(here.path)).toEqual(['vault.keys'])
  })
})
