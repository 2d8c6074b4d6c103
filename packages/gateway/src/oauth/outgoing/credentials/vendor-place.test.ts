/** Accounts that were connected before the authorization server followed the address of a connection. */
import { authorityAt, authorityOf } from '@toolway/contract'
import { expect, test } from 'vitest'
import { startCredentialHouse } from '../../../testing/credential-house.ts'
import { describeEachPostgres } from '../../../testing/database.ts'

const HOUR = 3_600_000
const URL = 'https://ghe.example.com/api/v3'
const oauth = { kind: 'oauth', provider: 'github' } as const

describeEachPostgres('a vendor’s account', (createDatabase) => {
  test('of the cloud serves no server that somebody runs, and is neither renewed nor used there', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: oauth, url: URL })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared', { authority: authorityOf('github') })
    const open = async () => Promise.resolve(gateway.callCredentials.open(house.asking()))
    await expect(open()).rejects.toMatchObject({ code: 'credential.needed' })
    await house.age(HOUR)
    await gateway.renewals.look()
    expect(house.authority.refreshes()).toBe(0)
    expect(await house.rows()).toMatchObject([{ problem: expect.stringContaining('another authorization server') }])

    await house.connect(gateway, 'own', { authority: authorityAt('github', URL) })
    expect(await open()).toMatchObject({ headers: { authorization: expect.stringMatching(/^Bearer access-own/) } })
  })

  test('is taken from one directory of Microsoft’s to no other', async () => {
    await using database = await createDatabase()
    const tenant = 'contoso.com'
    const url = 'https://graph.microsoft.com'
    await using house = await startCredentialHouse(database, {
      auth: { kind: 'oauth', provider: 'outlook', tenant },
      url,
    })
    const gateway = await house.gateway()
    for (const other of [undefined, 'fabrikam.com'])
      await house.connect(gateway, 'other', { authority: authorityOf('outlook', { tenant: other }) })
    const open = async () => Promise.resolve(gateway.callCredentials.open(house.asking()))
    await expect(open()).rejects.toMatchObject({ code: 'credential.needed' })
    await house.connect(gateway, 'own', { authority: authorityOf('outlook', { tenant }) })
    expect(await open()).toMatchObject({ headers: { authorization: expect.stringMatching(/^Bearer access-own/) } })
  })
})
