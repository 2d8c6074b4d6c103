/**
 * One tool has several names: those of the presets `nebo`, `agent` and `sagemcp`, those that a toolset gives, and its server's own.
 * Explanations, rules, shadows and replays take each of them, and a rule that matches no tool is refused unless it is forced.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agent } from '../../../packages/gateway/src/preset-agent.ts'
import type { Preset } from '../../../packages/gateway/src/preset.ts'
import { nebo } from '../../../packages/gateway/src/preset-nebo.ts'
import { sagemcp } from '../../../packages/gateway/src/preset-sagemcp.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Answered, type Ask } from '../peers/people/administrators.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const POLICY = '/api/v1/organizations/default/policy'
const RULES = '/api/v1/organizations/default/rules'
const parts = new AsyncDisposableStack()
const RENAMED = 'PUT /api/v1/admin/tenants/default/toolsets/renamed'
let gateway: TestGateway
let admin: Ask
let key: string

/** Of the preset `agent`, whose connections are not made here. */
const VARIABLES: Readonly<Record<string, string>> = { COMPOSIO_API_KEY: 'ak_1', DEFAULT_USER_ID: 'user_1' }
const lookup = (name: string) => VARIABLES[name]

/** The toolset of a preset with its naming, and all tools. */
function namedBy(preset: Pick<Preset, 'organization'>, slug: string) {
  const { toolsets } = preset.organization(lookup) as { toolsets: Record<string, { naming: 'mcp' | 'plain' }> }
  const { naming } = toolsets[slug] ?? { naming: 'alias' as never }
  return { slug, title: slug, settings: { include: ['*'], exclude: [], naming } }
}

beforeAll(async () => {
  const [notes, git] = [parts.use(await startProbe({ era: 'modern' })), parts.use(await startProbe({ era: 'modern' }))]
  notes.state.grown.push('write_note')
  git.state.grown.push('open_issue')
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'notes', wire: httpWire(notes.url) },
        { alias: 'git', wire: httpWire(git.url) },
      ],
      toolsets: [namedBy(nebo, 'agent'), namedBy(agent, 'main'), namedBy(sagemcp, 'all')],
    }),
  )
  key = await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id })
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  await admin(RENAMED, { tools: { notes__write_note: { name: 'jot' } } })
})
afterAll(() => parts.disposeAsync())

const at = (toolset: string) => `${gateway.address}/o/default/t/${toolset}/mcp`
const call = (toolset: string, name: string) => callTool({ url: at(toolset), key, era: 'modern' }, name)
/** The name of the same tool at the endpoint of each naming. */
const NAMES = [
  ['agent', 'mcp__notes__write_note'],
  ['main', 'mcp__notes__write_note'],
  ['all', 'write_note'],
  ['renamed', 'jot'],
  ['default', 'notes__write_note'],
] as const
const explain = (question: object): Promise<Answered> => admin(`POST ${POLICY}/explain`, question)

describe('every name that an endpoint lists a tool under', () => {
  test('explains the tool, with and without the toolset', async () => {
    for (const [toolset, tool] of NAMES)
      for (const question of [{ tool }, { tool, toolset }]) {
        const { status, body, text } = await explain(question)
        expect([status, body['tool']], text).toMatchObject([200, { name: 'write_note', connection: 'notes' }])
      }
    const { body } = await admin('GET /api/v1/organizations/default/tools/mcp__notes__write_note')
    expect(body).toMatchObject({ name: 'write_note', alias: 'notes' })
  })

  test('that several tools share is refused with the names that lead to one', async () => {
    const { status, body } = await explain({ tool: 'echo' })
    expect([status, body['code'], body['detail']]).toEqual([
      409,
      'tool.unclear',
      'Several tools are called "echo": git__echo, notes__echo.',
    ])
    expect((await explain({ tool: 'mcp__git__echo' })).body['tool']).toMatchObject({ connection: 'git' })
  })

  test('fits the pattern of a rule, which then holds at every endpoint', async () => {
    for (const pattern of ['mcp__notes__*', 'write_note', 'jot', 'notes__write_note']) {
      const match = { tools: [pattern] }
      const added = await admin(`POST ${RULES}`, { name: 'no-notes', action: 'block', reason: 'No notes', match })
      expect(added.status, added.text).toBe(201)
      for (const [toolset, name] of NAMES) {
        const { answer } = await call(toolset, name)
        expect(JSON.stringify(answer), `${pattern} at ${toolset}`).toContain('No notes')
      }
      expect(JSON.stringify((await call('agent', 'mcp__git__open_issue')).answer)).not.toContain('No notes')
      await admin(`DELETE ${RULES}/${added.body['id']}`)
    }
  })

  test('is not enough for an exception where a toolset chose the name: whoever edits toolsets lifts no rule', async () => {
    const block = { name: 'no-notes', action: 'block', reason: 'No notes', match: { tools: ['notes__*'] } }
    const lift = { name: 'jot', action: 'allow', reason: 'Jotting is fine', parameters: { lifts: ['no-notes'] } }
    const added = [
      await admin(`POST ${RULES}`, block),
      await admin(`POST ${RULES}?force=true`, { ...lift, match: { tools: ['jot'] } }),
    ]
    expect(added.map(({ status }) => status)).toEqual([201, 201])
    expect(JSON.stringify((await call('renamed', 'jot')).answer)).toContain('No notes')
    const lifted = await admin(`PUT ${RULES}/${added[1]?.body['id']}`, { match: { tools: ['mcp__notes__write_note'] } })
    expect(lifted.status, lifted.text).toBe(200)
    expect(JSON.stringify((await call('renamed', 'jot')).answer)).not.toContain('No notes')
    for (const { body } of added) await admin(`DELETE ${RULES}/${body['id']}`)
  })
})

