import { Fault } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listLostAccounts } from '../../../credentials/account-states.ts'
import { startCredentialHouse } from '../../../testing/credential-house.ts'
import { describeEachPostgres } from '../../../testing/database.ts'
import { DAMAGED } from './credential-memory.ts'

const Nothing = z.object({})
const caught = async (work: () => unknown): Promise<Fault> => {
  try {
    await work()
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

describeEachPostgres('an account whose stored secret is damaged', (createDatabase) => {
  test('has to be reconnected, is shown as that, and takes no other account of its person with it', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth', accounts: 'many' } })
    const gateway = await house.gateway()
    const ada = await house.person('ada')
    for (const account of ['default', 'work', 'home'])
      await house.connect(gateway, account, { userId: ada.userId, account })
    await house.db.system(
      (sql) => sql(Nothing)`
        update credentials set sealed_access_token = other.sealed_access_token
          from credentials other where credentials.account = 'work' and other.account = 'home'`,
    )
    const later = await house.gateway()
    const open = (account?: string) => later.callCredentials.open(house.asking({ principal: ada, account }))
    const refused = await caught(() => open('work'))
    expect(refused).toMatchObject({ code: 'credential.needed', row: { word: 'NEEDS_AUTH' } })
    expect(refused.facts['link']).toContain(`/connect/${ada.id}`)
    expect(await open('home')).toMatchObject({ account: 'home' })
    expect(await open()).toMatchObject({ account: 'default' })
    await expect
      .poll(async () => (await house.rows()).map(({ account, problem }) => [account, problem]))
      .toEqual([
        ['default', null],
        ['work', DAMAGED],
        ['home', null],
      ])
    expect((await house.alerts()).map(({ kind }) => kind)).toEqual(['credential.lost'])
    // The doctor lists these.
    expect(await house.db.organization(house.organization.id, listLostAccounts)).toEqual([
      { connection_id: house.connectionId, account: 'work', problem: DAMAGED },
    ])
    await house.connect(later, 'work', { userId: ada.userId, account: 'work' })
    expect(await open('work')).toMatchObject({ account: 'work' })
  })

  test('has to be reconnected when it is its refresh token that is damaged', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    await house.db.system((sql) => sql(Nothing)`update credentials set sealed_refresh_token = sealed_access_token`)
    await house.age(3_600_000)
    const refused = await caught(() => gateway.callCredentials.open(house.asking()))
    expect(refused.code).toBe('credential.needed')
    expect((await house.rows())[0]?.problem).toBe(DAMAGED)
    expect(house.authority.refreshes()).toBe(0)
  })
})
