// @module-tag long
import { Fault } from '@toolway/contract'
import { expect, test, vi } from 'vitest'
import { describeEachPostgres } from '../../../testing/database.ts'
import { z } from 'zod'
import { createStrictAuthority, startCredentialHouse } from '../../../testing/credential-house.ts'
import type { CallCredentials } from '../../../snapshot/ports/credentials.ts'

const NOTHING = z.object({})
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const caught = async (work: () => unknown): Promise<Fault> => {
  try {
    await work()
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

describeEachPostgres('the credential of a call', (createDatabase) => {
  test("is the caller's own before the organization's; without one there is a link for this very person", async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    const open: CallCredentials['open'] = (asking) => gateway.callCredentials.open(asking)
    const [ada, bob] = [await house.person('ada'), await house.person('bob')]
    const nobody = await caught(() => open(house.asking({ principal: ada })))
    expect(nobody).toMatchObject({ code: 'credential.needed', facts: { connection: 'web', minutes: 10 } })
    expect(nobody.facts['link']).toBe(`https://gateway.example/connect/${ada.id}?`)
    await house.connect(gateway, 'shared')
    await house.connect(gateway, 'ada', { userId: ada.userId })
    expect(await open(house.asking({ principal: ada }))).toMatchObject({
      owner: 'member',
      name: 'ada@example.com',
      headers: bearer('access-ada-2'),
    })
    expect(await open(house.asking({ principal: bob }))).toMatchObject({
      owner: 'organization',
      headers: bearer('access-shared-1'),
    })
    // A key of the organization has no person behind it.
    expect(await open(house.asking())).toMatchObject({ owner: 'organization' })
  })

  test('is none where the server wants none, and one that was brought only where the connection takes it', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'auto', brought: true } })
    const gateway = await house.gateway()
    const open: CallCredentials['open'] = (asking) => gateway.callCredentials.open(asking)
    expect(await open(house.asking())).toBeUndefined()
    expect(await open(house.asking({ passThroughToken: 'mine' }))).toMatchObject({
      owner: 'caller',
      headers: bearer('mine'),
    })
    expect(await caught(() => open(house.asking({ passThroughToken: 'a\nb' })))).toMatchObject({ code: 'params.shape' })
    await using other = await createDatabase()
    await using strict = await startCredentialHouse(other, { auth: { kind: 'oauth' } })
    const refusing = await strict.gateway()
    expect(
      await caught(() => refusing.callCredentials.open(strict.asking({ passThroughToken: 'mine' }))),
    ).toMatchObject({
      code: 'credential.brought',
    })
  })

  test('comes from memory after the first time, and is gone there as soon as it is ended anywhere', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const [here, there] = [await house.gateway(), await house.gateway()]
    await house.connect(here, 'shared')
    await there.callCredentials.open(house.asking())
    // Once it has heard of what was connected.
    await expect.poll(() => there.callCredentials.open(house.asking())).not.toBeInstanceOf(Promise)
    const first = there.callCredentials.open(house.asking())
    const { count } = there.queries
    for (let at = 0; at < 100; at++) expect(there.callCredentials.open(house.asking())).toBe(first)
    expect(there.queries.count).toBe(count)
    await here.keeping.end({ organizationId: house.organization.id, connectionId: house.connectionId })
    await expect
      .poll(async () => (await caught(() => there.callCredentials.open(house.asking()))).code)
      .toBe('credential.needed')
  })

  test('is the account that is named, else the default; where nothing says which, nobody guesses', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth', accounts: 'many' } })
    const gateway = await house.gateway()
    const open: CallCredentials['open'] = (asking) => gateway.callCredentials.open(asking)
    const accounts: CallCredentials['accounts'] = (asking) => gateway.callCredentials.accounts(asking)
    const ada = await house.person('ada')
    const own = { userId: ada.userId }
    await house.connect(gateway, 'one', { ...own, account: 'work' })
    await house.connect(gateway, 'two', { ...own, account: 'home' })
    const asking = house.asking({ principal: ada })
    expect(await open(asking)).toMatchObject({ account: 'work' })
    expect(await open({ ...asking, account: 'home' })).toMatchObject({
      account: 'home',
      headers: bearer('access-two-2'),
    })
    expect(accounts(asking)).toEqual(['work', 'home'])
    const unknown = await caught(() => open({ ...asking, account: 'club' }))
    expect(unknown).toMatchObject({ code: 'credential.account', facts: { accounts: 'work, home' } })
    const [work] = await house.rows()
    await house.connect(gateway, 'three', { ...own, account: 'club' })
    const at = { organizationId: house.organization.id, connectionId: house.connectionId }
    await gateway.keeping.end({ ...at, id: work!.id })
    expect(await caught(() => open(asking))).toMatchObject({ code: 'credential.ambiguous' })
  })

  test('of one account is replaced by another only where its owner lets it', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'one')
    const [{ id } = expect.fail('none is kept')] = await house.rows()
    for (const account of [undefined, 'default', 'other'])
      await expect(house.connect(gateway, 'two', { account })).rejects.toMatchObject({ code: 'account.connected' })
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ headers: bearer('access-one-1') })
    await house.connect(gateway, 'two', { account: 'other', replaces: id })
    expect(await house.rows()).toMatchObject([{ account: 'default', version: 2 }])
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ headers: bearer('access-two-5') })
  })

  test('S2-TOK-01: is renewed when less than 60 s are left, and not before', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    const open: CallCredentials['open'] = (asking) => gateway.callCredentials.open(asking)
    await house.age(HOUR - 70_000)
    expect(await open(house.asking())).toMatchObject({ headers: bearer('access-shared-1') })
    expect(house.authority.refreshes()).toBe(0)
    await house.age(15_000)
    expect(await open(house.asking())).toMatchObject({ version: 2, headers: bearer('access-shared-2') })
    expect(await open(house.asking())).toMatchObject({ version: 2 })
    expect(house.authority.refreshes()).toBe(1)
  })

  test('is renewed in time by gateways whose clocks are two minutes off', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateways = [await house.gateway(2 * MINUTE), await house.gateway(-2 * MINUTE)]
    await house.connect(await house.gateway(), 'shared')
    await house.age(HOUR - 70_000)
    for (const gateway of gateways)
      expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version: 1 })
    await house.age(15_000)
    for (const gateway of gateways)
      expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version: 2 })
    await house.age(HOUR - 70_000)
    for (const gateway of gateways)
      expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version: 2 })
    expect(house.authority.refreshes()).toBe(1)
  })

  test('that lives for seconds only is not renewed by every call', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' }, life: 20_000 })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version: 1 })
    await house.age(12_000)
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version: 2 })
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version: 2 })
  })

  test('S2-TOK-02: keeps its refresh token where the answer has none', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    house.authority.state.rotates = false
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    for (const version of [2, 3]) {
      await house.age(HOUR)
      expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ version })
    }
    expect(house.authority.asked.map(({ token }) => token)).toEqual(['refresh-shared-1', 'refresh-shared-1'])
  })

  test('S2-TOK-03: twenty calls on two gateways with an expired one cause one renewal', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    house.authority.state.slow = 100
    const gateways = [await house.gateway(), await house.gateway()]
    await house.connect(gateways[0]!, 'shared')
    await house.age(2 * HOUR)
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => gateways[at % 2]!.callCredentials.open(house.asking())),
    )
    expect(house.authority.refreshes()).toBe(1)
    expect(all.map((one) => one?.headers)).toEqual(all.map(() => bearer('access-shared-2')))
    expect(await house.rows()).toMatchObject([{ version: 2, lease: null, problem: null }])
  })

  test('that cannot be renewed for a moment serves as long as it is good, stays, and is tried again later', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    house.authority.state.failure = new Fault('authority.unreachable', { connection: 'web', problem: 'HTTP 500' })
    await house.age(HOUR - 30_000)
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ headers: bearer('access-shared-1') })
    expect(await gateway.callCredentials.open(house.asking())).toMatchObject({ headers: bearer('access-shared-1') })
    expect(house.authority.refreshes()).toBe(1)
    expect(await house.rows()).toMatchObject([{ problem: null, failures: 1, lease: null }])
    await house.age(90_000)
    // Once it has run out, it is not sent.
    expect(await caught(() => gateway.callCredentials.open(house.asking()))).toMatchObject({
      code: 'authority.unreachable',
    })
    house.authority.state.failure = undefined
    await expect
      .poll(() => Promise.resolve(gateway.callCredentials.open(house.asking())).catch(() => undefined))
      .toMatchObject({ headers: bearer('access-shared-2') })
    expect(await house.alerts()).toEqual([])
  })

  test('S2-TOK-03: that its authorization server gives up is told of once, sent nowhere, and back when a person reconnects', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const [here, there] = [await house.gateway(), await house.gateway()]
    const ada = await house.person('ada')
    await house.connect(here, 'ada', { userId: ada.userId })
    house.authority.state.failure = new Fault('authority.refused', { connection: 'web', problem: 'invalid_grant' })
    await house.age(2 * HOUR)
    const asking = house.asking({ principal: ada })
    const all = await Promise.all(
      [here, there, here, there].map((gateway) => caught(() => gateway.callCredentials.open(asking))),
    )
    expect(new Set(all.map(({ code }) => code))).toEqual(new Set(['credential.needed']))
    expect(house.authority.refreshes()).toBe(1)
    expect(await house.rows()).toMatchObject([{ problem: expect.stringContaining('invalid_grant') as string }])
    expect(await house.alerts()).toMatchObject([
      { kind: 'credential.lost', user_id: ada.id, detail: { account: 'default', owner: 'member' } },
    ])
    expect(await house.status()).toBe('needs_auth')
    house.authority.state.failure = undefined
    await house.connect(here, 'anew', { userId: ada.userId })
    expect(await here.callCredentials.open(asking)).toMatchObject({ headers: bearer('access-anew-2') })
    expect((await house.alerts()).map(({ kind }) => kind)).toEqual(['credential.lost', 'credential.back'])
  })

  test('whose new refresh token is lost before it is stored ends as a whole, and says so', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    // Another gateway asked, and died with the answer: its lease runs out, and the refresh token has been used.
    await house.authority.oauth.refresh({ refreshToken: 'refresh-shared-1', authority: { issuer: '' } } as never, {
      alias: 'web',
      privateOrigins: [],
    })
    await house.age(2 * HOUR)
    expect(await caught(() => gateway.callCredentials.open(house.asking()))).toMatchObject({
      code: 'credential.needed',
    })
    expect((await house.alerts()).map(({ kind }) => kind)).toEqual(['credential.lost'])
  })

  test('whose new tokens cannot be stored at once keeps them, asks nobody again, and stores them then', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    await house.age(2 * HOUR)
    house.authority.state.before = () => {
      gateway.queries.refused = true
      return Promise.resolve()
    }
    const waiting = Promise.resolve(gateway.callCredentials.open(house.asking()))
    await expect.poll(() => gateway.queries.refused && gateway.queries.count).toBeGreaterThan(3)
    gateway.queries.refused = false
    expect(await waiting).toMatchObject({ version: 2, headers: bearer('access-shared-2') })
    expect(house.authority.refreshes()).toBe(1)
  })

  test('whose holder died is renewed by another gateway once the lease is over', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    const lease = (until: string) =>
      house.db.system(
        (sql) => sql(NOTHING)`
        update credentials set lease = 'dead', leased_until = now() + ${until}::interval`,
      )
    await lease('1 minute')
    await house.age(2 * HOUR)
    const waiting = Promise.resolve(gateway.callCredentials.open(house.asking()))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(house.authority.refreshes()).toBe(0)
    await lease('-1 second')
    expect(await waiting).toMatchObject({ version: 2 })
  })

  test('that was ended while it was renewed is not brought back, and its new token is taken back', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    const at = { organizationId: house.organization.id, connectionId: house.connectionId }
    house.authority.state.before = async () => void (await gateway.keeping.end(at))
    await house.age(2 * HOUR)
    expect(await caught(() => gateway.callCredentials.open(house.asking()))).toMatchObject({
      code: 'credential.needed',
    })
    expect(await house.rows()).toEqual([])
    expect(house.authority.asked.filter(({ method }) => method === 'revoke').length).toBeGreaterThan(0)
  })

  test('whose new tokens come after it was ended has them taken back, both of them, and serves nobody', async () => {
    await using database = await createDatabase()
    const strict = createStrictAuthority(Date.now)
    let end = async (): Promise<unknown> => undefined
    const oauth = {
      ...strict.oauth,
      async refresh(...asked: Parameters<typeof strict.oauth.refresh>) {
        const tokens = await strict.oauth.refresh(...asked)
        await end()
        return tokens
      },
    }
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' }, oauth })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared', { tokens: strict.give('shared') })
    end = () => gateway.keeping.end({ organizationId: house.organization.id, connectionId: house.connectionId })
    await house.age(2 * HOUR)
    expect(await caught(() => gateway.callCredentials.open(house.asking()))).toMatchObject({
      code: 'credential.needed',
    })
    expect(await house.rows()).toEqual([])
    const revoked = strict.asked.flatMap(({ method, token }) => (method === 'revoke' ? [token] : []))
    expect(revoked).toEqual(['refresh-shared-1', 'access-shared-1', 'refresh-shared-2', 'access-shared-2'])
  })
})

