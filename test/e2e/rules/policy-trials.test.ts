/** Looking at rules before they bite, over HTTP: explanations that are true, shadows on record, and a draft on what was called. */
import { newId, type UserId } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { storeRecords } from '../../../packages/gateway/src/records/records.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { testEntry } from '../../../packages/gateway/src/testing/record-entry.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, addMember, addUser, createAsk, type Answered, type Ask } from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const POLICY = '/api/v1/organizations/default/policy'
const ADMIN = '/api/v1/admin'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
let platform: Ask
let admin: Ask
let maria: UserId
let mariaKey: string
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  probe.state.grown.push('repo_delete', 'repo_list')
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'git', wire: httpWire(probe.url) }],
      toolsets: [{ slug: 'lists', title: 'Lists', settings: { include: ['git__repo_list'], exclude: [] } }],
      keys: [{ name: 'reader', value: `uru_${'ab'.repeat(32)}`, toolset: undefined, limit: 'read' }],
    }),
  )
  maria = await addUser(gateway, 'maria@acme.test')
  await addMember(gateway, gateway.organization.id, maria, 'tenant_member')
  mariaKey = await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id, user: maria })
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  await platform(`POST ${ADMIN}/policies/tools`, {
    ...{ tool_name_pattern: '*_delete', action: 'block', reason: 'Nothing is deleted by agents' },
  })
  await platform(`PUT ${ADMIN}/tenants/default/groups/finance`, { members: ['maria@acme.test'] })
})
afterAll(() => parts.disposeAsync())

const explain = async (question: object) => {
  const { status, body, text } = await admin(`POST ${POLICY}/explain`, { as: 'maria@acme.test', ...question })
  expect(status, text).toBe(200)
  return body
}
const stops = (body: Answered['body']) =>
  (body['before'] as { what: string; stops: boolean }[]).filter((gate) => gate.stops).map(({ what }) => what)
const call = (name: string, key = gateway.key) => callTool({ url: gateway.url, key, era: 'modern' }, name)
const isRefused = async (name: string, key = mariaKey) => {
  const { answer } = await call(name, key)
  return answer.error !== undefined || answer.result?.isError === true
}

describe('an explanation', () => {
  test('says which rule decided, for whom, and what would make it pass; and a call ends so', async () => {
    const body = await explain({ tool: 'git__repo_delete', arguments: {} })
    expect(body).toMatchObject({
      tool: { name: 'repo_delete', connection: 'git', connector: 'mcp.http' },
      caller: { id: maria, role: 'tenant_member', email: 'maria@acme.test', groups: ['finance'] },
      rules: [{ scope: 'platform', action: 'block', speaks: 'yes', follows: 'the call is refused.' }],
      verdict: { action: 'block', says: expect.stringContaining('Nothing is deleted by agents') },
      sends: null,
    })
    expect(body['verdict'].passes).toEqual([expect.stringMatching(/^an exception of the platform /)])
    expect(await isRefused('git__repo_delete')).toBe(true)
    const other = await explain({ tool: 'git__repo_list', arguments: { page: 2 } })
    expect(other).toMatchObject({
      rules: [{ speaks: 'no', because: 'tool' }],
      verdict: { action: 'allow' },
      sends: { page: 2 },
    })
    expect(stops(other)).toEqual([])
    expect(await isRefused('git__repo_list')).toBe(false)
  })

  test('says what stops a call before any rule is asked', async () => {
    const unselected = await explain({ tool: 'git__echo', toolset: 'lists' })
    expect([stops(unselected), unselected['verdict'].action]).toEqual([['selection'], 'none'])
    expect(stops(await explain({ tool: 'git__echo', toolset: 'nowhere' }))).toContain('toolset')
    expect(stops(await explain({ tool: 'git__echo', toolset: 'admin' }))).toEqual(['audience'])
    expect(stops(await explain({ tool: 'git__echo', toolset: 'read-only' }))).toEqual(['limit'])
    expect(stops(await explain({ tool: 'git__echo', as: undefined, key: 'reader' }))).toEqual(['limit'])
    const connection = `${ADMIN}/tenants/default/connectors/git`
    await platform(`PATCH ${connection}/tools/echo`, { enabled: false })
    const switched = await explain({ tool: 'git__echo' })
    expect([stops(switched), await isRefused('git__echo')]).toEqual([['switch'], true])
    await platform(`PATCH ${connection}/tools/echo`, { enabled: true })
    expect(stops(await explain({ tool: 'git__echo' }))).toEqual([])
    await platform(`PATCH ${ADMIN}/tenants/default/members/${maria}`, { role: 'tenant_viewer' })
    expect([stops(await explain({ tool: 'git__echo' }))[0], await isRefused('git__echo')]).toEqual(['role', true])
    await platform(`PATCH ${ADMIN}/tenants/default/members/${maria}`, { role: 'tenant_member' })
  })

  test('is for administrators alone, and asks for what is there', async () => {
    const body = { tool: 'git__echo', as: 'maria@acme.test' }
    for (const ask of [createAsk(gateway, mariaKey), createAsk(gateway, gateway.key)])
      for (const path of ['explain', 'replay'])
        expect((await ask(`POST ${POLICY}/${path}`, path === 'explain' ? body : { draft: {} })).status).toBe(403)
    for (const wrong of [{ tool: 'git__none' }, { as: 'eve@acme.test' }, { key: 'none' }])
      expect(await admin(`POST ${POLICY}/explain`, { ...body, ...wrong })).toMatchObject({
        status: 404,
        body: { code: 'thing.unknown' },
      })
  })
})

