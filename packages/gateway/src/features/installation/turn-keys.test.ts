import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../../testing/database.ts'
import { createKeySources } from '../../vault/key-sources.ts'
import { createVaultReload } from '../../vault/reload.ts'
import { openVault } from '../../vault/ring.ts'
import { KeyNotEverywhere, retireKey, rotateKeys } from './turn-keys.ts'

const A = 'aa'.repeat(32)
const NO_KEYCHAIN = { read: async () => undefined, write: async () => {}, remove: async () => {} }
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

async function directory() {
  const path = await mkdtemp(join(tmpdir(), 'toolway-turn-'))
  await writeFile(join(path, 'vault.key'), A)
  return {
    path,
    sources: createKeySources({ directory: path, settings: {}, keychain: NO_KEYCHAIN }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

describeEachPostgres('a rotation with two gateways', (createDatabase) => {
  test('waits for both, is given up where one has not got the key, and leaves records', { tags: 'long' }, async () => {
    await using database = await createDatabase()
    const { db } = database
    await using here = await directory()
    await using there = await directory()
    const gateways = [await openVault(db, here.sources), await openVault(db, there.sources)]
    const reloads = gateways.map(({ reload }) => createVaultReload({ db, reload, log: SILENT }))
    const listener = await db.listen('toolway_changed', (notice) => {
      if (notice.kind === 'payload' && notice.payload === '{"table":"vault"}') for (const one of reloads) void one()
    })
    try {
      const before = gateways[0]?.vault.fingerprint
      const alone = rotateKeys({ db, sources: here.sources, settleMs: 6_000 })
      await expect(alone).rejects.toThrow(KeyNotEverywhere)
      await expect(alone).rejects.toThrow(/The gateway of .*process \d+ does not have the new vault key/)
      for (const { vault } of gateways) expect(vault.fingerprint).toBe(before)

      await copyFile(join(here.path, 'vault.keys'), join(there.path, 'vault.keys'))
      const turned = await rotateKeys({ db, sources: here.sources })
      await expect.poll(() => gateways.map(({ vault }) => vault.keyIds[0])).toEqual([turned.id, turned.id])
      const old = gateways[0]?.vault.keyIds[1] ?? ''
      expect(await retireKey({ db, sources: here.sources }, old)).toEqual([])
      await expect.poll(() => gateways.map(({ vault }) => vault.keyIds)).toEqual([[turned.id], [turned.id]])

      const records = await db.system(
        (sql) => sql(z.object({ method: z.string(), id: z.string(), who: z.string(), detail: z.unknown() }))`
        select method, resource_id as id, principal as who, detail from records order by at, id`,
      )
      expect(records).toEqual([
        {
          method: 'vault.rotate',
          id: turned.id,
          who: 'command line',
          detail: { from: old, source: 'file vault.keys' },
        },
        { method: 'vault.retire', id: old, who: 'command line', detail: {} },
      ])
    } finally {
      await listener.close()
    }
  })
})
