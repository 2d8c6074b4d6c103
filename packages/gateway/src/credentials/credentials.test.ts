import { ConnectionSettings, newId, type CredentialId, type OAuthAppId, type UserId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addConnection } from '../connections/connections.ts'
import type { Db } from '../db/db.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { accessTokenSealContext, oauthAppSealContext, refreshTokenSealContext } from '../vault/sealed-columns.ts'
import { createVault } from '../vault/vault.ts'
import { listCredentials, putCredential, type CredentialWords } from './credentials.ts'
import { takeCredentials } from './take-credentials.ts'
import { hintOfSecret, listOAuthApps, putOAuthApp, removeOAuthApp } from './oauth-apps.ts'

const vault = createVault(Buffer.alloc(32, 8))
const Text = z.object({ text: z.string() })
const Nothing = z.object({})

async function addMember(db: Db, organizationId: string, name: string): Promise<UserId> {
  const id = newId('usr')
  await db.system(async (sql) => {
    await sql(Nothing)`insert into users (id, email, name) values (${id}, ${`${name}@example.com`}, ${name})`
    await sql(Nothing)`
      insert into members (organization_id, user_id, role) values (${organizationId}, ${id}, 'tenant_member')`
  })
  return id
}

const tokens = (access: string, refresh?: string) => (id: CredentialId) => ({
  access: vault.seal(access, accessTokenSealContext(id)),
  refresh: refresh === undefined ? undefined : vault.seal(refresh, refreshTokenSealContext(id)),
})

async function fixture(database: { db: Db }) {
  const { db } = database
  const acme = await addTestOrganization(db, 'acme')
  const put = async (words: Partial<CredentialWords> = {}) => {
    const done = await db.organization(acme.id, (sql) =>
      putCredential(sql, { organizationId: acme.id, provider: 'github', seal: tokens('access', 'refresh'), ...words }),
    )
    if ('refused' in done) throw new Error(`it was not kept: ${done.refused}`)
    return done.id
  }
  const ALL = { after: undefined, offset: 0, rowLimit: 1_000 }
  const list = async (...[userId]: [] | [UserId | null]) =>
    (await db.organization(acme.id, (sql) => listCredentials(sql, userId, ALL))).rows.map(({ key: _, ...row }) => row)
  return { db, acme, put, list }
}