describe('the access map', () => {
  const access = async (query = '') => {
    const { status, body, text } = await admin(`GET /api/v1/organizations/default/access${query}`)
    expect(status, text).toBe(200)
    return body
  }
  const reached = ({ callers }: Answered['body']) =>
    (callers as { id: string; toolsets: string[] }[]).map(({ id, toolsets }) => [id, toolsets])

  test('shows which roles, groups and keys reach which connections through which toolsets', async () => {
    await platform(`PUT ${ADMIN}/tenants/default/toolsets/books`, {
      ...{ title: 'Books', include: ['git__repo_*'], exclude: [], limit: 'read', audience: { groups: ['finance'] } },
    })
    const body = await access()
    expect(body['callers']).toEqual(
      expect.arrayContaining([
        {
          ...{ kind: 'role', id: 'tenant_member', name: 'tenant_member', members: 1, limit: 'execute' },
          toolsets: ['default', 'lists', 'read-only', 'standard'],
        },
        {
          ...{ kind: 'group', id: 'finance', name: 'finance', members: 1, limit: 'execute' },
          toolsets: ['default', 'books', 'lists', 'read-only', 'standard'],
        },
        expect.objectContaining({ kind: 'key', name: 'reader', members: null, limit: 'read' }),
      ]),
    )
    const toolset = (slug: string) => (body['toolsets'] as { slug: string }[]).find((one) => one.slug === slug)
    expect(toolset('lists')).toMatchObject({ everyone: true, connections: [{ alias: 'git', tools: 1 }] })
    expect(toolset('admin')).toMatchObject({ everyone: false })
    expect(body['connections']).toMatchObject([{ alias: 'git', enabled: true }])
  })

  test('of one member or key says what it reaches, and nothing for who may not call', async () => {
    expect(reached(await access('?as=maria@acme.test'))).toEqual([
      ['maria@acme.test', ['default', 'books', 'lists', 'read-only', 'standard']],
    ])
    const reader = await access('?key=reader')
    expect(reader['callers']).toMatchObject([{ kind: 'key', name: 'reader', limit: 'read' }])
    await platform(`PATCH ${ADMIN}/tenants/default/members/${maria}`, { role: 'tenant_viewer' })
    expect(reached(await access('?as=maria@acme.test'))).toEqual([['maria@acme.test', []]])
    await platform(`PATCH ${ADMIN}/tenants/default/members/${maria}`, { role: 'tenant_member' })
  })

  test('is for administrators alone, and knows only who is there', async () => {
    const at = 'GET /api/v1/organizations/default/access'
    expect((await createAsk(gateway, mariaKey)(at)).status).toBe(403)
    for (const query of ['as=eve@acme.test', 'key=none'])
      expect(await admin(`${at}?${query}`)).toMatchObject({ status: 404, body: { code: 'thing.unknown' } })
  })
})