test('calls by every name are one tool to a replay and to the table of shadows', async () => {
  const rule = { name: 'watch', action: 'block', state: 'shadow', reason: 'x', match: { tools: ['notes__write_note'] } }
  const added = await admin(`POST ${RULES}`, rule)
  for (const [toolset, name] of NAMES) await call(toolset, name)
  const shadow = await until('all are on record', async () => {
    const { body } = await admin(`GET ${POLICY}/shadow`)
    const items = (body['items'] as { rule: string; calls: number; tool: string }[]).filter(
      (one) => one.rule === 'watch',
    )
    return items.reduce((sum, { calls }) => sum + calls, 0) === NAMES.length && items
  })
  expect(shadow).toMatchObject([{ tool: 'notes__write_note', would: 'block', calls: NAMES.length }])
  await admin(`DELETE ${RULES}/${added.body['id']}`)

  const rules = [{ name: 'no-writing', action: 'block', reason: 'x', match: { tools: ['write_note'] } }]
  const { body } = await admin(`POST ${POLICY}/replay`, { draft: { rules } })
  expect(body['unjudged'].filter(({ why }: { why: string }) => why.includes('no longer exists'))).toEqual([])
  expect(body['differences']).toMatchObject([{ tool: 'notes__write_note', now: 'allow', draft: 'block' }])
  // The toolset calls it otherwise from now on: the record still says which tool it was.
  await admin(RENAMED, { tools: { git__open_issue: { name: 'jot' } } })
  const again = await admin(`POST ${POLICY}/replay`, { draft: { rules } })
  expect(again.body['differences']).toEqual(body['differences'])
})

describe('a rule whose pattern matches no known tool', () => {
  const rule = (pattern: string, more: object = {}) => ({
    ...{ name: 'idle', action: 'block', reason: 'x', match: { tools: [pattern] }, ...more },
  })

  test('is refused with the names that may have been meant, at each door of the interface', async () => {
    const refused = await admin(`POST ${RULES}`, rule('notes__write_nota'))
    expect([refused.status, refused.body['code']]).toEqual([409, 'rule.idle'])
    expect(refused.body['detail']).toBe(
      'The pattern "notes__write_nota" matches no known tool (did you mean notes__write_note?), so the rule would do nothing.',
    )
    for (const [path, body] of [
      [`POST ${RULES}/batch`, { rules: [rule('notes__*'), rule('nots__*', { name: 'other' })] }],
      [`POST ${RULES}`, rule('git__write_note', { scope: 'connection', of: 'git' })],
      [`POST ${RULES}`, rule('notes__*', { scope: 'connection', of: 'git' })],
      [RENAMED, { include: ['*'], exclude: [], rules: [rule('nots__*')] }],
    ] as const)
      expect((await admin(path, body)).body['code'], path).toBe('rule.idle')
    const { body } = await admin(`GET ${RULES}`)
    expect(body['items']).toEqual([])
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    for (const at of ['', '/batch']) {
      const words = at === '' ? rule('nots__*') : { rules: [rule('nots__*')] }
      expect((await platform(`POST /api/v1/admin/rules${at}`, words)).body['code']).toBe('rule.idle')
    }
  })

  test('is added where it is forced; it can be changed as long as its patterns stay or match', async () => {
    const added = await admin(`POST ${RULES}?force=true`, rule('later__*'))
    expect(added.status, added.text).toBe(201)
    const path = `PUT ${RULES}/${added.body['id']}`
    expect((await admin(path, { reason: 'y' })).status).toBe(200)
    expect((await admin(path, { match: { tools: ['later__*'], when: 'true' } })).status).toBe(200)
    expect((await admin(path, { match: { tools: ['latter__*'] } })).body['code']).toBe('rule.idle')
    expect((await admin(`${path}?force=true`, { match: { tools: ['latter__*'] } })).status).toBe(200)
    await admin(`DELETE ${RULES}/${added.body['id']}`)
  })

  test('is accepted where its connection has not been read yet', async () => {
    const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
    const connected = await admin(`POST ${CONNECTORS}`, { alias: 'later', url: 'https://later.example.test/mcp' })
    expect(connected.status, connected.text).toBe(201)
    const added = await admin(`POST ${RULES}/batch`, {
      rules: [rule('later__*'), rule('mcp__later__x', { name: 'b' })],
    })
    expect(added.status, added.text).toBe(201)
    expect(added.body['idle']).toEqual(['later__*', 'mcp__later__x'])
    expect((await admin(`POST ${RULES}`, rule('nots__*', { name: 'c' }))).body['code']).toBe('rule.idle')
  })
})
