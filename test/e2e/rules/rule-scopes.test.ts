/** Rules of every scope, from the admin interface to what a client sees, at two gateways on one database. */
import { newId } from '@toolway/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Sql } from '../../../packages/gateway/src/db/db.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { addKey, addMember, addUser, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'
import { within } from '../../setup/form.ts'

const RULES = '/api/v1/organizations/default/rules'
const PLATFORM = '/api/v1/admin/rules'
const TOOLS = ['repo_delete_branch', 'repo_list_branches']

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let other: { readonly address: string }
let probe: ProbeServer
let platform: Ask
let admin: Ask
let memberKey: string
let otherKey: string
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  probe.state.grown.push(...TOOLS)
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'git', wire: httpWire(probe.url) },
        { alias: 'hub', wire: httpWire(probe.url) },
      ],
      toolsets: [{ slug: 'work', title: 'Work', settings: { include: ['*'], exclude: [] } }],
    }),
  )
  const { id } = gateway.organization
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: id }))
  const user = await addUser(gateway, 'maria@acme.test')
  await addMember(gateway, id, user, 'tenant_member')
  memberKey = await addKey(gateway, { role: 'tenant_member', organization: id, user })
  otherKey = await addKey(gateway, { role: 'tenant_member', organization: id })
  other = parts.use(await gateway.another())
})
afterAll(() => parts.disposeAsync())
afterEach(async () => {
  for (const [ask, at] of [
    [admin, RULES],
    [platform, PLATFORM],
  ] as const) {
    const { body } = await ask(`GET ${at}?limit=200`)
    for (const rule of body['items'] as { id: string; scope: string; origin: string }[])
      if (rule.origin === 'administration') await ask(`DELETE ${at}/${rule.id}`)
  }
})

const peer = (path: string, key = gateway.key, address = gateway.address) => ({
  url: `${address}${path}`,
  key,
  era: 'modern' as const,
})
const WORK = '/o/default/t/work/mcp'
const errorOf = async (path: string, name: string, key?: string, args: Record<string, unknown> = {}) => {
  const { answer } = await callTool(peer(path, key), name, args)
  const detail = answer.result?.['_meta'] as { 'dev.toolway/fault'?: { fault: string } } | undefined
  return answer.result?.isError === true ? detail?.['dev.toolway/fault']?.fault : answer.error?.code
}
const add = async (rule: object, ask = admin, at = RULES) => {
  const added = await ask(`POST ${at}`, { reason: 'Because.', ...rule })
  expect(added.status, added.text).toBe(201)
  return added.body as { id: string; name: string; of: string | null }
}
const block = { action: 'block', match: { tools: ['*_delete_*'] } }
const seen = (path: string, key = gateway.key, address = gateway.address) => toolNames({ key }, `${address}${path}`)