describeEachPostgres('kept credentials', (createDatabase) => {
  test('S3-SEC-01: hold their tokens and secrets sealed, each for its own field of its own row', async () => {
    await using database = await createDatabase()
    const { db, acme, put, list } = await fixture(database)
    const id = await put({ providerData: { plan: 'team' } })
    const connection = await db.organization(acme.id, (sql) =>
      addConnection(sql, {
        organizationId: acme.id,
        alias: 'web',
        title: 'Web',
        settings: ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://example.com/' }),
        enabled: true,
        origin: 'test',
        seal: (own) => vault.seal('{"headers":{"authorization":"s3cret-header"}}', `connection ${own}`),
      }),
    )
    await db.organization(acme.id, (sql) =>
      putOAuthApp(sql, {
        organizationId: acme.id,
        provider: 'github',
        clientId: 'Iv1.client',
        secret: 's3cret-of-the-client',
        active: true,
        seal: (text, own) => vault.seal(text, oauthAppSealContext(own)),
      }),
    )
    expect(connection).toBeDefined()
    const [row] = await list()
    if (row === undefined) throw new Error('there is none')
    expect(vault.open(row.sealed_access_token, accessTokenSealContext(id))).toBe('access')
    expect(vault.open(row.sealed_refresh_token ?? Buffer.alloc(0), refreshTokenSealContext(id))).toBe('refresh')
    // Neither in the other's place, nor in another row's.
    expect(() => vault.open(row.sealed_access_token, refreshTokenSealContext(id))).toThrow()
    expect(() => vault.open(row.sealed_access_token, accessTokenSealContext(newId('crd')))).toThrow()
    for (let at = 0; at < row.sealed_access_token.length; at++) {
      const flipped = Buffer.from(row.sealed_access_token)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      expect(() => vault.open(flipped, accessTokenSealContext(id))).toThrow()
    }
    for (const table of ['credentials', 'oauth_apps', 'connections']) {
      const select = Object.assign([`select coalesce(string_agg(t::text, ''), '') as text from ${table} t`], {
        raw: [],
      })
      const [whole] = await db.system((sql) => sql(Text)(select))
      expect(whole?.text.length).toBeGreaterThan(0)
      for (const secret of ['access"', 'refresh"', 's3cret'])
        for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(whole?.text).not.toContain(form)
    }
  })

  test('S3-OAU-04: tell who it is at the provider, until when and for what', async () => {
    await using database = await createDatabase()
    const { put, list } = await fixture(database)
    const id = await put({
      providerUserId: '42',
      providerUsername: 'ada',
      tokenType: 'token',
      left: 3600,
      scopes: ['repo', 'read:user'],
      providerData: { plan: 'team' },
    })
    expect(await list()).toMatchObject([
      {
        id,
        provider: 'github',
        connection_id: null,
        user_id: null,
        provider_user_id: '42',
        provider_username: 'ada',
        token_type: 'token',
        expires_at: expect.any(Date),
        scopes: ['repo', 'read:user'],
        provider_data: { plan: 'team' },
        active: true,
      },
    ])
  })

  test('of the same account replace one another, and of another account or owner do not', async () => {
    await using database = await createDatabase()
    const { db, acme, put, list } = await fixture(database)
    const ada = await addMember(db, acme.id, 'ada')
    const first = await put({ providerUserId: '1' })
    expect(await put({ providerUserId: '1', seal: tokens('newer') })).toBe(first)
    await put({ providerUserId: '2' })
    await put({ providerUserId: '1', userId: ada })
    const rows = await list()
    expect(rows).toHaveLength(3)
    const replaced = rows.find(({ id }) => id === first)
    expect(vault.open(replaced?.sealed_access_token ?? Buffer.alloc(0), accessTokenSealContext(first))).toBe('newer')
    expect(replaced?.sealed_refresh_token).toBeNull()
  })

  test('of nobody knows whom are never the same: the second one has a name of its own, and the first keeps its token', async () => {
    await using database = await createDatabase()
    const { db, acme, put, list } = await fixture(database)
    const [ada, bob] = [await addMember(db, acme.id, 'ada'), await addMember(db, acme.id, 'bob')]
    const first = await put({ userId: ada, seal: tokens('of ada') })
    const second = await put({ userId: ada, seal: tokens('of somebody else') })
    await put({ userId: ada, providerUserId: '7' })
    await put({ userId: bob })
    expect(second).not.toBe(first)
    expect((await list()).map(({ user_id: user, account }) => [user, account])).toEqual([
      [ada, 'default'],
      [ada, 'account-2'],
      [ada, 'account-3'],
      [bob, 'default'],
    ])
    const kept = (await list()).find(({ id }) => id === first)
    expect(vault.open(kept?.sealed_access_token ?? Buffer.alloc(0), accessTokenSealContext(first))).toBe('of ada')
  })

  test('take the place of one that works only where they are of the same person, or its owner lets them', async () => {
    await using database = await createDatabase()
    const { db, acme, put, list } = await fixture(database)
    const [ada, bob] = [await addMember(db, acme.id, 'ada'), await addMember(db, acme.id, 'bob')]
    const first = await put({ userId: ada, account: 'work', providerUserId: '1' })
    for (const words of [{ account: 'work' }, { account: 'work', providerUserId: '2' }, { only: true }])
      await expect(put({ userId: ada, ...words })).rejects.toThrow('it was not kept: connected')
    // Nobody lets anybody replace what is another member's.
    await put({ userId: bob, replaces: first })
    expect(await list()).toHaveLength(2)
    expect(await put({ userId: ada, only: true, providerUserId: '1' })).toBe(first)
    expect(await put({ userId: ada, only: true, replaces: first, seal: tokens('let') })).toBe(first)
    await db.organization(
      acme.id,
      (sql) => sql(Nothing)`update credentials set problem = 'expired' where id = ${first}`,
    )
    expect(await put({ userId: ada, account: 'work' })).toBe(first)
    expect(await list()).toHaveLength(2)
  })

  test('of sign-ins that end at once are all kept', async () => {
    await using database = await createDatabase()
    const { put, list } = await fixture(database)
    await Promise.all(Array.from({ length: 5 }, () => put()))
    expect((await list()).map(({ account }) => account).toSorted()).toEqual([
      ...['account-2', 'account-3', 'account-4', 'account-5', 'default'],
    ])
    expect((await list()).filter(({ is_default: isDefault }) => isDefault)).toHaveLength(1)
  })

  test('of one member are nothing to another, and go with the member', async () => {
    await using database = await createDatabase()
    const { db, acme, put, list } = await fixture(database)
    const [ada, bob] = [await addMember(db, acme.id, 'ada'), await addMember(db, acme.id, 'bob')]
    await put()
    await put({ userId: ada })
    await put({ userId: bob })
    expect((await list(ada)).map(({ user_id: user }) => user)).toEqual([null, ada])
    expect((await list(null)).map(({ user_id: user }) => user)).toEqual([null])
    expect(
      await db.organization(acme.id, (sql) => takeCredentials(sql, { provider: 'github', userId: bob })),
    ).toHaveLength(1)
    expect(await db.organization(acme.id, (sql) => takeCredentials(sql, { provider: 'github', userId: bob }))).toEqual(
      [],
    )
    await db.system((sql) => sql(Nothing)`delete from members where user_id = ${ada}`)
    expect((await list()).map(({ user_id: user }) => user)).toEqual([null])
  })

  test('cannot be planted on a member or a connection of another organization', async () => {
    await using database = await createDatabase()
    const { db, put } = await fixture(database)
    const other = await addTestOrganization(db, 'other')
    const stranger = await addMember(db, other.id, 'stranger')
    await expect(put({ userId: stranger })).rejects.toThrow('foreign key')
    await expect(put({ organizationId: other.id })).rejects.toThrow('row-level security')
  })
})

