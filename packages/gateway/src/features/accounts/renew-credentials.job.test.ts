import { Fault } from '@toolway/contract'
import { expect, test, vi } from 'vitest'
import { startCredentialHouse } from '../../testing/credential-house.ts'
import { describeEachPostgres } from '../../testing/database.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const kinds = (alerts: readonly { kind: string }[]) => alerts.map(({ kind }) => kind)

describeEachPostgres('credentials that nobody uses', (createDatabase) => {
  test('are renewed ten minutes before they run out, by one of two gateways', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateways = [await house.gateway(), await house.gateway()]
    await house.connect(gateways[0]!, 'shared')
    const look = () => Promise.all(gateways.map(({ renewals }) => renewals.look()))
    await house.age(HOUR - 11 * MINUTE)
    await look()
    expect(house.authority.refreshes()).toBe(0)
    await house.age(2 * MINUTE)
    await look()
    await look()
    expect(house.authority.refreshes()).toBe(1)
  })

  test('are renewed once a day, also those that never run out', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared', { tokens: { ...house.authority.give('shared'), expiresAt: undefined } })
    await house.age(DAY - MINUTE)
    await gateway.renewals.look()
    expect(house.authority.refreshes()).toBe(0)
    await house.age(2 * MINUTE)
    await gateway.renewals.look()
    expect(house.authority.refreshes()).toBe(1)
  })

  test('are tried again with growing pauses while their authorization server is away, and stay', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    // A pause is any part of its length; here it is the half.
    using _ = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    house.authority.state.failure = new Fault('authority.unreachable', { connection: 'web', problem: 'HTTP 500' })
    await house.age(HOUR)
    const tries: number[] = []
    const begun = performance.now()
    for (let second = 0; second < 60; second++) {
      const before = house.authority.refreshes()
      await gateway.renewals.look()
      if (house.authority.refreshes() > before) tries.push(second)
      await house.age(1_000)
    }
    // A busy machine takes as long again for the looks themselves.
    const seconds = 60 + (performance.now() - begun) / 1_000
    // 2, 4, 8, 16 … seconds, the half of each.
    expect(tries[0]).toBe(0)
    expect(tries.length).toBeGreaterThan(5)
    expect(2 ** (tries.length - 1) - 1).toBeLessThanOrEqual(seconds)
    expect(await house.rows()).toMatchObject([{ problem: null }])
    expect(await house.alerts()).toEqual([])
  })

  test('and cannot renew themselves are announced a day before their end and an hour before, and then lost', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateways = [await house.gateway(), await house.gateway()]
    const ada = await house.person('ada')
    const tokens = { ...house.authority.give('ada'), refresh: undefined, expiresAt: new Date(Date.now() + 2 * DAY) }
    await house.connect(gateways[0]!, 'ada', { userId: ada.userId, tokens })
    const look = () => Promise.all(gateways.map(({ renewals }) => renewals.look()))
    await look()
    expect(await house.alerts()).toEqual([])
    await house.age(DAY + MINUTE)
    await look()
    await look()
    expect(await house.alerts()).toMatchObject([
      { kind: 'credential.expiring', user_id: ada.id, detail: { account: 'default' } },
    ])
    await house.age(DAY - HOUR)
    await look()
    await look()
    expect(kinds(await house.alerts())).toEqual(['credential.expiring', 'credential.expiring'])
    await house.age(HOUR)
    await look()
    await look()
    expect(kinds(await house.alerts())).toEqual(['credential.expiring', 'credential.expiring', 'credential.lost'])
    expect(await house.rows()).toMatchObject([{ problem: 'it has expired' }])
  })
})