describe('a rule of', () => {
  test.each([
    ['organization', undefined, '/mcp', undefined],
    ['toolset', 'work', WORK, '/mcp'],
    ['connection', 'git', '/api/v1/default/connectors/git/mcp', '/api/v1/default/connectors/hub/mcp'],
  ])(
    'S3-POLY-01: the scope %s blocks *_delete_* there and nowhere else, others work, at both gateways',
    async (scope, of, inside, outside) => {
      await add({ ...block, name: 'no-deleting', scope, ...(of === undefined ? {} : { of }) })
      const begun = Date.now()
      const prefix = inside.includes('connectors') ? '' : 'git__'
      expect(await errorOf(inside, `${prefix}repo_delete_branch`)).toBe('policy.blocked')
      expect(await errorOf(inside, `${prefix}repo_list_branches`)).toBeUndefined()
      await until('the other gateway has heard', async () => {
        const names = await seen(inside, gateway.key, other.address)
        return !names.includes(`${prefix}repo_delete_branch`)
      })
      expect(Date.now() - begun).toBeLessThan(within(5_000))
      expect(await seen(inside)).not.toContain(`${prefix}repo_delete_branch`)
      expect(await seen(inside)).toContain(`${prefix}repo_list_branches`)
      if (outside === undefined) return
      expect(await seen(outside)).toContain(`${prefix}repo_delete_branch`)
      expect(await errorOf(outside, `${prefix}repo_delete_branch`)).toBeUndefined()
    },
  )

  test('a member or a key holds for that caller, in list and call, and for nobody else', async () => {
    const member = await add({ ...block, name: 'not-maria', scope: 'member', of: 'Maria@acme.test' })
    expect(member.of).toBe('maria@acme.test')
    expect(await errorOf('/mcp', 'git__repo_delete_branch', memberKey)).toBe('policy.blocked')
    expect(await seen('/mcp', memberKey)).not.toContain('git__repo_delete_branch')
    expect(await errorOf('/mcp', 'git__repo_delete_branch', otherKey)).toBeUndefined()
    expect(await seen('/mcp', otherKey)).toContain('git__repo_delete_branch')
    await admin(`DELETE ${RULES}/${member.id}`)
    const key = await add({ ...block, name: 'not-this-key', scope: 'key', of: otherKey.slice(-12) })
    expect(key.of).toMatch(/^key_/)
    expect(await errorOf('/mcp', 'git__repo_delete_branch', otherKey)).toBe('policy.blocked')
    expect(await errorOf('/mcp', 'git__repo_delete_branch', memberKey)).toBeUndefined()
  })

  test('a toolset may stand in the toolset itself', async () => {
    const rules = [{ ...block, name: 'inline', reason: 'Not here.' }]
    const put = await admin('PUT /api/v1/admin/tenants/default/toolsets/inline', { include: ['*'], exclude: [], rules })
    expect(put.status, put.text).toBe(200)
    expect(await errorOf('/o/default/t/inline/mcp', 'git__repo_delete_branch')).toBe('policy.blocked')
    expect(await errorOf('/mcp', 'git__repo_delete_branch')).toBeUndefined()
    const listed = (await admin(`GET ${RULES}?scope=toolset`)).body['items'] as { id: string; origin: string }[]
    expect(listed).toMatchObject([{ id: 'toolsets.inline.rules.inline', of: 'inline', origin: 'toolset' }])
    expect((await admin(`DELETE ${RULES}/${listed[0]?.id}`)).text).toContain('the toolset inline')
    const wrong = [{ ...block, name: 'inline', reason: 'x', match: { when: '1 +' } }]
    const refused = await admin('PUT /api/v1/admin/tenants/default/toolsets/inline', { rules: wrong })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('/rules/0/match/when')])
    expect((await admin('DELETE /api/v1/admin/tenants/default/toolsets/inline')).status).toBe(204)
  })

  test('the platform holds in the organizations that it names, which see it and cannot change it', async () => {
    const rule = await add({ ...block, name: 'platform-says' }, platform, PLATFORM)
    await add({ ...block, name: 'elsewhere', match: { organizations: ['acme'] } }, platform, PLATFORM)
    expect(await errorOf('/mcp', 'git__repo_delete_branch')).toBe('policy.blocked')
    expect(await errorOf('/mcp', 'git__repo_list_branches')).toBeUndefined()
    const { items } = (await admin(`GET ${RULES}`)).body as { items: { name: string; scope: string }[] }
    expect(items).toMatchObject([{ name: 'platform-says', scope: 'platform', origin: 'platform' }])
    for (const [method, body] of [['PUT', { state: 'off' }], ['DELETE']] as const) {
      const refused = await admin(`${method} ${RULES}/${rule.id}`, body)
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('platform administrator')])
    }
    expect((await admin(`GET ${PLATFORM}`)).status).toBe(403)
    expect((await admin(`GET ${RULES}/${rule.id}`)).body).toMatchObject({ name: 'platform-says' })
  })
})

