/** Rules of the platform about tools: what a client sees of them, in every organization, and when. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Sql } from '../../../packages/gateway/src/db/db.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const RULES = '/api/v1/admin/policies/tools'
const TOOLS = ['repo_delete_branch', 'Drop_DELETE_all', 'deleted_items', 'repo_list_branches']
const Recorded = z.object({
  outcome: z.string(),
  code: z.string().nullable(),
  decision: z.string(),
  detail: z.unknown(),
})

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
let platform: Ask
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  probe.state.grown.push(...TOOLS)
  gateway = parts.use(await openGateway({ connections: [{ alias: 'git', wire: httpWire(probe.url) }] }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const seen = async (url = gateway.url) => (await toolNames(gateway, url)).map((name) => name.replace('git__', ''))
const call = (name: string, url = gateway.url) => callTool({ url, key: gateway.key, era: 'modern' }, name)
const add = async (rule: object) => {
  const added = await platform(`POST ${RULES}`, { reason: 'Nothing is deleted here', ...rule })
  expect(added.status, added.text).toBe(201)
  return added.body
}
const remove = (id: unknown) => platform(`DELETE ${RULES}/${String(id)}`)
const lastCall = () =>
  gateway.db.system(
    (sql) => sql(Recorded)`
      select outcome, code, decision, detail from records where kind = 'call' order by at desc, id desc limit 1`,
  )

describe('a rule', () => {
  test('S3-POLY-01: blocks tools by a pattern on their names, for every door, and others work', async () => {
    const { id } = await add({ tool_name_pattern: '*_delete_*', action: 'block' })
    for (const url of [gateway.url, gateway.connectionUrl('git')]) {
      const names = await seen(url)
      expect(names).toEqual(expect.arrayContaining(['deleted_items', 'repo_list_branches', 'echo']))
      expect(names.filter((name) => /_delete_/i.test(name))).toEqual([])
      const prefix = url === gateway.url ? 'git__' : ''
      for (const name of ['repo_delete_branch', 'Drop_DELETE_all']) {
        const { answer } = await call(`${prefix}${name}`, url)
        expect(answer.result?.isError).toBe(true)
        expect(answer.result?.content?.[0]?.text).toMatch(/^POLICY_VIOLATION: .*Nothing is deleted here/)
        expect(answer.result?.['_meta']).toMatchObject({
          'dev.toolway/fault': { code: 'POLICY_VIOLATION', fault: 'policy.blocked' },
        })
      }
      expect((await call(`${prefix}repo_list_branches`, url)).answer.result?.isError).not.toBe(true)
    }
    // A record of a call before may be written later.
    const refusal = await until('the refusal is on record', async () => {
      await call('git__repo_delete_branch')
      const [record] = await lastCall()
      return record?.code === 'policy.blocked' && record
    })
    expect(refusal).toEqual({
      outcome: 'refused',
      code: 'policy.blocked',
      decision: 'refuse',
      detail: { rule: id, error: expect.any(Object), timings: expect.any(Object) },
    })
    // The upstream has never heard of it.
    expect(probe.state.events).toEqual([])
    await remove(id)
    expect(await seen()).toContain('repo_delete_branch')
    expect((await call('git__repo_delete_branch')).answer.result?.isError).not.toBe(true)
  })

  test('S3-POLY-02: is asked of memory at each call: nothing is read from the database', async () => {
    const { id } = await add({ tool_name_pattern: 'echo', action: 'block' })
    await call('git__echo')
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
    for (let times = 0; times < 40; times++) {
      expect((await call('git__echo')).answer.result?.isError).toBe(true)
      expect((await call('git__repo_list_branches')).answer.result?.isError).not.toBe(true)
      expect(await seen()).not.toContain('echo')
    }
    await until('the calls are on record', () => statements.some((text) => text.includes('append_records')))
    vi.restoreAllMocks()
    await remove(id)
    // Records are added and streamed, and jobs look for their work; what a call would read was read 80 times.
    const asked = statements.filter((text) => /\bselect\b/.test(text) && !/append_records|record_streams/.test(text))
    const times = new Map<string, number>()
    for (const text of asked) times.set(text, (times.get(text) ?? 0) + 1)
    expect([...times].filter(([, count]) => count >= 40)).toEqual([])
  })

  test('S3-POLY-01: that warns lets tools work, and the record says so', async () => {
    const { id } = await add({ tool_name_pattern: 'git__repo_*', action: 'warn' })
    expect(await seen()).toContain('repo_list_branches')
    expect((await call('git__repo_list_branches')).answer.result?.isError).not.toBe(true)
    await until('the call is on record', async () => (await lastCall())[0]?.decision === 'warn')
    expect(await lastCall()).toEqual([
      { outcome: 'ok', code: null, decision: 'warn', detail: { rule: id, timings: expect.any(Object) } },
    ])
    const listed = await platform('GET /api/v1/admin/tenants/default/connectors/git/tools?search=list_branches')
    expect(listed.body['items']).toMatchObject([{ hidden_by: null, rule: { id, action: 'warn' } }])
    await remove(id)
  })

  test('S3-POLY-01: that blocks goes before one that warns, and one of another connector is none', async () => {
    const warn = await add({ tool_name_pattern: '*', action: 'warn' })
    const block = await add({
      tool_name_pattern: 'echo',
      action: 'block',
      reason: 'No echo.',
      connector_type: 'mcp.http',
    })
    const other = await add({ tool_name_pattern: '*', action: 'block', connector_type: 'mcp.process' })
    expect(await seen()).not.toContain('echo')
    expect(await seen()).toContain('repo_list_branches')
    const listed = await platform('GET /api/v1/admin/tenants/default/connectors/git/tools?search=echo')
    expect(listed.body['items']).toMatchObject([
      { enabled: true, hidden_by: 'rule', rule: { id: block['id'], action: 'block', reason: 'No echo.' } },
    ])
    await platform(`PUT ${RULES}/${String(block['id'])}`, { is_active: false })
    expect(await seen()).toContain('echo')
    // Under a name that it has only where tools are named after MCP: the list says what a call meets.
    const named = await add({ tool_name_pattern: 'mcp__git__echo', action: 'block', reason: 'No echo by that name.' })
    expect(await seen()).not.toContain('echo')
    const again = await platform('GET /api/v1/admin/tenants/default/connectors/git/tools?search=echo')
    expect(again.body['items']).toMatchObject([{ hidden_by: 'rule', rule: { id: named['id'] } }])
    for (const { id } of [warn, block, other, named]) await remove(id)
  })

  test('S3-POLY-03: is made, listed, changed and removed over HTTP; it holds at once, after a restart, and at every gateway', async () => {
    const added = await add({ tool_name_pattern: 'echo', action: 'block' })
    expect(added).toMatchObject({ is_active: true, connector_type: null, created_by: expect.stringMatching(/^key_/) })
    expect((await platform(`GET ${RULES}?action=block`)).body).toMatchObject({ items: [added], total: 1 })
    await gateway.restart()
    await until('the first list after the restart', async () => (await seen()).length > 0)
    expect(await seen()).not.toContain('echo')
    await using other = await gateway.another()
    const there = `${other.address}/mcp`
    expect(await seen(there)).not.toContain('echo')
    const changed = await platform(`PUT ${RULES}/${String(added['id'])}`, { tool_name_pattern: 'fail' })
    expect(changed.body).toMatchObject({ tool_name_pattern: 'fail', action: 'block', reason: added['reason'] })
    expect(await seen()).toContain('echo')
    await until('the other gateway has heard', async () => {
      const names = await seen(there)
      return names.includes('echo') && !names.includes('fail')
    })
    expect((await remove(added['id'])).status).toBe(204)
    expect((await remove(added['id'])).status).toBe(404)
    expect(await seen()).toContain('fail')
    const said = (await changesIn(gateway)).filter(({ resource_id }) => resource_id === added['id'])
    expect(said.map(({ method, organization_id }) => `${method} ${organization_id}`)).toEqual([
      'rule.add platform',
      'rule.change platform',
      'rule.remove platform',
    ])
  })

  test.each(['', 'a b', 'dele?e', 'x[yz]', '{a,b}', '!a', 'x'.repeat(201)])('is not written as %j', async (pattern) => {
    const body = { tool_name_pattern: pattern, action: 'block', reason: 'x' }
    expect((await platform(`POST ${RULES}`, body)).status).toBe(422)
  })

  test('is the business of platform administrators alone', async () => {
    const role = 'tenant_admin'
    const admin = createAsk(gateway, await addKey(gateway, { role, organization: gateway.organization.id }))
    expect((await admin(`GET ${RULES}`)).status).toBe(403)
    expect((await admin(`POST ${RULES}`, { tool_name_pattern: 'x', action: 'warn', reason: 'x' })).status).toBe(403)
    expect((await admin(`DELETE ${RULES}/rul_x`)).status).toBe(403)
  })
})
