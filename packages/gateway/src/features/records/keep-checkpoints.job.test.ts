import { randomBytes } from 'node:crypto'
import { newId, type OrganizationId } from '@toolway/contract'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { recordChange, type Change } from '../../records/change.ts'
import { fingerprintOf } from '../../records/chain/checkpoints.ts'
import { prune } from '../../records/retention.ts'
import { storeRecords } from '../../records/records.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { testEntry } from '../../testing/record-entry.ts'
import { createVault } from '../../vault/vault.ts'
import { createKeepCheckpoints } from './keep-checkpoints.job.ts'

const TWO_DAYS = 2 * 86_400_000
const Left = z.object({ method: z.string(), removed: z.string().nullable() })
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
const NOWHERE = { keep: async () => {}, find: async () => undefined, list: async () => [] }
const ACTOR = {
  id: 'tester',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: 'c',
} as const

describeEachPostgres('checkpoints', (createDatabase) => {
  test('of a key that is retired stay the beginning of a chain, and those of a stranger never become one', async () => {
    await using database = await createDatabase()
    const { db } = database
    const organization = newId('org') as OrganizationId
    const change: Change = { action: 'key.add', resource: 'key', id: 'key_1' }
    const [first, second, strange] = [randomBytes(32), randomBytes(32), createVault(randomBytes(32))]
    const vault = createVault(first)
    const make = (own: Parameters<typeof createKeepCheckpoints>[0]['vault']) =>
      createKeepCheckpoints({ db, vault: own, kept: NOWHERE, log: SILENT, now: Date.now, minutes: 60, days: undefined })
    const checkpoints = make(vault)
    const add = () => db.system((sql) => recordChange(sql, ACTOR, organization, change))
    const [signer] = vault.signingKeys('record checkpoints')

    await add()
    await checkpoints.sign()
    // Rotated: what is sealed is sealed anew while both keys are there, then the old one goes.
    vault.turn({ roots: [second, first] })
    await add()
    await checkpoints.sign()
    vault.turn({ roots: [second] })
    const signers = await checkpoints.fingerprints()
    expect(signers).toContain(fingerprintOf(signer?.publicKey ?? expect.fail('there is no key')))
    await add()
    await checkpoints.sign()

    const asked = { actor: ACTOR, organization, before: new Date(Date.now() + 60_000) }
    expect(await db.system((sql) => prune(sql, { ...asked, signers }))).toBe(3)

    // A writer to the database can store a checkpoint, but its key is not accepted as one of the gateway's.
    await add()
    await make(strange)
      .sign()
      .catch(() => {})
    expect(await checkpoints.fingerprints()).toEqual(signers)
    await checkpoints.close()
  })

  test('three gateways at once remove what is past its retention once, with one record of it', async () => {
    await using database = await createDatabase()
    const { db } = database
    const organization = newId('org') as OrganizationId
    const vault = createVault(randomBytes(32))
    const make = (days: number | undefined) =>
      createKeepCheckpoints({
        db,
        vault,
        kept: NOWHERE,
        log: SILENT,
        now: Date.now,
        minutes: 60,
        days,
      })
    const timestamp = new Date(Date.now() - TWO_DAYS).toISOString()
    const old = Array.from({ length: 3 }, () => testEntry({ org_id: organization, timestamp }))
    await db.system((sql) => storeRecords(sql, old))
    await make(undefined).sign()
    const gateways = Array.from({ length: 3 }, () => make(1))
    for (const one of gateways) one.begin()
    await Promise.all(gateways.map((one) => one.close()))
    const left = await db.system(
      (sql) => sql(Left)`
        select method, detail ->> 'removed' as removed from records where organization_id = ${organization} order by seq`,
    )
    expect(left).toEqual([{ method: 'record.prune', removed: '3' }])
  })

  test('what is past its retention goes although months ahead cannot be made', { tags: 'long' }, async () => {
    await using database = await createDatabase()
    const { db, connection } = database
    const said: string[] = []
    const tell = (_: unknown, text: string) => void said.push(text)
    const later = Date.now() + 150 * 86_400_000
    const checkpoints = createKeepCheckpoints({
      ...{ db, vault: createVault(randomBytes(32)), kept: NOWHERE, minutes: 60, days: 1 },
      ...{ now: () => later, log: { ...SILENT, info: tell, warn: tell } },
    })
    await db.system((sql) =>
      recordChange(sql, ACTOR, newId('org') as OrganizationId, { action: 'key.add', resource: 'key', id: 'key_1' }),
    )
    const reader = new pg.Client(connection)
    await reader.connect()
    try {
      await reader.query('begin; lock table records_rest in access share mode')
      checkpoints.begin()
      await expect.poll(() => said).toContain('records past their retention were removed')
      expect(said).toContain('partitions for the next months of records could not be created; retrying')
    } finally {
      await reader.end()
      await checkpoints.close()
    }
  })
})