test('S3-POLY-02: rules of every scope, with conditions on caller and arguments, are asked of memory alone', async () => {
  const when = 'principal.email != "" && has(args.text)'
  await add({ name: 'org', action: 'warn', match: { tools: ['echo'], when } })
  await add({
    name: 'member',
    action: 'clamp',
    scope: 'member',
    of: 'maria@acme.test',
    parameters: { parameter: 'n', max: 5 },
  })
  await add({ name: 'con', action: 'rate', scope: 'connection', of: 'git', parameters: { calls: 1_000 } })
  await add({ name: 'above', action: 'block', match: { tools: ['repo_delete_*'], when } }, platform, PLATFORM)
  const names = ['git__echo', 'git__repo_delete_branch', 'hub__echo']
  for (const name of names) await callTool(peer('/mcp', memberKey), name, { text: 'x' })
  const { db } = gateway
  const statements: string[] = []
  const noting = <Given extends Sql>(sql: Given): Given =>
    ((row: z.ZodObject) =>
      (text: TemplateStringsArray, ...values: unknown[]) => {
        statements.push(text.join('?'))
        return sql(row)(text, ...values)
      }) as unknown as Given
  const [system, organization] = [db.system.bind(db), db.organization.bind(db)]
  vi.spyOn(db, 'system').mockImplementation((work) => system((sql) => work(noting(sql))))
  vi.spyOn(db, 'organization').mockImplementation((id, work) => organization(id, (sql) => work(noting(sql))))
  for (let times = 0; times < 30; times++) {
    for (const name of names) await callTool(peer('/mcp', memberKey), name, { text: 'x' })
    await seen('/mcp', memberKey)
  }
  await until('the calls are on record', () => statements.some((text) => text.includes('append_records')))
  vi.restoreAllMocks()
  // Of 120 requests none asks for rules; a snapshot may be made anew once, where something is heard late.
  expect(statements.filter((text) => /\brules\b|organization_rules/.test(text)).length).toBeLessThan(3)
})

describe('an exception', () => {
  test('lifts the rule that it names where its condition holds, and nothing of the platform', async () => {
    await add({ ...block, name: 'no-deleting' })
    const allow = { action: 'allow', name: 'maria-may', match: { when: 'principal.email == "maria@acme.test"' } }
    const lifting = await add({ ...allow, parameters: { lifts: ['no-deleting'] } })
    expect(await errorOf('/mcp', 'git__repo_delete_branch', memberKey)).toBeUndefined()
    expect(await seen('/mcp', memberKey)).toContain('git__repo_delete_branch')
    expect(await errorOf('/mcp', 'git__repo_delete_branch', otherKey)).toBe('policy.blocked')
    await add({ ...block, name: 'platform-says' }, platform, PLATFORM)
    expect(await errorOf('/mcp', 'git__repo_delete_branch', memberKey)).toBe('policy.blocked')
    const refused = await admin(`PUT ${RULES}/${lifting.id}`, { parameters: { lifts: ['platform-says'] } })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('only platform rules can lift')])
    // The platform's own exception does.
    const own = { action: 'allow', name: 'let-it', parameters: { lifts: ['platform-says'] } }
    await add({ ...own, match: { organizations: ['default'] } }, platform, PLATFORM)
    expect(await errorOf('/mcp', 'git__repo_delete_branch', memberKey)).toBeUndefined()
  })
})

