import type { ConnectionId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTestDatabase } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { addConnection } from '../../connections/connections.ts'
import { createLookClaims } from './look-claims.ts'

const log = { warn() {} }
const settings = {
  connector: 'mcp.http',
  url: 'https://example.com/mcp',
  private: false,
  revision: 'auto',
  timeout: 30,
  auth: { kind: 'none' },
} as never

async function fixture() {
  const database = await createTestDatabase()
  const { db } = database
  const organization = await addTestOrganization(db, 'claims')
  const id = (await db.organization(organization.id, (sql) =>
    addConnection(sql, {
      organizationId: organization.id,
      alias: 'web',
      title: 'Web',
      settings,
      enabled: true,
      origin: 'test',
      seal: () => undefined,
    }),
  )) as ConnectionId
  const [one, other] = [createLookClaims({ db, log }), createLookClaims({ db, log })]
  const claim = { connectionId: id, version: '1', heardAgo: undefined }
  /** As if so many seconds had gone by. */
  const age = (seconds: number) =>
    db.system(
      (sql) => sql(z.object({ id: z.string() }))`
        update catalog_looks
           set began_at = began_at - make_interval(secs => ${seconds}::float8),
               due_at = due_at - make_interval(secs => ${seconds}::float8),
               leased_until = leased_until - make_interval(secs => ${seconds}::float8)
        returning connection_id as id`,
    )
  const end = async () => {
    await one.close()
    await other.close()
    await database[Symbol.asyncDispose]()
  }
  return { one, other, claim, age, [Symbol.asyncDispose]: end }
}

test('of two gateways that want the same look at the same time one makes it', async () => {
  await using held = await fixture()
  const both = await Promise.all([held.one.claim(held.claim), held.other.claim(held.claim)])
  expect(both.filter(({ granted }) => granted)).toHaveLength(1)
  expect(both.every(({ leased }) => leased)).toBe(true)
})

test('a look is made by nobody until it is due again, and at once where the connection is another version', async () => {
  await using held = await fixture()
  const { one, other, claim } = held
  await one.claim(claim)
  await one.settle({ connectionId: claim.connectionId, wait: 60_000, failures: 0 })
  const early = await other.claim(claim)
  expect({ ...early, wait: early.wait > 0 }).toEqual({ granted: false, leased: false, wait: true, failures: 0 })
  expect(await other.claim({ ...claim, version: '2' })).toMatchObject({ granted: true })
  await other.settle({ connectionId: claim.connectionId, wait: 60_000, failures: 3 })
  await held.age(61)
  expect(await one.claim({ ...claim, version: '2' })).toMatchObject({ granted: true, failures: 3 })
})

test('what was heard before a look began is known by it, and what was heard after it is not', async () => {
  await using held = await fixture()
  const { one, other, claim } = held
  await one.claim(claim)
  await one.settle({ connectionId: claim.connectionId, wait: 60_000, failures: 0 })
  await held.age(10)
  expect(await other.claim({ ...claim, heardAgo: 20_000 })).toMatchObject({ granted: false, leased: false })
  expect(await other.claim({ ...claim, heardAgo: 5_000 })).toMatchObject({ granted: true })
})

test('what a killed gateway had under way is taken over after its lease, what a closed one had at once', async () => {
  await using held = await fixture()
  const { one, other, claim } = held
  await one.claim(claim)
  expect(await other.claim(claim)).toMatchObject({ granted: false, leased: true })
  await held.age(21)
  expect(await other.claim(claim)).toMatchObject({ granted: true })
  await other.close()
  expect(await one.claim(claim)).toMatchObject({ granted: true })
})

test('whether a server is there is asked by one of two gateways within the time', async () => {
  await using held = await fixture()
  const { one, other, claim } = held
  expect(await one.claimCheck(claim.connectionId, 60_000)).toBe(true)
  expect(await other.claimCheck(claim.connectionId, 60_000)).toBe(false)
})