describeEachPostgres('kept OAuth apps', (createDatabase) => {
  test('are one for each provider; a secret that is not said again stays, and null takes it away', async () => {
    await using database = await createDatabase()
    const { db, acme } = await fixture(database)
    const put = (clientId: string, secret: string | null | undefined) =>
      db.organization(acme.id, (sql) =>
        putOAuthApp(sql, {
          organizationId: acme.id,
          provider: 'github',
          clientId,
          secret,
          active: true,
          seal: (text, id) => vault.seal(text, oauthAppSealContext(id)),
        }),
      )
    const open = (sealed: Buffer | null, id: OAuthAppId) =>
      sealed === null ? null : vault.open(sealed, oauthAppSealContext(id))
    const first = await put('one', 'a-secret-of-some-length')
    expect(first).toMatchObject({ client_id: 'one', hint: '••••ngth' })
    const second = await put('two', undefined)
    expect(second).toMatchObject({ id: first.id, client_id: 'two', hint: '••••ngth' })
    expect(open(second.sealed, second.id)).toBe('a-secret-of-some-length')
    expect(await put('two', null)).toMatchObject({ sealed: null, hint: null })
    const rows = await db.organization(acme.id, listOAuthApps)
    expect(rows).toMatchObject([{ client_id: 'two', sealed: null }])
    expect(await db.organization(acme.id, (sql) => removeOAuthApp(sql, 'github'))).toBe(first.id)
    expect(await db.organization(acme.id, (sql) => removeOAuthApp(sql, 'github'))).toBeUndefined()
  })

  test('show the end of a long secret, and nothing of a short one', () => {
    expect(hintOfSecret('0123456789abcdef')).toBe('••••cdef')
    expect(hintOfSecret('0123456789abcde')).toBe('••••')
  })
})