describe('a draft', () => {
  const replay = async (draft: object) => {
    const { status, body, text } = await admin(`POST ${POLICY}/replay`, { draft, days: 7 })
    expect(status, text).toBe(200)
    return body
  }

  test('is judged on what was called: by tool and caller, and what cannot be told is told apart', async () => {
    for (const name of ['git__echo', 'git__echo', 'git__repo_list']) await call(name, mariaKey)
    await call('git__repo_list')
    const rules = [
      { name: 'no-echo', action: 'block', reason: 'x', match: { tools: ['echo'] } },
      {
        name: 'finance',
        action: 'warn',
        reason: 'x',
        match: { tools: ['repo_list'], when: `'finance' in principal.groups` },
      },
    ]
    const report = await until('the calls are on record', async () => {
      const found = await replay({ rules })
      return found['different'] >= 4 && found
    })
    expect(report['differences']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tool: 'git__echo', caller: 'maria@acme.test', now: 'allow', draft: 'block' }),
        expect.objectContaining({
          tool: 'git__repo_list',
          caller: 'maria@acme.test',
          draft: 'warn',
          by: { now: null, draft: 'finance' },
        }),
      ]),
    )
    // The local key is in no group.
    const listed = report['differences'].filter(({ tool }: { tool: string }) => tool === 'git__repo_list')
    expect(new Set(listed.map(({ caller }: { caller: string }) => caller))).toEqual(new Set(['maria@acme.test']))
    const asks = { name: 'long', action: 'block', reason: 'x', match: { tools: ['echo'], when: 'args.limit > 5' } }
    const unknown = await replay({ rules: [asks] })
    expect(unknown).toMatchObject({ different: 0 })
    expect(unknown['unjudged']).toContainEqual(
      expect.objectContaining({ why: 'the arguments that "long" needs are not in the audit log' }),
    )
    const sum = unknown['unjudged'].reduce((all: number, { calls }: { calls: number }) => all + calls, 0)
    expect(unknown['same'] + sum).toBe(unknown['read'])
    // Without the platform's rule nothing would be blocked.
    const [{ name }] = (await explain({ tool: 'git__repo_delete' }))['rules']
    expect((await replay({ remove: [name] }))['differences']).toContainEqual(
      expect.objectContaining({ tool: 'git__repo_delete', now: 'block', draft: 'allow' }),
    )
  })

  test('that is none is refused with the place, and one that cannot be read says so', async () => {
    const refused = await admin(`POST ${POLICY}/replay`, { draft: { rules: [{ name: 'x', action: 'block' }] } })
    expect(refused).toMatchObject({ status: 422, body: { code: 'body.shape' } })
    const broken = await replay({ rules: [{ name: 'x', action: 'block', reason: 'x', match: { when: '!(' } }] })
    expect(broken['problems']).toMatchObject([{ rule: 'x' }])
  })
})

