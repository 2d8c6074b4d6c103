import { ConnectionSettings, Fault } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listConnections, removeConnection } from '../../../connections/connections.ts'
import { MOST_ACCOUNTS } from '../../../credentials/credentials.ts'
import { AUTHORITY, startCredentialHouse } from '../../../testing/credential-house.ts'
import { describeEachPostgres } from '../../../testing/database.ts'
import { accessTokenSealContext, refreshTokenSealContext } from '../../../vault/sealed-columns.ts'

const Nothing = z.object({})
const Text = z.object({ text: z.string() })

describeEachPostgres('a credential that is kept', (createDatabase) => {
  test('is used only at the address that it was made for, and was renewed only where it came from', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database)
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    const used = await gateway.callCredentials.open(house.asking())
    expect(used).toBeDefined()
    // As if another program had written it, past everything that ends credentials with a change.
    await house.db.system(
      (sql) => sql(Nothing)`
        update connections set settings = settings || '{"url":"https://evil.example/"}', updated_at = now()`,
    )
    await gateway.reload()
    expect(await gateway.callCredentials.open(house.asking())).toBeUndefined()
    expect(await gateway.ownCredentials.open(house.organization.id, house.connectionId)).toBeUndefined()
    await house.age(3_600_000)
    await gateway.renewals.look()
    expect(new Set(house.authority.asked.map(({ issuer }) => issuer))).toEqual(new Set([AUTHORITY.issuer]))
  })

  test('S2-DB-03: has its kind, sealed tokens, end and scopes, and goes with its connection', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database)
    const gateway = await house.gateway()
    const id = await house.connect(gateway, 'shared')
    const Kept = z.object({
      kind: z.string(),
      sealed_access_token: z.instanceof(Buffer),
      sealed_refresh_token: z.instanceof(Buffer),
      expires_at: z.date(),
      scopes: z.array(z.string()),
    })
    const read = () =>
      house.db.system(
        (sql) => sql(Kept)`select kind, sealed_access_token, sealed_refresh_token, expires_at, scopes from credentials`,
      )
    const [kept] = await read()
    expect(kept).toMatchObject({ kind: 'oauth', scopes: ['read'] })
    expect(house.vault.open(kept!.sealed_access_token, accessTokenSealContext(id))).toBe('access-shared-1')
    expect(house.vault.open(kept!.sealed_refresh_token, refreshTokenSealContext(id))).toBe('refresh-shared-1')
    expect(kept!.sealed_access_token.includes('access-shared-1')).toBe(false)
    await house.db.organization(house.organization.id, (sql) => removeConnection(sql, 'web'))
    expect(await read()).toEqual([])
  })

  test('is not kept where the connection has another address, provider or owner than the person set out for', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth', owners: ['organization'] } })
    const gateway = await house.gateway()
    const ada = await house.person('ada')
    const stale = { code: 'request.stale' } satisfies Partial<Fault>
    await expect(house.connect(gateway, 'x', { server: 'https://other.example/' })).rejects.toMatchObject(stale)
    await expect(house.connect(gateway, 'x', { server: undefined })).rejects.toMatchObject(stale)
    await expect(house.connect(gateway, 'x', { userId: ada.userId })).rejects.toMatchObject(stale)
    const github = { ...AUTHORITY, provider: 'github' }
    await expect(house.connect(gateway, 'x', { authority: github })).rejects.toMatchObject(stale)
    expect(await house.rows()).toEqual([])
  })

  test('is refused where its owner has as many accounts as one may have, and may still replace one of them', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, {
      auth: { kind: 'oauth', owners: ['organization'], accounts: 'many' },
    })
    const gateway = await house.gateway()
    for (let at = 0; at < MOST_ACCOUNTS; at++) await house.connect(gateway, `token-${at}`, { account: `account-${at}` })
    await expect(house.connect(gateway, 'more', { account: 'more' })).rejects.toMatchObject({
      code: 'account.many',
      message: 'A connection can have at most 50 accounts of one owner.',
    })
    const [{ id } = expect.fail('none is kept')] = await house.rows()
    await house.connect(gateway, 'again', { account: 'account-0', replaces: id })
    expect(await house.rows()).toHaveLength(MOST_ACCOUNTS)
  })

  test('stands nowhere in the database as it is, and neither does the secret of an address that it is bound to', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, {
      url: 'https://mcp.example.com/?api_key=s3cretofaddress0123456789',
    })
    const gateway = await house.gateway()
    const [row] = await house.db.organization(house.organization.id, listConnections)
    const shown = ConnectionSettings.parse(row?.settings)
    await house.connect(gateway, 'shared', { server: shown.connector === 'mcp.http' ? shown.url : '' })
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ account: 'default' })
    const texts = await house.db.system(
      (sql) => sql(Text)`
        select c::text as text from credentials c union all select r::text from records r union all select a::text from alerts a`,
    )
    expect(JSON.stringify(texts)).not.toMatch(/access-shared|refresh-shared|s3cretofaddress/)
    expect(gateway.lines.join('\n')).not.toMatch(/access-shared|refresh-shared|s3cretofaddress/)
  })

  test('S2-QRK-03: is taken back at its authorization server when it ends, and ends also where that does not answer', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database)
    const gateway = await house.gateway()
    await house.connect(gateway, 'one')
    const at = { organizationId: house.organization.id, connectionId: house.connectionId }
    expect(await gateway.keeping.end(at)).toMatchObject({ problems: [] })
    expect(house.authority.asked).toMatchObject([
      { method: 'revoke', token: 'refresh-one-1' },
      { method: 'revoke', token: 'access-one-1' },
    ])
    await house.connect(gateway, 'two')
    house.authority.state.failure = new Fault('authority.unreachable', { connection: 'web', problem: 'HTTP 503' })
    const { ended, problems } = await gateway.keeping.end(at)
    expect(ended).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining('HTTP 503')])
    expect(gateway.lines.filter((line) => line.startsWith('warn')).join()).toContain('did not revoke it')
    expect(await house.rows()).toEqual([])
    expect(await gateway.callCredentials.open(house.asking())).toBeUndefined()
  })

  test("S2-ENC-01: whose sealed tokens were swapped with another member's opens for neither", async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database)
    const gateway = await house.gateway()
    const people = [await house.person('ada'), await house.person('bob')]
    for (const { id, userId } of people) await house.connect(gateway, id, { userId })
    await house.db.system(
      (sql) => sql(Nothing)`
        update credentials one set sealed_access_token = other.sealed_access_token,
               sealed_refresh_token = other.sealed_refresh_token, version = one.version + 1
          from credentials other where other.user_id <> one.user_id`,
    )
    // One that has nothing in memory yet.
    const later = await house.gateway()
    for (const principal of people)
      await expect(async () => later.callCredentials.open(house.asking({ principal }))).rejects.toMatchObject({
        code: 'credential.needed',
      })
    await house.age(3_600_000)
    await later.renewals.look()
    expect(house.authority.asked).toEqual([])
  })

  test("is what the gateway's own asks use: the shared one, else a member's that serves", async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database)
    const gateway = await house.gateway()
    const { open, refused } = gateway.ownCredentials
    const at = [house.organization.id, house.connectionId] as const
    const [ada, bob] = [await house.person('ada'), await house.person('bob')]
    expect(await open(...at)).toBeUndefined()
    await house.connect(gateway, 'ada', { userId: ada.userId })
    await house.age(1_000)
    await house.connect(gateway, 'bob', { userId: bob.userId })
    expect(await open(...at)).toMatchObject({ headers: { authorization: 'Bearer access-bob-2' } })
    await house.connect(gateway, 'shared')
    const used = await open(...at)
    expect(used).toMatchObject({ headers: { authorization: 'Bearer access-shared-3' } })
    await house.age(60_000)
    expect(await refused(...at, used, 'Bearer', 401)).toBe(true)
    expect(await open(...at)).toMatchObject({ headers: { authorization: 'Bearer access-shared-4' } })
    expect(await refused(...at, await open(...at), 'Bearer', 401)).toBe(false)
  })
})
