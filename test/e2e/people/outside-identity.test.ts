/** Callers whom others vouch for: one key of the environment, an issuer's tokens, a backend's word, and a trusted key's. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  addMember,
  addMyKey,
  addOrganizationKey,
  listOrganizationKeys,
  putToolset,
  type Operation,
} from '@toolway/contract/admin'
import { OPERATIONS } from '../../../packages/gateway/src/app/operations.ts'
import { mintKey } from '../../../packages/gateway/src/identity/keys/key-forms.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { ask, requestOf } from '../../fault/caller.ts'
import { probeProcess } from '../peers/servers/real-servers.ts'
import { AUDIENCE, startIssuer, type Issuer } from '../peers/people/issuer.ts'
import { tokenOf } from '../peers/people/people.ts'
import { until } from '../peers/until.ts'

const KEY = 'any text of the seed, at least 16'
const TRUSTED = mintKey()
const ORDINARY = mintKey()
const Row = z.object({ id: z.string() })

let issuer: Issuer
let gateway: TestGateway
let outside: AsyncDisposable & { address: string }
let other: string
beforeAll(async () => {
  issuer = await startIssuer()
  const probe = (alias: string) => ({
    alias,
    title: alias,
    enabled: true,
    revision: 'auto' as const,
    timeout: 30,
    wire: probeProcess(alias),
  })
  gateway = await startTestGateway({
    connections: [probe('mine')],
    keys: [
      { name: 'trusted', value: TRUSTED, toolset: undefined, trusted: true },
      { name: 'ordinary', value: ORDINARY, toolset: undefined },
    ],
    others: [{ slug: 'other', name: undefined, connections: [probe('theirs')], toolsets: [], keys: [] }],
  })
  const [found] = await gateway.db.system((sql) => sql(Row)`select id from organizations where slug = 'other'`)
  other = found?.id ?? ''
  outside = await gateway.another({
    MCP_API_KEY: KEY,
    MCP_API_KEY_LIMIT: 'execute',
    TOOLWAY_JWT_ISSUER: issuer.address,
    TOOLWAY_JWT_AUDIENCE: AUDIENCE,
    TOOLWAY_IDENTITY_URL: issuer.identityUrl,
  })
  await until('both list', async () => {
    const lists = await Promise.all([namesFor(KEY), namesFor(await issuer.mint({ sub: 'x', org_id: 'other' }))])
    return lists.every(({ length }) => length > 0)
  })
})
afterAll(async () => {
  await outside[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const at = (key: string | undefined, address = outside.address) => ({ url: `${address}/mcp`, key })
async function namesFor(key: string | undefined, address?: string): Promise<string[]> {
  const { message } = await ask(at(key, address), 'tools/list')
  return ((message.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}
const aliasesFor = async (key: string) => [...new Set((await namesFor(key)).map((name) => name.split('__')[0]))]
const refusalOf = async (key: string | undefined, address?: string) => {
  const { status, message } = await ask(at(key, address), 'tools/list')
  return { status, fault: message.error?.data?.['fault'] }
}
const join = async (email: string, organization: string, role = 'tenant_member') => {
  const user = await addPerson(gateway.db, { email, roles: [[organization as never, role as never]] })
  await until(
    `${email} is known`,
    async () => (await aliasesFor(await issuer.mint({ sub: 'y', email, email_verified: true }))).length > 0,
  )
  return user
}

describe('the key of the environment', () => {
  test('S1-ORG-01: leads to the default organization', async () => {
    expect(await aliasesFor(KEY)).toEqual(['mine'])
    await using elsewhere = await gateway.another({
      MCP_API_KEY: KEY,
      MCP_API_KEY_LIMIT: 'execute',
      DEFAULT_ORG_ID: other,
    })
    expect((await namesFor(KEY, elsewhere.address)).every((name) => name.startsWith('theirs__'))).toBe(true)
    expect((await ask({ url: `${elsewhere.address}/o/default/t/default/mcp`, key: KEY }, 'tools/list')).status).toBe(
      404,
    )
  })

  test('S1-ORG-03: is sent as a Bearer, and only the very text is it', async () => {
    for (const near of [KEY.slice(0, -1), `${KEY}x`, KEY.toUpperCase(), '', ' ', KEY.replace('a', 'b')])
      expect((await refusalOf(near)).status).toBe(401)
    const { headers, body } = requestOf('tools/list', {}, undefined)
    const say = async (authorization: string) =>
      (await fetch(at(undefined).url, { method: 'POST', headers: { ...headers, authorization }, body })).status
    expect(await say(`bearer ${KEY}`)).toBe(200)
    for (const wrong of [KEY, `Basic ${KEY}`, `Token ${KEY}`]) expect(await say(wrong)).toBe(401)
    // A gateway that has none takes none.
    expect((await refusalOf(KEY, gateway.address)).status).toBe(401)
  })

  test('S1-ORG-02: is MCP_API_KEY, for DEFAULT_ORG_ID; without one, or with an empty one, nobody is let in', async () => {
    await using set = await gateway.another({ MCP_API_KEY: KEY, MCP_API_KEY_LIMIT: 'execute', DEFAULT_ORG_ID: 'other' })
    expect((await namesFor(KEY, set.address)).every((name) => name.startsWith('theirs__'))).toBe(true)
    for (const settings of [{}, { MCP_API_KEY: '' }, { MCP_API_KEY: '', DEFAULT_ORG_ID: 'other' }]) {
      await using unset = await gateway.another(settings)
      for (const key of [undefined, '', ' ', 'undefined', 'null', KEY])
        expect((await refusalOf(key, unset.address)).status, JSON.stringify([settings, key])).toBe(401)
    }
  })

  test('that names an organization which does not exist lets nothing start', async () => {
    await expect(gateway.another({ MCP_API_KEY: KEY, DEFAULT_ORG_ID: 'nobody' })).rejects.toThrow('"nobody"')
  })
})

describe('S1-SEC-01: without a key or a token', () => {
  test.each([
    '/mcp',
    '/o/default/t/default/mcp',
    '/api/v1/default/connectors/mine/mcp',
    '/metrics',
    '/api/v1/auth/my-keys',
    '/api/v1/admin/tenants',
  ])('nothing is open: %s', async (path) => {
    const { headers, body } = requestOf('tools/list', {}, undefined)
    const isMcp = path.endsWith('mcp')
    const ask = (authorization: Record<string, string>) =>
      fetch(`${outside.address}${path}`, {
        method: isMcp ? 'POST' : 'GET',
        headers: { ...headers, ...authorization },
        ...(isMcp ? { body } : {}),
      })
    for (const authorization of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer null' }])
      expect((await ask(authorization)).status).toBe(401)
  })
})

describe('a token of an issuer', () => {
  test('S1-ORG-04, S1-EVO-02: is checked by signature, issuer, audience and time', async () => {
    const claims = { sub: 'ann', org_id: 'other' }
    expect(await aliasesFor(await issuer.mint(claims))).toEqual(['theirs'])
    const wrong = {
      'another key': { stranger: true },
      'another audience': { audience: 'somebody else' },
      'another issuer': { issuer: 'https://elsewhere.example' },
      'a time that is over': { expires: '1 minute ago' },
    }
    for (const [why, how] of Object.entries(wrong))
      expect((await refusalOf(await issuer.mint(claims, how))).status, why).toBe(401)
    const good = await issuer.mint(claims)
    const [head = '', body = '', signature = ''] = good.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'eve' })).toString('base64url')
    for (const token of [`${none}.${body}.`, `${none}.${body}.x`, `${head}.${forged}.${signature}`])
      expect((await refusalOf(token)).status).toBe(401)
    // No other gateway accepts them.
    expect((await refusalOf(good, gateway.address)).status).toBe(401)
  })

  test('is no token of a platform administrator, whatever it says, and none of a role that does not exist', async () => {
    const url = `${outside.address}/api/v1/admin/tenants`
    const say = async (role: string) => {
      const token = await issuer.mint({ sub: `r-${role}`, org_id: 'default', role })
      return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
    }
    expect(await say('platform_admin')).toBe(403)
    expect(await say('king')).toBe(401)
  })

  test('of an organization that does not exist, or of a person who has been switched off, is refused', async () => {
    expect(await refusalOf(await issuer.mint({ sub: 'x', org_id: 'nobody' }))).toMatchObject({ status: 401 })
    expect(await refusalOf(await issuer.mint({ sub: 'x' }))).toMatchObject({ status: 401 })
    const user = await join('off@example.com', gateway.organization.id)
    const token = await issuer.mint({ sub: 'x', email: 'off@example.com', email_verified: true, org_id: 'default' })
    expect(await aliasesFor(token)).toEqual(['mine'])
    await gateway.db.system((sql) => sql(Row)`update users set active = false where id = ${user.id} returning id`)
    await expect.poll(async () => (await refusalOf(token)).status).toBe(401)
  })

  test('is refused for now while its issuer is away and its keys are not known', async () => {
    await using late = await gateway.another({
      TOOLWAY_JWT_ISSUER: issuer.address,
      TOOLWAY_JWT_AUDIENCE: AUDIENCE,
    })
    const token = await issuer.mint({ sub: 'x', org_id: 'other' })
    issuer.away = true
    expect(await refusalOf(token, late.address)).toEqual({ status: 503, fault: 'gateway.not-ready' })
    issuer.away = false
    expect((await refusalOf(token, late.address)).status).toBe(200)
  })
})

describe('S1-ORG-06, S1-EVO-02: the organization follows from the user', () => {
  test('by the token’s claim, by the backend’s word, and by membership here: two users, two organizations', async () => {
    await join('ann@example.com', gateway.organization.id)
    await join('bob@example.com', other)
    issuer.people.set('opaque-ann', { user_id: 1, email: 'ann@example.com', org_id: 'default', role: 'member' })
    issuer.people.set('opaque-bob', { user_id: 2, email: null, org_id: other, role: 'member' })
    const pairs = [
      [await issuer.mint({ sub: 'a', org_id: 'default' }), await issuer.mint({ sub: 'b', org_id: other })],
      [
        await issuer.mint({ sub: 'c', email: 'Ann@Example.com', email_verified: true }),
        await issuer.mint({ sub: 'd', email: 'bob@example.com', email_verified: true }),
      ],
      ['opaque-ann', 'opaque-bob'],
    ] as const
    for (const [ann, bob] of pairs) {
      expect(await aliasesFor(ann)).toEqual(['mine'])
      expect(await aliasesFor(bob)).toEqual(['theirs'])
      expect((await ask({ url: `${outside.address}/o/default/t/default/mcp`, key: bob }, 'tools/list')).status).toBe(
        403,
      )
    }
  })

  test('nobody gets into an organization of which they are no member here', async () => {
    await join('cat@example.com', gateway.organization.id)
    const cat = { sub: 'c', email: 'cat@example.com', email_verified: true }
    const token = await issuer.mint({ ...cat, org_id: 'other', role: 'tenant_admin' })
    expect((await refusalOf(token)).status).toBe(404)
  })
})

describe('the address in a token', () => {
  const ADMIN = 'boss@example.com'
  const meOf = async (token: string, address = outside.address) => {
    const response = await fetch(`${address}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, text: await response.text() }
  }
  beforeAll(async () => void (await join(ADMIN, gateway.organization.id, 'tenant_admin')))

  test('is whose it is only where the token says that it is verified, in a boolean or as the text "true"', async () => {
    const claims = { sub: 'attacker-1', email: ADMIN, org_id: 'default' }
    for (const verified of [true, 'true'])
      expect((await meOf(await issuer.mint({ ...claims, email_verified: verified }))).text).toContain(ADMIN)
    for (const verified of [undefined, false, null, 1, 'TRUE', '1', 'yes', 'false', '', [true], { true: true }]) {
      const token = await issuer.mint({ ...claims, ...(verified === undefined ? {} : { email_verified: verified }) })
      expect((await meOf(token)).text, JSON.stringify(verified)).not.toContain(ADMIN)
      // A stranger with the subject's own name, who administers nothing.
      const keys = await fetch(`${outside.address}/api/v1/admin/tenants/default/keys`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(keys.status, JSON.stringify(verified)).toBe(403)
    }
    // Without an organization it is nobody.
    expect((await refusalOf(await issuer.mint({ sub: 'c', email: ADMIN }))).status).toBe(401)
  })

  test('counts without that claim where the issuer verifies each address, unless the token says that it did not', async () => {
    await using entra = await gateway.another({
      TOOLWAY_JWT_ISSUER: issuer.address,
      TOOLWAY_JWT_AUDIENCE: AUDIENCE,
      TOOLWAY_JWT_EMAIL_PROOF: 'issuer',
    })
    const claims = { sub: 'attacker-1', email: ADMIN, org_id: 'default' }
    expect((await meOf(await issuer.mint(claims), entra.address)).text).toContain(ADMIN)
    for (const verified of [false, 'false', 1])
      expect(
        (await meOf(await issuer.mint({ ...claims, email_verified: verified }), entra.address)).text,
      ).not.toContain(ADMIN)
  })

  test('counts in a backend’s answer, unless the backend says that it is not verified', async () => {
    issuer.people.set('opaque-boss', { user_id: 7, email: ADMIN, org_id: 'default', role: 'member' })
    issuer.people.set('opaque-thief', {
      user_id: 8,
      email: ADMIN,
      email_verified: false,
      org_id: 'default',
      role: 'member',
    })
    expect((await meOf('opaque-boss')).text).toContain(ADMIN)
    expect((await meOf('opaque-thief')).text).not.toContain(ADMIN)
  })
})

describe('whoever another system vouches for', () => {
  const LASTING = OPERATIONS.map(({ operation }) => operation).filter(({ lasting }) => lasting)
  const tokenOfBoss = () => issuer.mint({ sub: 'b', email: 'chief@example.com', email_verified: true })
  beforeAll(async () => void (await join('chief@example.com', gateway.organization.id, 'tenant_admin')))
  const carry = async (key: string, { method, path }: Operation, body?: object) => {
    const filled = path.replace('{organization}', 'default').replaceAll(/\{\w+\}/g, 'usr_nobody')
    const response = await fetch(outside.address + filled, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json().catch(() => ({}))) as { code?: string } }
  }

  test.each(LASTING.map((operation) => [operation.id, operation] as const))(
    'cannot make what lasts: %s',
    async (_, operation) => {
      issuer.people.set('opaque-chief', { user_id: 9, email: 'chief@example.com', org_id: 'default', role: 'admin' })
      for (const key of [await tokenOfBoss(), 'opaque-chief']) {
        const { status, body } = await carry(key, operation)
        expect({ status, code: body.code }).toEqual({ status: 403, code: 'identity.vouched' })
      }
    },
  )

  test('leaves no key and no administrator behind, and goes on with everything else', async () => {
    const token = await tokenOfBoss()
    const keys = () => gateway.db.system((sql) => sql(Row)`select id from keys`)
    const members = () =>
      gateway.db.system((sql) => sql(z.object({ user_id: z.string() }))`select user_id from members`)
    const before = [(await keys()).length, (await members()).length]
    await carry(token, addMyKey, { name: 'outlives' })
    await carry(token, addOrganizationKey, { name: 'outlives' })
    await carry(token, addMember, { email: 'new-admin@example.com', role: 'tenant_admin' })
    expect([(await keys()).length, (await members()).length]).toEqual(before)
    expect((await carry(token, listOrganizationKeys)).status).toBe(200)
    expect((await carry(token, putToolset, { title: 'Kept' })).body.code).not.toBe('identity.vouched')
  })
})

describe('a backend that knows tokens', () => {
  test('S1-ORG-05: is asked with the caller’s own, and its answer is believed for a moment', async () => {
    issuer.people.set('opaque-one', { user_id: 'u1', email: 'one@elsewhere.example', org_id: 'other', role: 'viewer' })
    const before = issuer.shown.length
    for (let time = 0; time < 5; time++) expect(await aliasesFor('opaque-one')).toEqual(['theirs'])
    expect(issuer.shown.slice(before)).toEqual(['opaque-one'])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    expect(await aliasesFor('opaque-one').finally(() => vi.useRealTimers())).toEqual(['theirs'])
    expect(issuer.shown.slice(before)).toEqual(['opaque-one', 'opaque-one'])
    const call = await ask(at('opaque-one'), 'tools/call', { name: 'theirs__echo', arguments: {} })
    expect(call.message.error?.data).toMatchObject({ fault: 'role.forbidden' })
  })

  test('lets nobody in when it says no, answers something else, or not at all', async () => {
    issuer.people.set('odd', { name: 'nobody' })
    issuer.people.set('broken', 500)
    expect(await refusalOf('unknown-token')).toEqual({ status: 401, fault: 'token.unknown' })
    for (const token of ['odd', 'broken']) expect((await refusalOf(token)).status).toBe(503)
    issuer.away = true
    expect((await refusalOf('while-away')).status).toBe(503)
    issuer.away = false
  })

  test('is never shown a key or a token of ours, nor what looks like one', async () => {
    const user = await join('own@example.com', gateway.organization.id)
    const own = await tokenOf(user.id, { db: gateway.db, address: outside.address })
    const before = issuer.shown.length
    for (const secret of [
      KEY,
      ORDINARY,
      own,
      `${own}x`,
      ORDINARY.slice(0, -1),
      mintKey(),
      mintKey('smcp'),
      'smcp_tu_short',
      'twr_x',
    ])
      await refusalOf(secret)
    expect(issuer.shown.slice(before)).toEqual([])
  })
})

describe('S1-ORG-07: on behalf of a member', () => {
  const askFor = async (key: string, headers: Record<string, string>, method = 'tools/list', params = {}) => {
    const request = requestOf(method, params, key)
    const response = await fetch(`${gateway.address}/mcp`, {
      method: 'POST',
      headers: { ...request.headers, ...headers },
      body: request.body,
    })
    return { status: response.status, text: await response.text() }
  }
  const Called = z.object({ principal: z.string(), key_id: z.string().nullable() })
  const lastCall = async () => {
    const rows = await gateway.db.system(
      (sql) =>
        sql(
          Called,
        )`select principal, key_id from records where method = 'tools/call' order by at desc, id desc limit 1`,
    )
    return rows[0]
  }
  const echo = { name: 'mine__echo', arguments: { text: 'hello' } }

  test('a trusted key is the member that it names, with the lesser role, and the record says both', async () => {
    const dora = await join('dora@example.com', gateway.organization.id)
    await join('vera@example.com', gateway.organization.id, 'tenant_viewer')
    for (const header of ['x-on-behalf-of', 'x-openwebui-user-email']) {
      expect((await askFor(TRUSTED, { [header]: 'Dora@example.com' }, 'tools/call', echo)).status).toBe(200)
      await expect.poll(lastCall).toEqual({ principal: dora.id, key_id: expect.stringMatching(/^key_/) })
      expect((await askFor(TRUSTED, { [header]: 'vera@example.com' })).status).toBe(200)
      expect(await askFor(TRUSTED, { [header]: 'vera@example.com' }, 'tools/call', echo)).toMatchObject({ status: 403 })
    }
  })

  test('whoever is no member is refused: a stranger, another organization’s, one who is switched off, and two at once', async () => {
    await join('elsewhere@example.com', other)
    const off = await join('gone@example.com', gateway.organization.id)
    const ofGone = async () => (await askFor(TRUSTED, { 'x-on-behalf-of': 'gone@example.com' })).status
    await expect.poll(ofGone).toBe(200)
    await gateway.db.system((sql) => sql(Row)`update users set active = false where id = ${off.id} returning id`)
    await expect.poll(ofGone).toBe(403)
    for (const name of ['nobody@example.com', 'elsewhere@example.com', '', ' '])
      expect(await askFor(TRUSTED, { 'x-on-behalf-of': name })).toMatchObject({ status: 403 })
    const both = { 'x-on-behalf-of': 'dora@example.com', 'x-openwebui-user-email': 'vera@example.com' }
    expect(await askFor(TRUSTED, both)).toMatchObject({ status: 403 })
  })

  test('from an ordinary key the header is ignored, and logged', async () => {
    const before = gateway.log.length
    for (const name of ['dora@example.com', 'nobody@example.com'])
      expect((await askFor(ORDINARY, { 'x-on-behalf-of': name }, 'tools/call', echo)).status).toBe(200)
    const [row] = await gateway.db.system((sql) => sql(Row)`select id from keys where name = 'ordinary'`)
    await expect.poll(lastCall).toEqual({ principal: row?.id, key_id: row?.id })
    const said = gateway.log.slice(before).filter(({ message }) => message.includes('is ignored'))
    expect(said).toHaveLength(1)
    expect(JSON.stringify(said)).not.toContain('example.com')
  })
})
