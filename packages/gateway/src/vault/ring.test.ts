import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { createKeySources, type KeySettings } from './key-sources.ts'
import { bindRing, openVault, WrongVaultKey } from './ring.ts'
import { createVault } from './vault.ts'

const [A, B] = ['aa'.repeat(32), 'bb'.repeat(32)] as const
const NO_KEYCHAIN = { read: async () => undefined, write: async () => {}, remove: async () => {} }
const bytes = (hex: string) => Buffer.from(hex, 'hex')

async function directory(files: Record<string, string> = {}) {
  const path = await mkdtemp(join(tmpdir(), 'toolway-ring-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return {
    path,
    sources: (settings: KeySettings = {}) => createKeySources({ directory: path, settings, keychain: NO_KEYCHAIN }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

const remembered = async (db: Db) => {
  const [row] = await db.system(
    (sql) => sql(z.object({ value: z.unknown() }))`select value from installation where name = 'vault'`,
  )
  return row?.value
}

describeEachPostgres('the keys of a database', (createDatabase) => {
  test('are bound at the first start, and any other is refused with what mends it', async () => {
    await using database = await createDatabase()
    await using here = await directory()
    await using elsewhere = await directory()
    const { vault } = await openVault(database.db, here.sources())
    expect(await remembered(database.db)).toEqual({
      fingerprint: vault.fingerprint,
      fingerprints: [vault.fingerprint],
    })
    const again = await openVault(database.db, here.sources())
    expect(again.vault.fingerprint).toBe(vault.fingerprint)
    const refused = bindRing(database.db, elsewhere.sources({ MCP_ENCRYPTION_KEY: B }))
    await expect(refused).rejects.toThrow(WrongVaultKey)
    await expect(refused).rejects.toThrow(
      `it needs ${vault.keyIds[0]}; ${createVault(bytes(B)).keyIds[0]} from MCP_ENCRYPTION_KEY`,
    )
    await expect(refused).rejects.toThrow('set MCP_ENCRYPTION_KEY or MCP_ENCRYPTION_KEY_PREVIOUS to what it was')
    await expect(refused).rejects.not.toThrow(B)
    await expect(bindRing(database.db, elsewhere.sources())).rejects.toThrow('none was found')
    expect(await readdir(elsewhere.path)).toEqual([])
  })

  test('are one key for all that start at once', async () => {
    await using database = await createDatabase()
    await using here = await directory()
    const all = await Promise.all(Array.from({ length: 6 }, () => openVault(database.db, here.sources())))
    expect(new Set(all.map(({ vault }) => vault.fingerprint)).size).toBe(1)
    expect(new Set(all.map(({ vault }) => vault.hash('key').toString('hex'))).size).toBe(1)
  })

  test('go on where an earlier version bound one, with the same hashes for keys', async () => {
    await using database = await createDatabase()
    await using here = await directory({ 'vault.key': A })
    const { fingerprint, hash } = createVault(bytes(A))
    await database.db.system(
      (sql) =>
        sql(z.object({}))`insert into installation (name, value) values ('vault', ${JSON.stringify({ fingerprint })})`,
    )
    const { vault } = await openVault(database.db, here.sources())
    expect(vault.hash('uru_key')).toEqual(hash('uru_key'))
    expect(vault.fingerprint).toBe(fingerprint)
  })

  test('stay those of the database when another source comes before them', async () => {
    await using database = await createDatabase()
    await using here = await directory({ 'vault.key': A })
    const before = await openVault(database.db, here.sources())
    const { bound, vault } = await openVault(database.db, here.sources({ MCP_ENCRYPTION_KEY: B }))
    expect(vault.fingerprint).toBe(before.vault.fingerprint)
    expect(bound.unknown.map(({ source }) => source)).toEqual(['MCP_ENCRYPTION_KEY'])
    // A key that the database does not know signs and opens nothing.
    expect(vault.keyIds).toEqual(before.vault.keyIds)
    expect(vault.verify('text', createVault(bytes(B)).sign('text', 'cursor'), 'cursor')).toBe(false)
  })
})
