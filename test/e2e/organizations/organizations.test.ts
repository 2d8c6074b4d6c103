/**
 * Operations of a platform administrator on organizations over HTTP, and those permitted to an organization's own administrator.
 */
import type { OrganizationId } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, addMember, addUser, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { addPerson, PASSWORD, signIn } from '../../../packages/gateway/src/testing/people.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask as callMcp } from '../peers/clients/raw-client.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const TENANTS = '/api/v1/admin/tenants'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
let platform: Ask
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'probe', wire: httpWire(probe.url) }],
      settings: { TOOLWAY_LIMIT_ORGANIZATION: '10000' },
    }),
  )
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const make = async (slug: string, more: object = {}) => {
  const made = await platform(`POST ${TENANTS}`, { slug, name: slug, ...more })
  expect(made.status).toBe(201)
  return { ...made, id: String(made.body['id']) as OrganizationId }
}

describe('organizations', () => {
  test('S3-ADM-01: are made, listed, looked at, changed and removed', async () => {
    const made = await make('acme', { contact_email: 'a@acme.example', settings: { requests_per_minute: 7 } })
    expect(made.body).toMatchObject({
      slug: 'acme',
      is_active: true,
      description: null,
      contact_email: 'a@acme.example',
      settings: { requests_per_minute: 7 },
    })
    for (const name of ['acme', made.id]) {
      const got = await platform(`GET ${TENANTS}/${name}`)
      expect(got).toMatchObject({ status: 200, body: made.body })
      expect(got.headers.get('etag')).toBe(`"${String(made.body['updated_at'])}"`)
    }
    const changed = await platform(`PUT ${TENANTS}/acme`, {
      name: 'Acme Ltd',
      description: 'Anvils',
      contact_email: null,
    })
    expect(changed.body).toMatchObject({
      name: 'Acme Ltd',
      description: 'Anvils',
      contact_email: null,
      settings: { requests_per_minute: 7 },
    })
    const listed = await platform(`GET ${TENANTS}?search=ACME`)
    expect(listed.body).toEqual({ items: [changed.body], total: 1, limit: 50, offset: 0 })
    expect((await platform(`DELETE ${TENANTS}/acme`)).status).toBe(204)
    for (const at of [`GET ${TENANTS}/acme`, `DELETE ${TENANTS}/acme`])
      expect(await platform(at)).toMatchObject({ status: 404, body: { code: 'thing.unknown' } })
  })

  test('come in pages, and a page beyond the last one is empty', async () => {
    for (const slug of ['page-a', 'page-b', 'page-c']) await make(slug)
    const page = await platform(`GET ${TENANTS}?search=page-&limit=2&offset=1`)
    expect(page.body['items'].map(({ slug }: { slug: string }) => slug)).toEqual(['page-b', 'page-c'])
    expect(page.body).toMatchObject({ total: 3, limit: 2, offset: 1 })
    expect((await platform(`GET ${TENANTS}?search=page-&offset=9`)).body).toMatchObject({ items: [], total: 3 })
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'page=2', 'is_active=maybe'])
      expect(await platform(`GET ${TENANTS}?${query}`), query).toMatchObject({
        status: 422,
        body: { code: 'body.shape' },
      })
  })

  test('have one slug each, which never changes', async () => {
    await make('steady')
    expect(await platform(`POST ${TENANTS}`, { slug: 'steady', name: 'Again' })).toMatchObject({
      status: 409,
      body: { code: 'thing.taken' },
    })
    expect(await platform(`PUT ${TENANTS}/steady`, { slug: 'moved' })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('/slug cannot be changed') },
    })
    expect((await platform(`PUT ${TENANTS}/steady`, { slug: 'steady', name: 'Same' })).status).toBe(200)
  })

  test('are not changed by who looked at them before somebody else changed them', async () => {
    const { headers } = await make('raced')
    const seen = { 'if-match': headers.get('etag') ?? '' }
    expect((await platform(`PUT ${TENANTS}/raced`, { name: 'First' }, seen)).status).toBe(200)
    expect(await platform(`PUT ${TENANTS}/raced`, { name: 'Second' }, seen)).toMatchObject({
      status: 412,
      body: { code: 'request.stale' },
    })
    expect(await platform(`DELETE ${TENANTS}/raced`, undefined, seen)).toMatchObject({ status: 412 })
    expect((await platform(`GET ${TENANTS}/raced`)).body).toMatchObject({ name: 'First' })
  })

  test('that a person makes have that person as their administrator', async () => {
    const user = await addUser(gateway, 'maker@example.com', true)
    // A member's key is bound to an organization, so the person comes with a token.
    const { createAccessTokens } = await import('../../../packages/gateway/src/identity/access-tokens.ts')
    const { createTestVault } = await import('../../../packages/gateway/src/testing/gateway.ts')
    const tokens = createAccessTokens({
      issuer: () => gateway.address,
      keys: createTestVault().signingKeys('access tokens'),
      lifetime: 600,
      now: Date.now,
    })
    const token = await tokens.mint({
      ...{ sub: user, sid: 'fam_x' as never, epoch: 0, limit: 'execute' },
      ...{ client_id: 'command line', aud: gateway.address },
    })
    const maker = createAsk(gateway, token)
    await until('the account is known', async () => (await maker(`GET ${TENANTS}`)).status === 200)
    expect((await maker(`POST ${TENANTS}`, { slug: 'made', name: 'Made' })).status).toBe(201)
    const { id } = (await platform(`GET ${TENANTS}/made`)).body
    const members = await gateway.db.organization(String(id), async (sql) => {
      const { listRoles } = await import('../../../packages/gateway/src/organizations/members.ts')
      return listRoles(sql)
    })
    expect([...members]).toEqual([[user, 'tenant_admin']])
    // With the personal key that comes with each membership.
    const keys = await maker('GET /api/v1/auth/my-keys?organization=made')
    expect(keys.body['items']).toMatchObject([{ family: 'uru', name: 'personal', user_id: user }])
  })

  test('that are not active answer like unknown ones at every door, and can still be administered', async () => {
    const { id } = await make('asleep')
    const key = await addKey(gateway, { role: 'tenant_admin', organization: id })
    const own = createAsk(gateway, key)
    const mcp = () => callMcp({ url: `${gateway.address}/o/asleep/t/default/mcp`, key, era: 'modern' }, 'tools/list')
    expect((await mcp()).status).toBe(200)
    expect((await own(`GET ${TENANTS}/asleep/connectors`)).status).toBe(200)
    expect((await platform(`PUT ${TENANTS}/asleep`, { is_active: false })).body).toMatchObject({ is_active: false })
    const unknown = await callMcp(
      { url: `${gateway.address}/o/nowhere/t/default/mcp`, key, era: 'modern' },
      'tools/list',
    )
    const asleep = await mcp()
    expect(asleep.status).toBe(404)
    expect(asleep.answer.error?.message).toBe(unknown.answer.error?.message)
    expect(await own(`GET ${TENANTS}/asleep/connectors`)).toMatchObject({
      status: 404,
      body: { code: 'place.unknown' },
    })
    expect((await platform(`GET ${TENANTS}/asleep/connectors`)).status).toBe(200)
    expect((await platform(`GET ${TENANTS}?is_active=false`)).body['items']).toMatchObject([{ slug: 'asleep' }])
    expect((await platform(`PUT ${TENANTS}/asleep`, { is_active: true })).status).toBe(200)
    expect((await mcp()).status).toBe(200)
  })

  test('that are not active have no keys to make, to show or to list, and are not among those of their members', async () => {
    const { id } = await make('dozing')
    await addPerson(gateway.db, { email: 'dozer@example.com', roles: [[id, 'tenant_admin']] })
    const mine = (at: string, token: string, body?: object) =>
      createAsk(gateway, token)(at.replace(' ', ' /api/v1/auth/'), body)
    let token = ''
    await until('the member is known', async () => {
      token = (await signIn(gateway.address, 'dozer@example.com')).access_token
      return (await mine('POST my-keys', token, { organization: 'dozing', family: 'uru' })).status !== 404
    })
    expect((await mine('GET me', token)).body['organizations']).toMatchObject([{ slug: 'dozing' }])
    await platform(`PUT ${TENANTS}/dozing`, { is_active: false })
    expect((await mine('GET me', token)).body['organizations']).toEqual([])
    const unknown = { status: 404, body: { code: 'place.unknown' } }
    expect(await mine('GET my-keys?organization=dozing', token)).toMatchObject(unknown)
    expect(await mine('POST my-keys', token, { organization: 'dozing', name: 'more' })).toMatchObject(unknown)
    expect(await mine('POST my-keys/regenerate', token, { organization: 'dozing' })).toMatchObject(unknown)
    const reveal = { organization: 'dozing', password: PASSWORD }
    expect(await mine('POST my-keys/reveal', token, reveal)).toMatchObject(unknown)
    await platform(`PUT ${TENANTS}/dozing`, { is_active: true })
    expect((await mine('POST my-keys/reveal', token, reveal)).status).toBe(200)
  })

  test('leave their records behind when they are removed', async () => {
    const { id } = await make('gone')
    await platform(`POST ${TENANTS}/gone/connectors`, { alias: 'x', url: 'https://example.com/mcp', enabled: false })
    await platform(`DELETE ${TENANTS}/gone`)
    const left = await changesIn(gateway)
    expect(left.filter((one) => one.organization_id === id).map(({ method }) => method)).toEqual([
      'organization.add',
      'connection.add',
    ])
    expect(left.at(-1)).toMatchObject({
      organization_id: 'platform',
      method: 'organization.remove',
      resource_id: id,
      detail: { slug: 'gone' },
    })
  })
})