describeEachPostgres('a credential that the server refuses', (createDatabase) => {
  const CHALLENGE = 'Bearer error="invalid_token"'

  test('is renewed once for all who ask, and whoever used the older one gets the newer', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateways = [await house.gateway(), await house.gateway()]
    await house.connect(gateways[0]!, 'shared')
    await house.age(MINUTE)
    const used = await gateways[0]!.callCredentials.open(house.asking())
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        gateways[at % 2]!.callCredentials.refused(house.asking(), used, CHALLENGE, 401),
      ),
    )
    expect(new Set(all.map(({ headers }) => headers['authorization']))).toEqual(new Set(['Bearer access-shared-2']))
    expect(house.authority.refreshes()).toBe(1)
    expect(await gateways[1]!.callCredentials.refused(house.asking(), used, CHALLENGE, 401)).toMatchObject({
      version: 2,
    })
    expect(house.authority.refreshes()).toBe(1)
  })

  test('right after it was renewed is renewed once more, then to be tried again, and a person is asked only if that lasts', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    const refused = (used: Parameters<typeof gateway.callCredentials.refused>[1]) =>
      gateway.callCredentials.refused(house.asking(), used, CHALLENGE, 401)
    const again = await refused(await gateway.callCredentials.open(house.asking()))
    const soon = await caught(() => refused(again))
    expect([soon.code, soon.row.retry]).toEqual(['credential.busy', true])
    expect(soon.message).toContain('which was renewed just now')
    expect(house.authority.refreshes()).toBe(1)
    expect(await house.rows()).toMatchObject([{ problem: null }])
    // Eleven seconds later it is as before: the next token is refused, too.
    const real = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + 11_000)
    try {
      const next = await refused(again)
      expect(house.authority.refreshes()).toBe(2)
      expect(await caught(() => refused(next))).toMatchObject({ code: 'credential.needed' })
      expect(house.authority.refreshes()).toBe(2)
      expect(await house.rows()).toMatchObject([{ problem: null }])
    } finally {
      clock.mockRestore()
    }
  })

  test('for what it may not do is widened by a person, with what it could before and what is asked for now', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'oauth' } })
    const gateway = await house.gateway()
    await house.connect(gateway, 'shared')
    const { callCredentials } = gateway
    const used = await callCredentials.open(house.asking())
    const challenge = 'Bearer error="insufficient_scope", scope="write admin"'
    const fault = await caught(() => callCredentials.refused(house.asking(), used, challenge, 403))
    expect(fault.facts['link']).toBe('https://gateway.example/connect/shared?read+write+admin')
    expect(house.authority.refreshes()).toBe(0)
    // The existing credential does not satisfy a caller that waits for wider scopes.
    const late = new AbortController()
    const waiting = callCredentials.credentialArrived(house.asking(), late.signal)
    expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))])).toBe('waits')
    await house.connect(gateway, 'wider', { replaces: used?.id })
    expect(await waiting).toBe(true)
    expect(await caught(() => callCredentials.refused(house.asking(), used, undefined, 403))).toMatchObject({
      code: 'upstream.needs-auth',
    })
  })

  test('and cannot renew itself is lost, and asked for anew', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database, { auth: { kind: 'key', header: 'x-api-key', prefix: '' } })
    const gateway = await house.gateway()
    const key = { ...house.authority.give('key'), access: 'k3y', refresh: undefined, expiresAt: undefined }
    const given = { kind: 'key' as const, authority: undefined, client: undefined, server: undefined, tokens: key }
    await house.connect(gateway, 'key', given)
    const used = await gateway.callCredentials.open(house.asking())
    expect(used?.headers).toEqual({ 'x-api-key': 'k3y' })
    const fault = await caught(() => gateway.callCredentials.refused(house.asking(), used, undefined, 401))
    expect(fault).toMatchObject({ code: 'credential.needed' })
    expect((await house.alerts()).map(({ kind }) => kind)).toEqual(['credential.lost'])
    // A newer key that came meanwhile is used instead.
    await house.connect(gateway, 'key', { ...given, tokens: { ...key, access: 'n3w' } })
    expect(await gateway.callCredentials.refused(house.asking(), used, undefined, 401)).toMatchObject({
      headers: { 'x-api-key': 'n3w' },
    })
  })

  test('is asked for where none is known, if a challenge says that there is one', async () => {
    await using database = await createDatabase()
    await using house = await startCredentialHouse(database)
    const gateway = await house.gateway()
    const refused: CallCredentials['refused'] = (...asked) => gateway.callCredentials.refused(...asked)
    const [plain, bound] = [undefined, 'Bearer resource_metadata="https://mcp.example.com/x"']
    expect(await caught(() => refused(house.asking(), undefined, plain, 401))).toMatchObject({
      code: 'upstream.needs-auth',
    })
    expect(await caught(() => refused(house.asking(), undefined, bound, 401))).toMatchObject({
      code: 'credential.needed',
    })
    await house.connect(gateway, 'shared')
    expect(await refused(house.asking(), undefined, bound, 401)).toMatchObject({ headers: bearer('access-shared-1') })
  })
})
