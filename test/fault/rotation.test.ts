/**
 * Tests that a rotation of the vault's key that is killed at any of its steps loses nothing, and that the next one completes it.
 */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectionSettings } from '@toolway/contract'
import { expect, test } from 'vitest'
import { addConnection, listConnections } from '../../packages/gateway/src/connections/connections.ts'
import type { Db } from '../../packages/gateway/src/db/db.ts'
import { describeEachPostgres } from '../../packages/gateway/src/testing/database.ts'
import { addTestOrganization } from '../../packages/gateway/src/testing/organization.ts'
import { countSealed } from '../../packages/gateway/src/vault/count-sealed.ts'
import { createKeySources } from '../../packages/gateway/src/vault/key-sources.ts'
import { openVault } from '../../packages/gateway/src/vault/ring.ts'
import { connectionSealContext } from '../../packages/gateway/src/vault/sealed-columns.ts'

const SCRIPT = new URL('rotate.script.ts', import.meta.url).pathname
const settings = ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://example.com/mcp' })
const COUNT = 12

async function rotateInChild(directory: string, connection: object, dieAt: string) {
  const child = spawn(process.execPath, [SCRIPT, directory, JSON.stringify(connection), dieAt], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const steps = (await child.stdout.toArray()).join('').trim().split('\n')
  const [code, signal] = (await ended) as [number | null, string | null]
  return { steps, code, signal }
}

const keysInUse = async (db: Db) => new Set((await db.system(countSealed)).map(({ key }) => key))

/** Every step at which anything durable has changed; the last batch is that of what the vault keeps for itself. */
const STEPS = ['key made', 'key known', 'key seals', 'batch 1', 'batch 2', 'batch 3', 'batch 4']

describeEachPostgres('a rotation that is killed', (createDatabase) => {
  test.each(STEPS)(
    'S2-ENC-04: at "%s" leaves every value readable, and the next one comes to the end',
    async (step) => {
      await using database = await createDatabase()
      const { db, connection } = database
      const directory = await mkdtemp(join(tmpdir(), 'toolway-rotation-'))
      try {
        const keychain = { read: async () => undefined, write: async () => {}, remove: async () => {} }
        const sources = createKeySources({ directory, settings: {}, keychain })
        const organization = await addTestOrganization(db, 'acme')
        const gateway = await openVault(db, sources)
        const hash = gateway.vault.hash('uru_key').toString('hex')
        for (let n = 0; n < COUNT; n++) {
          await db.organization(organization.id, (sql) =>
            addConnection(sql, {
              organizationId: organization.id,
              alias: `c${n}`,
              title: 'c',
              settings,
              enabled: true,
              origin: 'test',
              seal: (id) => gateway.vault.seal(`secret of c${n}`, connectionSealContext(id)),
            }),
          )
        }
        const readAll = async () => {
          await gateway.reload()
          const rows = await db.organization(organization.id, listConnections)
          for (const { id, alias, sealed } of rows)
            expect(gateway.vault.open(sealed ?? Buffer.alloc(0), connectionSealContext(id))).toBe(`secret of ${alias}`)
          expect(rows).toHaveLength(COUNT)
          expect(gateway.vault.hash('uru_key').toString('hex')).toBe(hash)
        }

        const killed = await rotateInChild(directory, connection, step)
        expect(killed.signal).toBe('SIGKILL')
        expect(killed.steps.at(-1)).toBe(step)
        await readAll()

        const again = await rotateInChild(directory, connection, '')
        expect(again).toMatchObject({ code: 0 })
        await readAll()
        expect(await keysInUse(db)).toEqual(new Set([gateway.vault.keyIds[0]]))
        // One key was made in all, whichever run made it.
        const ring = (await readFile(join(directory, 'vault.keys'), 'utf8')).trim().split('\n')
        expect(ring).toHaveLength(step === 'batch 4' ? 2 : 1)
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
  )
})
