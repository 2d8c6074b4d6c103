/** OAuth apps and credentials over the admin interface: who may, what is shown, and that no secret ever comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, type Role } from '@toolway/contract'
import { z } from 'zod'
import { putCredential } from '../../../packages/gateway/src/credentials/credentials.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { accessTokenSealContext } from '../../../packages/gateway/src/vault/sealed-columns.ts'

const vault = createTestVault()
const Nothing = z.object({})
const keyOf = (word: string) => `uru_${Buffer.from(word.padEnd(32, '.')).toString('hex')}`
const SECRET = 'a-secret-of-the-client-abcd'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    others: [
      {
        slug: 'other',
        name: undefined,
        connections: [],
        toolsets: [],
        keys: [{ name: 'k', value: keyOf('other'), toolset: undefined }],
      },
    ],
  })
  for (const role of ['tenant_admin', 'tenant_viewer'] as const) await addKey(gateway.organization.id, role)
  await addKey(undefined, 'platform_admin')
})
afterAll(() => gateway[Symbol.asyncDispose]())

const addKey = (organizationId: string | undefined, role: Role) =>
  gateway.db.system(
    (sql) => sql(Nothing)`
    insert into keys (id, organization_id, name, hint, hash, origin, role)
    values (${newId('key')}, ${organizationId ?? null}, ${role}, 'hint', ${vault.hash(keyOf(role))}, 'test', ${role})`,
  )

async function ask(key: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${gateway.address}/api/v1/oauth/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(method === 'GET' ? {} : { body: body === undefined ? '' : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    answer: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>),
  }
}
const ADMIN = keyOf('tenant_admin')

describe('an OAuth app', () => {
  test('S3-OAU-08: is set, changed, listed and removed, and its client secret is in no answer and no record', async () => {
    const words = { provider: 'github', client_id: 'Iv1.client', client_secret: SECRET }
    const answers = [
      await ask(ADMIN, 'POST', 'default/config', words),
      await ask(ADMIN, 'POST', 'default/config', { ...words, client_secret: '••••abcd' }),
      await ask(ADMIN, 'POST', `${gateway.organization.id}/config`, { provider: 'github', client_id: 'Iv1.other' }),
      await ask(ADMIN, 'GET', 'default/config'),
    ]
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(SECRET.slice(0, 12))
      expect(text).toContain('"client_secret_hint":"••••abcd"')
    }
    expect(answers.at(-1)?.answer).toMatchObject({ total: 1, items: [{ provider: 'github', client_id: 'Iv1.other' }] })
    expect((await ask(ADMIN, 'DELETE', 'default/config/github')).status).toBe(204)
    expect((await ask(ADMIN, 'DELETE', 'default/config/github')).status).toBe(404)
    const records = await gateway.db.system(
      (sql) => sql(z.object({ method: z.string(), whole: z.string() }))`
      select method, r::text as whole from records r where resource_type = 'oauth_app' order by at, id`,
    )
    expect(records.map(({ method }) => method)).toEqual([
      'oauth_app.put',
      'oauth_app.put',
      'oauth_app.put',
      'oauth_app.remove',
    ])
    for (const { whole } of records) expect(whole).not.toContain(SECRET.slice(0, 12))
  })

  test('with a placeholder in it counts as not set', async () => {
    const refused = await ask(ADMIN, 'POST', 'default/config', { provider: 'slack', client_id: 'your-client-id' })
    expect(refused).toMatchObject({ status: 422 })
    expect(refused.text).toContain('placeholder')
    const taken = await ask(ADMIN, 'POST', 'default/config', {
      provider: 'slack',
      client_id: '123.456',
      client_secret: 'YOUR_CLIENT_SECRET',
    })
    expect(taken.answer).toMatchObject({ client_secret_hint: null })
  })

  test('S3-DATA-02: is for administrators of its own organization alone, which the path names by its slug', async () => {
    const words = { provider: 'github', client_id: 'Iv1.client' }
    for (const key of [gateway.key, keyOf('tenant_viewer')]) {
      expect((await ask(key, 'GET', 'default/config')).status).toBe(403)
      expect((await ask(key, 'POST', 'default/config', words)).status).toBe(403)
      expect((await ask(key, 'DELETE', 'default/config/slack')).status).toBe(403)
      expect((await ask(key, 'DELETE', 'default/auth/slack')).status).toBe(403)
    }
    expect((await ask(ADMIN, 'GET', 'other/config')).status).toBe(404)
    expect((await ask(keyOf('other'), 'GET', 'default/config')).status).toBe(404)
    expect((await ask(keyOf('platform_admin'), 'GET', 'other/config')).status).toBe(200)
  })
})

describe('a credential', () => {
  test('is listed without its tokens, to members only as far as it is shared, and removed by an administrator', async () => {
    const { db, organization } = gateway
    const user = newId('usr')
    await db.system(async (sql) => {
      await sql(Nothing)`insert into users (id, email, name) values (${user}, 'ada@example.com', 'Ada')`
      await sql(Nothing)`
        insert into members (organization_id, user_id, role) values (${organization.id}, ${user}, 'tenant_member')`
    })
    for (const owner of [{}, { userId: user }]) {
      await db.organization(organization.id, (sql) =>
        putCredential(sql, {
          organizationId: organization.id,
          provider: 'github',
          providerUsername: 'ada',
          seal: (id) => ({ access: vault.seal('gho_token', accessTokenSealContext(id)), refresh: undefined }),
          ...owner,
        }),
      )
    }
    const all = await ask(ADMIN, 'GET', 'default/auth')
    expect(all.answer).toMatchObject({ total: 2, items: [{ renewable: false, is_active: true }, {}] })
    expect(all.text).not.toMatch(/gho_|sealed/)
    expect((await ask(gateway.key, 'GET', 'default/auth')).answer).toMatchObject({
      total: 1,
      items: [{ user_id: null, provider_username: 'ada' }],
    })
    expect((await ask(ADMIN, 'DELETE', 'default/auth/github')).status).toBe(204)
    expect((await ask(ADMIN, 'DELETE', 'default/auth/github')).status).toBe(404)
    expect((await ask(ADMIN, 'DELETE', `default/auth/github?user=${user}`)).status).toBe(204)
    expect((await ask(ADMIN, 'GET', 'default/auth')).answer).toMatchObject({ total: 0 })
    expect((await ask(ADMIN, 'GET', 'default/auth?limit=0')).status).toBe(422)
  })
})