describe('what a rule cannot say', () => {
  test.each([
    [{ match: { when: 'principal.email = 1' } }, '/match/when'],
    [{ match: { when: '1 + 1' } }, '/match/when'],
    [{ match: { tools: ['git__[ab]'] } }, '/match/tools/0'],
    [
      { match: { connectors: ['mcp.htp'] } },
      '/match/connectors/0 must be one of mcp.http, mcp.process, contract, openapi,',
    ],
    [{ match: { organizations: ['default'] } }, '/match/organizations'],
    [{ match: { parameter: '.x' } }, '/match/parameter'],
    [{ name: 'No Spaces' }, '/name'],
    [{ reason: ' ' }, '/reason'],
    [{ scope: 'toolset' }, 'must specify the toolset'],
    [{ scope: 'toolset', of: 'standard' }, 'create your own toolset'],
    [{ scope: 'toolset', of: 'default' }, 'for the organization'],
    [{ scope: 'toolset', of: 'works' }, 'did you mean \\"work\\"'],
    [{ scope: 'connection', of: 'gitt' }, 'did you mean \\"git\\"'],
    [{ scope: 'member', of: 'nobody@acme.test' }, 'is not a member'],
    [{ of: 'git' }, '/of'],
    [{ action: 'clamp', parameters: { parameter: 'x', min: 5, max: 1 } }, '/parameters/min'],
    [{ action: 'clamp', parameters: { parameter: 'x', max: 1, default: 5 } }, '/parameters/default'],
    [{ action: 'clamp', parameters: { parameter: 'x' } }, 'has no limit'],
    [{ action: 'reject', parameters: { max: 1 } }, '/parameters/parameter'],
    [{ action: 'reject', parameters: { parameter: 'x', pattern: '(?=a)' } }, '/parameters/pattern'],
    [{ action: 'size', parameters: {} }, 'has no size'],
    [{ action: 'approve', parameters: { by: {} } }, 'has no approvers'],
    [{ action: 'allow', parameters: { lifts: ['nothing'] } }, 'is not a rule here'],
    [{ action: 'allow', parameters: { lifts: ['x'] }, scope: 'member', of: 'maria@acme.test' }, 'cannot be allow'],
    [{ action: 'lose' }, 'must be one of'],
    [{ action: 'block', parameters: { max: 1 } }, 'max'],
  ])('%j', async (words, said) => {
    const refused = await admin(`POST ${RULES}`, { name: 'x', action: 'block', reason: 'x', ...words })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(said)])
  })
})

