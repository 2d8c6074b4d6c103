/** Keys over HTTP, of the platform, of organizations and of members: who may make which, and what becomes of them. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { addKey, hintOf, mintKey } from '../../../packages/gateway/src/identity/keys/keys.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { ask } from '../../fault/caller.ts'
import { createAdminClient } from '../peers/people/admin-client.ts'
import { join } from '../peers/people/people.ts'
import { within } from '../../setup/form.ts'

const vault = createTestVault()
const MINE = '/api/v1/auth/my-keys'
const TENANT = '/api/v1/admin/tenants/default/keys'
const OTHER = '/api/v1/admin/tenants/other/keys'

let gateway: TestGateway
let other: { id: string }
let platform: ReturnType<typeof createAdminClient>
let platformKey: string
beforeAll(async () => {
  const none = { name: undefined, connections: [], toolsets: [], keys: [] }
  gateway = await startTestGateway({
    toolsets: [{ slug: 'narrow', title: 'Narrow', settings: { include: ['*'], exclude: [] } }],
    others: [{ ...none, slug: 'other' }],
  })
  const [found] = await gateway.db.system(
    (sql) => sql(z.object({ id: z.string() }))`select id from organizations where slug = 'other'`,
  )
  other = found ?? { id: '' }
  platformKey = mintKey('smcp', 'platform_admin')
  await gateway.db.system((sql) =>
    addKey(sql, {
      organizationId: undefined,
      family: 'smcp',
      role: 'platform_admin',
      name: 'operator',
      hint: hintOf(platformKey),
      hash: vault.hash(platformKey),
      toolset: undefined,
      origin: 'test',
    }),
  )
  platform = createAdminClient(gateway.address, platformKey)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const at = (minutes = 0) => ({ db: gateway.db, address: gateway.address, minutes })
const statusOf = async (key: string, address = gateway.address) =>
  (await ask({ url: `${address}/mcp`, key }, 'tools/list')).status
const Record = z.object({ method: z.string(), principal: z.string(), outcome: z.string(), whole: z.string() })
const records = () =>
  gateway.db.system(
    (sql) => sql(Record)`
      select method, principal, outcome, row_to_json(records)::text as whole from records order by at, id`,
  )

describe('the scopes of keys', () => {
  test.each([
    ['platform_admin', 'platform_admin', 'smcp_pa_'],
    ['tenant_admin', 'tenant_admin', 'smcp_ta_'],
    ['tenant_user', 'tenant_member', 'smcp_tu_'],
    ['tenant_member', 'tenant_member', 'smcp_tu_'],
    ['tenant_viewer', 'tenant_viewer', 'smcp_tv_'],
  ])('S3-RBAC-03: %s is the role %s, and its key begins with %s', async (scope, role, mark) => {
    const tenant = role === 'platform_admin' ? {} : { tenant_id: 'default' }
    const { status, body, headers } = await platform('POST /api/v1/auth/keys', {
      name: `for ${scope}`,
      scope,
      ...tenant,
    })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({ scope: role, family: 'scoped', limit: 'execute' })
    expect(body.key).toMatch(new RegExp(`^${mark}[\\w-]{43}$`))
    expect(Buffer.from(body.key.slice(mark.length), 'base64url')).toHaveLength(32)
    expect(body.key.startsWith(body.prefix)).toBe(true)
    expect(body.prefix).toHaveLength(mark.length + 8)
    expect(await statusOf(body.key)).toBe(200)
  })

  test('have beginnings that tell keys of one scope apart', async () => {
    const { body } = await platform('GET /api/v1/auth/keys?limit=200')
    const prefixes = (body.items as { prefix: string | null }[]).flatMap(({ prefix }) => prefix ?? [])
    expect(prefixes.length).toBeGreaterThan(4)
    expect(new Set(prefixes).size).toBe(prefixes.length)
  })

  test('S3-AUTH-03: of three kinds are looked up by a fast hash, once, and then from memory; removed, they stop at once', async () => {
    await using second = await gateway.another()
    for (const scope of ['platform_admin', 'tenant_admin', 'tenant_user']) {
      const tenant = scope === 'platform_admin' ? {} : { tenant_id: 'default' }
      const { body } = await platform('POST /api/v1/auth/keys', { name: `short ${scope}`, scope, ...tenant })
      for (const address of [gateway.address, second.address]) expect(await statusOf(body.key, address)).toBe(200)
      expect((await platform(`DELETE /api/v1/auth/keys/${body.id}`)).status).toBe(204)
      await expect
        .poll(() => Promise.all([gateway, second].map(({ address }) => statusOf(body.key, address))), {
          interval: 20,
        })
        .toEqual([401, 401])
    }
  })

  test('S3-AUTH-04: a key of an organization needs one, a platform key has none, and each is kept to it', async () => {
    for (const scope of ['tenant_admin', 'tenant_user', 'tenant_viewer'])
      expect(await platform('POST /api/v1/auth/keys', { name: `lost ${scope}`, scope })).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('/tenant_id') },
      })
    const wrong = { name: 'everywhere', scope: 'platform_admin', tenant_id: 'default' }
    expect((await platform('POST /api/v1/auth/keys', wrong)).status).toBe(422)
    expect(
      (await platform('POST /api/v1/auth/keys', { name: 'x', scope: 'tenant_admin', tenant_id: 'nobody' })).status,
    ).toBe(404)
    const names = (await platform('GET /api/v1/auth/keys?limit=200')).body.items.map(
      ({ name }: { name: string }) => name,
    )
    expect(names.filter((name: string) => name.startsWith('lost') || name === 'everywhere')).toEqual([])

    const bound = await platform('POST /api/v1/auth/keys', {
      name: 'bound',
      scope: 'tenant_admin',
      tenant_id: other.id,
    })
    const theirs = createAdminClient(gateway.address, bound.body.key)
    expect((await theirs(`GET ${OTHER}`)).status).toBe(200)
    expect((await theirs(`GET ${TENANT}`)).status).toBe(404)
    expect((await theirs('GET /api/v1/auth/keys')).status).toBe(403)
    expect((await platform(`GET ${TENANT}`)).status).toBe(200)
    expect((await platform(`GET ${OTHER}`)).status).toBe(200)
  })
})

describe('whoever makes a key', () => {
  test('gives it no more than it has: neither role, nor limit, nor time', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString()
    const made = await platform('POST /api/v1/auth/keys', {
      name: 'little admin',
      scope: 'tenant_admin',
      tenant_id: 'default',
      limit: 'write',
      expires_at: soon,
    })
    const little = createAdminClient(gateway.address, made.body.key)
    const wish = { name: 'child', scope: 'tenant_admin', limit: 'write', expires_at: soon }
    for (const more of [{ limit: 'execute' }, { expires_at: undefined }, { expires_at: '2100-01-01T00:00:00Z' }])
      expect((await little(`POST ${TENANT}`, { ...wish, ...more })).body).toMatchObject({
        status: 403,
        detail: expect.stringContaining('A key cannot have more access than the person who creates it'),
      })
    expect((await little(`POST ${TENANT}`, { ...wish, scope: 'platform_admin' })).status).toBe(403)
    expect((await little(`POST ${TENANT}`, wish)).status).toBe(201)
    expect((await little(`POST ${TENANT}`, wish)).status).toBe(409)
  })

  test('must have the permission there, and what it names must exist', async () => {
    const member = createAdminClient(gateway.address, gateway.key)
    expect((await member(`POST ${TENANT}`, { name: 'x' })).status).toBe(403)
    expect((await member(`GET ${TENANT}`)).status).toBe(403)
    expect((await platform(`POST ${TENANT}`, { name: 'x', toolset: 'nope' })).status).toBe(422)
    expect((await platform(`POST ${TENANT}`, { name: 'x', expires_at: '2020-01-01T00:00:00Z' })).status).toBe(422)
    expect((await platform(`POST ${TENANT}`, { name: 'x', scope: 'king' })).status).toBe(422)
    expect((await platform(`POST ${TENANT}`, { name: 'x', surprise: 1 })).status).toBe(422)
    expect((await platform(`DELETE ${TENANT}/key_nobody`)).status).toBe(404)
    const { body } = await platform(`POST ${OTHER}`, { name: 'theirs' })
    expect((await platform(`DELETE ${TENANT}/${body.id}`)).status).toBe(404)
    expect(await statusOf(body.key)).toBe(200)
  })

  test('leaves a record of it, without the key', async () => {
    const { body } = await platform(`POST ${TENANT}`, { name: 'on record', limit: 'read', toolset: 'narrow' })
    await platform(`DELETE ${TENANT}/${body.id}`)
    const all = await records()
    const own = all.filter(({ whole }) => whole.includes(body.id))
    expect(own.map(({ method }) => method)).toEqual(['key.add', 'key.remove'])
    expect(own[0]?.whole).toContain('"limit": "read"')
    for (const { whole } of all) expect(whole).not.toContain(body.key.slice(20))
  })
})

describe('a key that expires', () => {
  test('is refused from then on, though nobody says so', async () => {
    const end = Date.now() + 60_000
    const { body } = await platform(`POST ${TENANT}`, { name: 'brief', expires_at: new Date(end).toISOString() })
    expect(await statusOf(body.key)).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: end })
    try {
      expect(await statusOf(body.key)).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the personal key of a member', () => {
  test('S0-AUT-13: is made with the member, in the organization that it joins', async () => {
    const added = await platform('POST /api/v1/admin/tenants/other/members', {
      email: 'added@example.com',
      role: 'tenant_viewer',
    })
    expect(added.status).toBe(201)
    const Own = z.object({ user_id: z.string(), family: z.string(), organization_id: z.string() })
    const own = () =>
      gateway.db.system(
        (sql) => sql(Own)`
          select user_id, family, organization_id from keys where user_id = (select id from users where email = 'added@example.com')
           order by organization_id = ${other.id} desc`,
      )
    const user = added.body.user_id ?? added.body.member?.user_id
    expect(await own()).toEqual([{ user_id: user, family: 'uru', organization_id: other.id }])
  })

  test('S0-AUT-11: is one for each membership: a second is refused, and a new one takes the place of the old', async () => {
    const { client } = await join('one@example.com', { ...at(), roles: [[gateway.organization.id, 'tenant_member']] })
    const [first, ...more] = (await client(`GET ${MINE}`)).body.items
    expect(more).toEqual([])
    expect(first).toMatchObject({ family: 'uru', tenant_id: gateway.organization.id, limit: 'execute' })
    expect(await client(`POST ${MINE}`, { family: 'uru' })).toMatchObject({ status: 409 })
    const both = await Promise.all([client(`POST ${MINE}/regenerate`), client(`POST ${MINE}/regenerate`)])
    for (const { status } of both) expect([200, 409]).toContain(status)
    const last = (await client(`GET ${MINE}`)).body.items
    expect(last).toHaveLength(1)
    expect(last[0].id).not.toBe(first.id)
    const good = await Promise.all(both.filter(({ status }) => status === 200).map(({ body }) => statusOf(body.key)))
    expect(good.filter((status) => status === 200)).toHaveLength(1)
  })

  test('S0-AUT-14: regenerated, the old one stops at once, in another gateway too, and with it what it has open', async () => {
    const { client } = await join('two@example.com', { ...at(), roles: [[gateway.organization.id, 'tenant_member']] })
    await using second = await gateway.another()
    const { key: old } = (await client(`POST ${MINE}/reveal`)).body
    const url = `${second.address}/mcp`
    expect(await statusOf(old)).toBe(200)
    expect(await statusOf(old, second.address)).toBe(200)
    const stream = ask({ url, key: old }, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    const { body } = await client(`POST ${MINE}/regenerate`)
    await expect.poll(() => statusOf(old, second.address), { timeout: within(1_000), interval: 20 }).toBe(401)
    expect(await statusOf(old)).toBe(401)
    expect((await stream).status).toBe(200)
    expect(await statusOf(body.key, second.address)).toBe(200)
  })

  test('is shown again to a fresh sign-in or for the password, and each time is on record', async () => {
    const roles = [[gateway.organization.id, 'tenant_member']] as const
    const { client, user } = await join('three@example.com', { ...at(6), roles })
    expect((await client(`POST ${MINE}/reveal`)).body).toMatchObject({ status: 403, code: 'login.old' })
    expect((await client(`POST ${MINE}/reveal`, { password: 'not this one' })).body).toMatchObject({
      status: 403,
      code: 'password.wrong',
    })
    const shown = await client(`POST ${MINE}/reveal`, { password: PASSWORD })
    expect(shown).toMatchObject({ status: 200, body: { key: expect.stringMatching(/^uru_[0-9a-f]{64}$/) } })
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(await statusOf(shown.body.key)).toBe(200)
    // Its holder cannot show itself again, nor make others.
    const holder = createAdminClient(gateway.address, shown.body.key)
    for (const [path, body] of [
      [`${MINE}/reveal`, { password: PASSWORD }],
      [`${MINE}/regenerate`],
      [MINE, { name: 'x' }],
    ] as const)
      expect((await holder(`POST ${path as `/${string}`}`, body)).body).toMatchObject({ code: 'login.needed' })
    const fresh = await join('four@example.com', { ...at(4), roles })
    expect((await fresh.client(`POST ${MINE}/reveal`)).status).toBe(200)
    const all = await records()
    const reveals = all.filter(({ method, principal }) => method === 'key.reveal' && principal === user.id)
    expect(reveals.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'ok'])
    for (const { whole } of all) expect(whole).not.toContain(shown.body.key.slice(4))
  })

  test('S0-AUT-10, U-04: is kept as a keyed hash and an AES-256-GCM copy; one changed byte, or another row, and it opens no more', async () => {
    const roles = [[gateway.organization.id, 'tenant_member']] as const
    const one = await join('five@example.com', { ...at(), roles })
    const two = await join('six@example.com', { ...at(), roles })
    const shown = await one.client(`POST ${MINE}/reveal`)
    const text: string = shown.body.key
    const Whole = z.object({ whole: z.string() })
    const rows = await gateway.db.system((sql) => sql(Whole)`select row_to_json(keys)::text as whole from keys`)
    for (const { whole } of rows)
      for (const secret of [text, text.slice(12), Buffer.from(text).toString('hex')])
        expect(whole).not.toContain(secret)
    const Nothing = z.object({})
    const spoil = () =>
      gateway.db.system(
        (sql) => sql(Nothing)`
          update keys set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)
           where user_id = ${one.user.id} and family = 'uru'`,
      )
    await spoil()
    expect((await one.client(`POST ${MINE}/reveal`)).status).toBe(500)
    await spoil()
    expect((await one.client(`POST ${MINE}/reveal`)).body.key).toBe(text)
    await gateway.db.system(
      (sql) => sql(Nothing)`
        update keys set sealed = (select sealed from keys where user_id = ${one.user.id} and family = 'uru')
         where user_id = ${two.user.id} and family = 'uru'`,
    )
    expect((await two.client(`POST ${MINE}/reveal`)).status).toBe(500)
  })
})

describe('scoped keys of a member', () => {
  test('do no more than the member, whatever becomes of it, and go with it', async () => {
    const { client, user } = await join('seven@example.com', {
      ...at(),
      roles: [[gateway.organization.id, 'tenant_admin']],
    })
    const { body } = await client(`POST ${MINE}`, { name: 'admin of mine', scope: 'tenant_admin' })
    const key = createAdminClient(gateway.address, body.key)
    expect((await key(`GET ${TENANT}`)).status).toBe(200)
    const Nothing = z.object({})
    await gateway.db.system((sql) => sql(Nothing)`update members set role = 'tenant_member' where user_id = ${user.id}`)
    await expect.poll(async () => (await key(`GET ${TENANT}`)).status).toBe(403)
    expect((await client(`POST ${MINE}`, { name: 'another', scope: 'tenant_admin' })).body).toMatchObject({
      status: 403,
      code: 'key.beyond',
    })
    await gateway.db.system((sql) => sql(Nothing)`delete from members where user_id = ${user.id}`)
    await expect.poll(() => statusOf(body.key)).toBe(401)
  })

  test('are the member’s own: nobody else sees or removes them, and names are no secret that can be tried', async () => {
    const roles = [[gateway.organization.id, 'tenant_member']] as const
    const [one, two] = [
      await join('eight@example.com', { ...at(), roles }),
      await join('nine@example.com', { ...at(), roles }),
    ]
    const made = await one.client(`POST ${MINE}`, { name: 'laptop', limit: 'read' })
    expect(made.status).toBe(201)
    expect((await one.client(`POST ${MINE}`, { name: 'laptop' })).status).toBe(409)
    expect((await two.client(`POST ${MINE}`, { name: 'laptop' })).status).toBe(201)
    expect((await two.client(`DELETE ${MINE}/${made.body.id}`)).status).toBe(404)
    expect((await one.client(`DELETE ${MINE}/${made.body.id}`)).status).toBe(204)
    await expect.poll(() => statusOf(made.body.key)).toBe(401)
  })

  test('are made in an organization of one’s own, which whoever is in two has to name', async () => {
    const roles = [
      [gateway.organization.id, 'tenant_member'],
      [other.id, 'tenant_viewer'],
    ] as const
    const { client } = await join('ten@example.com', { ...at(), roles })
    expect((await client(`POST ${MINE}`, { name: 'where' })).status).toBe(422)
    expect((await client(`POST ${MINE}`, { name: 'there', organization: 'other' })).body).toMatchObject({
      scope: 'tenant_viewer',
      tenant_id: other.id,
    })
    expect(
      (await client(`POST ${MINE}`, { name: 'above', organization: 'other', scope: 'tenant_member' })).status,
    ).toBe(403)
    expect((await client(`POST ${MINE}`, { name: 'nowhere', organization: 'nobody' })).status).toBe(404)
    const one = await join('eleven@example.com', { ...at(), roles: [[other.id, 'tenant_member']] })
    expect((await one.client(`POST ${MINE}`, { name: 'x', organization: 'default' })).status).toBe(404)
  })
})

describe('when a key was last used', () => {
  test('is noted a while later, and no gateway looks its keys up anew for it', async () => {
    const { body } = await platform(`POST ${TENANT}`, { name: 'noted' })
    const beside = await gateway.another()
    expect(await statusOf(body.key, beside.address)).toBe(200)
    const usedAt = async () =>
      (await platform(`GET ${TENANT}?limit=200`)).body.items.find(({ id }: { id: string }) => id === body.id)
        .last_used_at
    expect(await usedAt()).toBeNull()
    const heard: string[] = []
    const listener = await gateway.db.listen('toolway_changed', (notice) => {
      if (notice.kind === 'payload') heard.push(notice.payload)
    })
    await beside[Symbol.asyncDispose]()
    expect(await usedAt()).toMatch(/^20\d\d-/)
    await pause(100)
    expect(heard.filter((payload) => payload.includes('keys'))).toEqual([])
    await listener.close()
  })
})