describe('an organization of its own administrators', () => {
  test('is named and limited by them, as far as the platform lets them', async () => {
    const { id } = await make('own')
    const own = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: id }))
    const settings = `${TENANTS}/own/settings`
    expect((await own(`GET ${settings}`)).body).toMatchObject({
      slug: 'own',
      requests_per_minute: 10_000,
      max_requests_per_minute: 10_000,
      allow_processes: false,
    })
    expect((await own(`PUT ${settings}`, { name: 'Our own', requests_per_minute: 2_000 })).body).toMatchObject({
      name: 'Our own',
      requests_per_minute: 2_000,
    })
    expect(await own(`PUT ${settings}`, { requests_per_minute: 10_001 })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('must be at most 10000 here') },
    })
    await platform(`PUT ${TENANTS}/own`, { settings: { max_requests_per_minute: 50_000 } })
    expect((await own(`PUT ${settings}`, { requests_per_minute: 10_001 })).body).toMatchObject({
      requests_per_minute: 10_001,
    })
    // A bound that is lowered lowers what is above it; what nobody settled is as the gateway's settings say.
    expect((await platform(`PUT ${TENANTS}/own`, { settings: { max_requests_per_minute: 6_000 } })).body).toMatchObject(
      {
        settings: { requests_per_minute: 6_000, max_requests_per_minute: 6_000 },
      },
    )
    expect((await own(`PUT ${settings}`, { requests_per_minute: null })).body).toMatchObject({
      requests_per_minute: 6_000,
    })
    await platform(`PUT ${TENANTS}/own`, { settings: { max_requests_per_minute: 50_000, requests_per_minute: null } })
    expect((await own(`GET ${settings}`)).body).toMatchObject({
      requests_per_minute: 10_000,
      max_requests_per_minute: 50_000,
    })
    const beyond = { requests_per_minute: 50_001 }
    expect((await platform(`PUT ${TENANTS}/own`, { settings: beyond })).status).toBe(422)
    await own(`PUT ${settings}`, { requests_per_minute: 10_001 })
    // None of the settings reserved for the platform is a field.
    for (const body of [
      { max_requests_per_minute: 9_999 },
      { allow_processes: true },
      { is_active: false },
      { slug: 'x' },
    ])
      expect((await own(`PUT ${settings}`, body)).status, JSON.stringify(body)).toBe(422)
    expect((await platform(`GET ${TENANTS}/own`)).body['settings']).toEqual({
      approvals: 'off',
      requests_per_minute: 10_001,
      max_requests_per_minute: 50_000,
    })
  })

  test.each(['tenant_admin', 'tenant_member', 'tenant_viewer'] as const)(
    'is not made, listed, changed nor removed by a %s',
    async (role) => {
      const own = createAsk(gateway, await addKey(gateway, { role, organization: gateway.organization.id }))
      for (const at of [`GET ${TENANTS}`, `GET ${TENANTS}/default`, `DELETE ${TENANTS}/default`])
        expect((await own(at)).status, at).toBe(403)
      for (const at of [`POST ${TENANTS}`, `PUT ${TENANTS}/default`])
        expect((await own(at, { slug: 'mine', name: 'Mine' })).status, at).toBe(403)
      const may = role === 'tenant_admin' ? 200 : 403
      expect((await own(`GET ${TENANTS}/default/settings`)).status).toBe(may)
    },
  )

  test('is the only one that its key can list, and of another it learns nothing', async () => {
    const { id } = await make('theirs')
    await addMember(gateway, id, await addUser(gateway, 'theirs@example.com'), 'tenant_admin')
    const own = createAsk(
      gateway,
      await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }),
    )
    for (const path of ['connectors', 'toolsets', 'settings', 'connectors/probe/tools']) {
      const [theirs, nowhere] = await Promise.all(
        ['theirs', 'nowhere'].map((slug) => own(`GET ${TENANTS}/${slug}/${path}`)),
      )
      expect(theirs?.status, path).toBe(404)
      expect({ ...theirs?.body, correlation_id: '' }).toEqual({ ...nowhere?.body, correlation_id: '' })
    }
  })
})