describe('rules of an organization', () => {
  test('S3-POLY-03: are made, shown, changed, switched and removed over HTTP, each change on record, and none over a newer one', async () => {
    const made = await admin(`POST ${RULES}`, { ...block, name: 'no-deleting', reason: 'Because.' })
    const { id } = made.body as { id: string }
    expect(made.body).toMatchObject({ scope: 'organization', of: null, state: 'on', origin: 'administration' })
    expect((await admin(`POST ${RULES}`, { ...block, name: 'no-deleting', reason: 'x' })).status).toBe(409)
    const got = await admin(`GET ${RULES}/${id}`)
    const tag = got.headers.get('etag') ?? ''
    expect(got.body).toEqual(made.body)
    const changed = await admin(`PUT ${RULES}/${id}`, { match: { tools: ['echo'] } }, { 'if-match': tag })
    expect(changed.body).toMatchObject({ name: 'no-deleting', match: { tools: ['echo'] }, problem: null })
    expect(await errorOf('/mcp', 'git__echo')).toBe('policy.blocked')
    expect((await admin(`PUT ${RULES}/${id}`, { state: 'off' }, { 'if-match': tag })).status).toBe(412)
    expect((await admin(`PUT ${RULES}/${id}`, { state: 'off' })).body).toMatchObject({ state: 'off' })
    expect(await errorOf('/mcp', 'git__echo')).toBeUndefined()
    expect((await admin(`GET ${RULES}?state=off`)).body).toMatchObject({ total: 1 })
    expect((await admin(`DELETE ${RULES}/${id}`)).status).toBe(204)
    expect((await admin(`DELETE ${RULES}/${id}`)).status).toBe(404)
    const said = (await changesIn(gateway)).filter(({ resource_id: of }) => of === id)
    expect(said.map(({ method, organization_id: of }) => `${method} ${of}`)).toEqual(
      ['add', 'change', 'change', 'remove'].map((verb) => `rule.${verb} ${gateway.organization.id}`),
    )
  })

  test('limit how often, for one caller apart from the others, and say when there is room again', async () => {
    await add({ name: 'few', action: 'rate', match: { tools: ['echo'] }, parameters: { calls: 2, per: 3600 } })
    for (let times = 0; times < 2; times++) expect(await errorOf('/mcp', 'git__echo')).toBeUndefined()
    const refused = await callTool(peer('/mcp'), 'git__echo')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_000)
    expect(refused.text).toContain('A rule limits calls of this kind to 2 in 3600 s: Because')
    expect(await errorOf('/mcp', 'git__repo_list_branches')).toBeUndefined()
    expect(await errorOf('/mcp', 'git__echo', otherKey)).toBeUndefined()
  })

  test('take from no budget where another is empty', async () => {
    await add({ name: 'wide', action: 'rate', match: { tools: ['echo'] }, parameters: { calls: 3, per: 3600 } })
    const narrow = await add({
      name: 'narrow',
      action: 'rate',
      match: { tools: ['echo'] },
      parameters: { calls: 1, per: 3600 },
    })
    expect(await errorOf('/mcp', 'git__echo')).toBeUndefined()
    for (let times = 0; times < 5; times++) expect((await callTool(peer('/mcp'), 'git__echo')).status).toBe(429)
    await admin(`DELETE ${RULES}/${narrow.id}`)
    for (let times = 0; times < 2; times++) expect(await errorOf('/mcp', 'git__echo')).toBeUndefined()
    expect((await callTool(peer('/mcp'), 'git__echo')).status).toBe(429)
  })

  test('limit how large arguments are, and nothing is sent', async () => {
    await add({ name: 'small', action: 'size', match: { tools: ['echo'] }, parameters: { arguments: 30 } })
    expect(await errorOf('/mcp', 'git__echo', undefined, { text: 'short' })).toBeUndefined()
    expect(await errorOf('/mcp', 'git__echo', undefined, { text: 'x'.repeat(100) })).toBe('arguments.too-large')
  })

  test('that nobody can read block what they speak of, are shown with what is wrong, alarm once, and can be switched off', async () => {
    const { id } = gateway.organization
    const Nothing = z.object({})
    const rule = newId('rul')
    await gateway.db.system(
      (sql) => sql(Nothing)`
        insert into organization_rules (id, organization_id, scope, name, words, origin, created_by)
        values (${rule}, ${id}, 'organization', 'from-the-future',
                ${JSON.stringify({ match: { tools: ['echo'] }, action: 'enchant', parameters: {}, reason: 'New.' })},
                'administration', 'test')`,
    )
    await until('it holds', async () => (await errorOf('/mcp', 'git__echo')) === 'policy.blocked')
    expect(await errorOf('/mcp', 'git__repo_list_branches')).toBeUndefined()
    expect((await admin(`GET ${RULES}/${rule}`)).body).toMatchObject({
      action: 'enchant',
      problem: expect.stringContaining('must be one of'),
    })
    const alerts = await until('an alert', async () => {
      const { body } = await admin('GET /api/v1/admin/tenants/default/alerts?kind=rule.unreadable')
      const items = body['items'] as { detail: object }[]
      return items.length > 0 && items
    })
    expect(alerts).toMatchObject([{ detail: { rule, name: 'from-the-future', scope: 'organization' } }])
    expect((await admin(`PUT ${RULES}/${rule}`, { state: 'off' })).status).toBe(200)
    expect(await errorOf('/mcp', 'git__echo')).toBeUndefined()
    expect((await admin(`PUT ${RULES}/${rule}`, { state: 'on' })).status).toBe(422)
    expect((await admin(`DELETE ${RULES}/${rule}`)).status).toBe(204)
  })

  test('end with the toolset that they are of', async () => {
    await admin('PUT /api/v1/admin/tenants/default/toolsets/gone', { include: ['*'], exclude: [] })
    const { id } = await add({ ...block, name: 'of-gone', scope: 'toolset', of: 'gone' })
    await admin('DELETE /api/v1/admin/tenants/default/toolsets/gone')
    expect((await admin(`GET ${RULES}/${id}`)).status).toBe(404)
  })
})