describe('rules of the organization', () => {
  const RULES = '/api/v1/organizations/default/rules'
  const add = async (rule: object) => {
    const added = await admin(`POST ${RULES}`, { reason: 'Because', ...rule })
    expect(added.status, added.text).toBe(201)
    return String(added.body['id'])
  }
  const Detail = z.object({ detail: z.record(z.string(), z.unknown()).nullable() })
  const details = async (tool: string) =>
    (
      await gateway.db.system(
        (sql) => sql(Detail)`select detail from records where target = ${tool} order by at desc, id desc limit 1`,
      )
    )[0]?.detail

  test('in the shadow change nothing, are counted, and say what they would have done', async () => {
    const id = await add({ name: 'no-hang', action: 'block', state: 'shadow', match: { tools: ['repo_list'] } })
    expect(await isRefused('git__repo_list')).toBe(false)
    await until('it is on record', async () => (await details('git__repo_list'))?.['policy'] !== undefined)
    expect(await details('git__repo_list')).toMatchObject({ policy: { shadows: { [id]: 'block' } } })
    const metrics = await (
      await fetch(`${gateway.address}/metrics`, { headers: { authorization: `Bearer ${gateway.key}` } })
    ).text()
    expect(metrics).toContain(`toolway_policy_shadow_total{rule="${id}",would="block"} 1`)
    const { body } = await admin(`GET ${POLICY}/shadow`)
    expect(body['items']).toMatchObject([
      { rule: 'no-hang', would: 'block', tool: 'git__repo_list', caller: 'maria@acme.test', calls: 1 },
    ])
    // Turned on, it does what it said.
    await admin(`PUT ${RULES}/${id}`, { state: 'on' })
    expect(await isRefused('git__repo_list')).toBe(true)
    await admin(`DELETE ${RULES}/${id}`)
    expect((await admin(`GET ${POLICY}/shadow`)).body['items']).toMatchObject([{ rule: id }])
  })

  test('name arguments that are kept on record, and then a draft about them is judged', async () => {
    const id = await add({
      ...{ name: 'label', action: 'clamp', parameters: { parameter: 'text', default: 'none' } },
      match: { tools: ['echo'], when: '!has(args.secret_token) || args.secret_token != ""' },
    })
    const echo = (text: string, more: object = {}) =>
      callTool({ url: gateway.url, key: mariaKey, era: 'modern' }, 'git__echo', { text, ...more })
    await echo('short', { secret_token: 'hunter2', unnamed: 'kept by nobody' })
    await echo('x'.repeat(65))
    const Text = z.object({ text: z.string().nullable() })
    const text = await until('it is on record', async () => {
      const [found] = await gateway.db.system(
        (sql) => sql(Text)`
          select json_agg(detail)::text as text from records where target = 'git__echo' and detail::text like '%"values"%'`,
      )
      return found?.text ?? false
    })
    expect(text).toContain('{"values": {"text": "short"}}')
    expect(text).not.toMatch(/hunter2|kept by nobody|xxxx/)
    const draft = {
      rules: [
        { name: 'no-short', action: 'block', reason: 'x', match: { tools: ['echo'], when: `args.text == 'short'` } },
      ],
    }
    const { body } = await admin(`POST ${POLICY}/replay`, { draft })
    expect(body['differences']).toMatchObject([
      { tool: 'git__echo', caller: 'maria@acme.test', draft: 'block', calls: 1 },
    ])
    await admin(`DELETE ${RULES}/${id}`)
  })

  test('on a group count from the moment that somebody joins it', async () => {
    const id = await add({
      name: 'crew',
      action: 'block',
      match: { tools: ['echo'], when: `'crew' in principal.groups` },
    })
    expect(await isRefused('git__echo')).toBe(false)
    const { passes } = (await explain({ tool: 'git__echo' }))['verdict']
    expect(passes).toEqual([])
    await platform(`PUT ${ADMIN}/tenants/default/groups/crew`, { members: ['maria@acme.test'] })
    expect(await isRefused('git__echo')).toBe(true)
    const told = await explain({ tool: 'git__echo' })
    expect(told['verdict']).toMatchObject({ action: 'block', rule: { name: 'crew' } })
    expect(told['verdict'].passes).toContain('not being in the group crew')
    await admin(`DELETE ${RULES}/${id}`)
  })
})

test('what shadow rules would have done is counted by rule, tool and caller, of the last days alone', async () => {
  const { id } = gateway.organization
  const entry = (days: number, shadows: Record<string, string>) => ({
    ...testEntry({ id: newId('rec'), org_id: id }),
    ...{ timestamp: new Date(Date.now() - days * 86_400_000).toISOString(), principal: maria },
    ...{ tool_name: 'git__echo', detail: { policy: { shadows } } },
  })
  await gateway.db.system((sql) =>
    storeRecords(sql, [
      entry(0, { rul_a: 'block' }),
      entry(1, { rul_a: 'block', rul_b: 'warn' }),
      entry(20, { rul_a: 'block' }),
    ]),
  )
  const week = await admin(`GET ${POLICY}/shadow`)
  const own = week.body['items'].filter(({ rule }: { rule: string }) => rule === 'rul_a' || rule === 'rul_b')
  expect(own).toMatchObject([
    { rule: 'rul_a', would: 'block', tool: 'git__echo', caller: 'maria@acme.test', calls: 2 },
    { rule: 'rul_b', would: 'warn', calls: 1 },
  ])
  expect((await admin(`GET ${POLICY}/shadow?days=30`)).body['items'][0]).toMatchObject({ calls: 3 })
})
