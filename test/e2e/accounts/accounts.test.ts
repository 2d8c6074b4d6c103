/** Accounts over the admin interface: who sees and ends which, and that a credential goes nowhere but where it was made for. */
import { newId, type ConnectionId, type OrganizationId, type Role, type UserId } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { putCredential } from '../../../packages/gateway/src/credentials/credentials.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { accessTokenSealContext, refreshTokenSealContext } from '../../../packages/gateway/src/vault/sealed-columns.ts'

const vault = createTestVault()
const Nothing = z.object({})
const keyOf = (word: string) => `uru_${Buffer.from(word.padEnd(32, '.')).toString('hex')}`
const URL_ = 'http://127.0.0.1:9/mcp'

let gateway: TestGateway
let ada: UserId
let bob: UserId
beforeAll(async () => {
  gateway = await startTestGateway()
  const { id } = gateway.organization
  const [one, other] = [
    await addPerson(gateway.db, { email: 'ada@example.com', roles: [[id, 'tenant_member']] }),
    await addPerson(gateway.db, { email: 'bob@example.com', roles: [[id, 'tenant_member']] }),
  ]
  ada = one.id
  bob = other.id
  await addKey('admin', 'platform_admin', null, null)
  await addKey('ada', 'tenant_member', id, ada)
  await addKey('bob', 'tenant_member', id, bob)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const addKey = (word: string, role: Role, organizationId: OrganizationId | null, userId: UserId | null) =>
  gateway.db.system(
    (sql) => sql(Nothing)`
    insert into keys (id, organization_id, user_id, name, hint, hash, origin, role)
    values (${newId('key')}, ${organizationId}, ${userId}, ${word}, 'hint', ${vault.hash(keyOf(word))}, 'test', ${role})`,
  )

async function ask(word: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${gateway.address}/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${keyOf(word)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, answer: text === '' ? undefined : (JSON.parse(text) as Answer) }
}
interface Answer {
  readonly id: string
  readonly total: number
  readonly items: readonly { id: string; account: string; user_id: string | null; is_default: boolean }[]
  readonly problems: readonly string[]
  readonly callers: readonly unknown[]
  readonly accounts: readonly unknown[]
}

let serial = 0
async function addConnection(auth: object): Promise<string> {
  const alias = `web-${++serial}`
  const made = await ask('admin', 'POST', 'admin/tenants/default/connectors', {
    alias,
    connector: 'mcp.http',
    url: URL_,
    private: true,
    auth,
  })
  expect(made.status, made.text).toBe(201)
  return made.answer!.id
}
const at = (connection: string, more = '') => `admin/tenants/default/connectors/${connection}/accounts${more}`

/** As an account that a person has connected. */
const plant = (connection: string, userId: UserId | undefined, account?: string) =>
  gateway.db.organization(gateway.organization.id, (sql) =>
    putCredential(sql, {
      organizationId: gateway.organization.id,
      provider: 'mcp',
      connectionId: connection as ConnectionId,
      userId,
      account,
      server: URL_,
      left: 3600,
      seal: (id) => ({
        access: vault.seal('s3cret-access', accessTokenSealContext(id)),
        refresh: vault.seal('s3cret-refresh', refreshTokenSealContext(id)),
      }),
    }),
  )
const left = (connection: string) =>
  gateway.db.system(
    (sql) => sql(z.object({ id: z.string() }))`select id from credentials where connection_id = ${connection}`,
  )

describe('accounts of a connection', () => {
  test('are seen and changed by whose they are; shared ones by who administers; no token is in any answer', async () => {
    const connection = await addConnection({ accounts: 'many' })
    await plant(connection, undefined)
    await plant(connection, ada, 'work')
    await plant(connection, ada, 'home')
    await plant(connection, bob)
    const all = await ask('admin', 'GET', at(connection))
    expect(all.answer?.total).toBe(4)
    const own = await ask('ada', 'GET', at(connection))
    expect(own.answer?.items.map(({ user_id, account }) => [user_id, account])).toEqual([
      [null, 'default'],
      [ada, 'home'],
      [ada, 'work'],
    ])
    expect(all.text + own.text).not.toMatch(/s3cret|sealed/)
    const [shared, home, work] = own.answer!.items
    const bobs = all.answer!.items.find(({ user_id }) => user_id === bob)!
    expect((await ask('ada', 'PATCH', at(connection, `/${home!.id}`), { is_default: true })).status).toBe(200)
    expect((await ask('ada', 'PATCH', at(connection, `/${home!.id}`), { account: 'work' })).status).toBe(409)
    expect((await ask('ada', 'PATCH', at(connection, `/${work!.id}`), { account: 'club' })).status).toBe(200)
    expect((await ask('ada', 'GET', at(connection))).answer?.items).toMatchObject([
      { account: 'default', is_default: true },
      { account: 'club', is_default: false },
      { account: 'home', is_default: true },
    ])
    // A shared account is visible but not hers; another member's account is not visible.
    expect((await ask('ada', 'DELETE', at(connection, `/${shared!.id}`))).status).toBe(403)
    expect((await ask('ada', 'DELETE', at(connection, `/${bobs.id}`))).status).toBe(404)
    expect((await ask('ada', 'DELETE', at(connection, `/${home!.id}`))).status).toBe(200)
    expect((await ask('admin', 'DELETE', at(connection, `/${bobs.id}`))).status).toBe(200)
    expect((await ask('admin', 'GET', at(connection))).answer?.total).toBe(2)
  })

  test('are keys where the connection takes keys: given by a member for itself, by an administrator for all', async () => {
    const [keyed, plain] = [await addConnection({ kind: 'key' }), await addConnection({})]
    const given = await ask('ada', 'POST', at(keyed), { key: 's3cret-key' })
    expect(given.status, given.text).toBe(201)
    expect(given.text).not.toContain('s3cret')
    expect((await ask('ada', 'POST', at(keyed), { key: 's3cret-key', owner: 'organization' })).status).toBe(403)
    expect((await ask('admin', 'POST', at(keyed), { key: 's3cret-key', owner: 'organization' })).status).toBe(201)
    expect((await ask('ada', 'POST', at(plain), { key: 's3cret-key' })).status).toBe(422)
    expect((await ask('ada', 'GET', at(keyed))).answer?.total).toBe(2)
    const records = await gateway.db.system(
      (sql) => sql(z.object({ text: z.string() }))`
        select r::text as text from records r where method like 'credential.%'`,
    )
    expect(records.length).toBeGreaterThan(0)
    expect(JSON.stringify(records)).not.toContain('s3cret')
  })

  test('are not replaced unasked: a second key has a name of its own, or the question is put, for each member apart', async () => {
    const many = await addConnection({ kind: 'key', header: 'x-api-key', prefix: '', accounts: 'many' })
    const one = await addConnection({ kind: 'key', header: 'x-api-key', prefix: '' })
    for (const word of ['ada', 'bob']) {
      expect((await ask(word, 'POST', at(many), { key: `${word}-1` })).answer).toMatchObject({ account: 'default' })
      expect((await ask(word, 'POST', at(many), { key: `${word}-2` })).answer).toMatchObject({ account: 'account-2' })
      expect((await ask(word, 'POST', at(many), { key: 'x', account: 'account-2' })).status).toBe(409)
    }
    const first = (await ask('ada', 'POST', at(one), { key: 'ada-1' })).answer!
    const again = await ask('ada', 'POST', at(one), { key: 'ada-2' })
    expect(again).toMatchObject({ status: 409, answer: { code: 'account.connected' } })
    // Bob cannot let anybody replace what is Ada's: it is no account of his, so his own is added.
    const own = (await ask('bob', 'POST', at(one), { key: 'bob-1', replaces: first.id })).answer!
    expect(own.id).not.toBe(first.id)
    const replaced = await ask('ada', 'POST', at(one), { key: 'ada-2', replaces: first.id })
    expect(replaced).toMatchObject({ status: 201, answer: { id: first.id } })
    expect((await ask('ada', 'GET', at(one))).answer).toMatchObject({ total: 1 })
  })

  test('tell an administrator who relies on them', async () => {
    const connection = await addConnection({})
    await plant(connection, ada)
    expect((await ask('ada', 'GET', at(connection, '/reliance'))).status).toBe(403)
    expect((await ask('admin', 'GET', at(connection, '/reliance'))).answer).toMatchObject({
      callers: [],
      accounts: [{ user_id: ada, state: 'good' }],
    })
  })

  test('end in the same step as the address, the provider or the way in changes, and with the connection', async () => {
    const change = async (body: object): Promise<number> => {
      const connection = await addConnection({})
      await plant(connection, ada)
      const changed = await ask('admin', 'PUT', `admin/tenants/default/connectors/${connection}`, body)
      expect(changed.status, changed.text).toBe(200)
      return (await left(connection)).length
    }
    expect(await change({ title: 'Another' })).toBe(1)
    expect(await change({ auth: { kind: 'oauth' } })).toBe(1)
    expect(await change({ url: 'http://127.0.0.1:9/elsewhere' })).toBe(0)
    expect(await change({ auth: { kind: 'key' } })).toBe(0)
    expect(await change({ auth: { provider: 'github' } })).toBe(0)
    expect(await change({ headers: { authorization: 'Bearer own' } })).toBe(0)
    const connection = await addConnection({})
    await plant(connection, ada)
    expect((await ask('admin', 'DELETE', `admin/tenants/default/connectors/${connection}`)).status).toBe(204)
    expect(await left(connection)).toEqual([])
  })

  test('end with their member, and of a vendor by its member too', async () => {
    const connection = await addConnection({})
    const { id } = gateway.organization
    const eve = await addPerson(gateway.db, { email: 'eve@example.com', roles: [[id, 'tenant_member']] })
    await addKey('eve', 'tenant_member', id, eve.id)
    await plant(connection, undefined)
    await plant(connection, eve.id)
    // Once the gateway has heard of her.
    await expect.poll(async () => (await ask('eve', 'GET', at(connection))).status).toBe(200)
    expect((await ask('eve', 'DELETE', 'oauth/default/auth/mcp')).status).toBe(403)
    expect((await ask('eve', 'DELETE', `oauth/default/auth/mcp?user=${ada}`)).status).toBe(404)
    expect((await ask('eve', 'DELETE', `oauth/default/auth/mcp?user=${eve.id}`)).status).toBe(204)
    expect(await left(connection)).toHaveLength(1)
    await plant(connection, eve.id)
    expect((await ask('admin', 'DELETE', `admin/tenants/default/members/${eve.id}`)).status).toBe(204)
    expect(await left(connection)).toHaveLength(1)
  })
})
