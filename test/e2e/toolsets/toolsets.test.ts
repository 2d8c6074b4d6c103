/** Toolsets: those that every organization has, and for whom one is there. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { ask, callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startEffects, type EffectsServer } from '../peers/servers/effects-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const PATH = '/api/v1/admin/tenants/default/toolsets'
const parts = new AsyncDisposableStack()
let server: EffectsServer
let gateway: TestGateway
let admin: Ask
let adminKey: string
beforeAll(async () => {
  server = parts.use(await startEffects())
  gateway = parts.use(
    await openGateway({
      connections: ['one', 'two'].map((alias) => ({ alias, wire: httpWire(server.url), trusted: true })),
    }),
  )
  adminKey = await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id })
  admin = createAsk(gateway, adminKey)
})
afterAll(() => parts.disposeAsync())

const at = (toolset: string) => `${gateway.address}/o/default/t/${toolset}/mcp`
async function seen(toolset: string, key = gateway.key): Promise<string[] | number> {
  const { status, answer } = await ask({ url: at(toolset), key, era: 'modern' }, 'tools/list')
  const tools = answer.result?.['tools'] as { name: string }[] | undefined
  return tools === undefined ? status : tools.map(({ name }) => name).toSorted()
}
const put = async (slug: string, settings: object) => {
  const answer = await admin(`PUT ${PATH}/${slug}`, settings)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const READ = ['one__list_all', 'one__look_up', 'two__list_all', 'two__look_up']
const WRITE = ['one__write_note', 'two__write_note']
const DROP = ['one__drop_all', 'two__drop_all']

describe('U-19: a supplied toolset', () => {
  test('is there without anybody making it, is listed, and takes keys', async () => {
    expect(await seen('read-only')).toEqual(READ)
    expect(await seen('standard')).toEqual([...READ, ...WRITE].toSorted())
    const { body } = await admin(`GET ${PATH}`)
    expect(body['items']).toMatchObject([
      { slug: 'admin', origin: 'supplied', tools: 8 },
      { slug: 'read-only', origin: 'supplied', tools: 4 },
      { slug: 'standard', origin: 'supplied', tools: 6 },
    ])
    const made = await admin('POST /api/v1/admin/tenants/default/keys', {
      name: 'reader',
      toolset: 'read-only',
    })
    expect(made.status, made.text).toBe(201)
    expect(await seen('read-only', String(made.body['key']))).toEqual(READ)
    expect(await seen('standard', String(made.body['key']))).toBe(404)
  })

  test('S1-EXP-06, S1-EVO-01: with what has side effects needs another key than the one for what only reads', async () => {
    for (const [name, url] of [
      ['one__drop_all', at('read-only')],
      ['one__write_note', at('read-only')],
      ['one__drop_all', at('standard')],
    ] as const) {
      const { answer } = await callTool({ url, key: gateway.key, era: 'modern' }, name)
      expect(answer.error).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` })
    }
    expect(server.called).toEqual([])
    expect(await seen('admin')).toBe(404)
    expect(await seen('no-such-toolset')).toBe(404)
    expect(await seen('admin', adminKey)).toEqual([...READ, ...WRITE, ...DROP].toSorted())
    const { answer } = await callTool({ url: at('admin'), key: adminKey, era: 'modern' }, 'one__drop_all')
    expect(answer.result?.content?.[0]?.text).toBe('did drop_all')
    expect(server.called).toEqual(['drop_all'])
  })

  test('gives way to one of its name, comes back when that is removed, and cannot be removed itself', async () => {
    await put('standard', { include: ['one__*'], limit: 'read', title: 'Ours' })
    expect(await seen('standard')).toEqual(['one__list_all', 'one__look_up'])
    expect((await admin(`GET ${PATH}/standard`)).body).toMatchObject({ title: 'Ours', origin: 'administration' })
    expect((await admin(`DELETE ${PATH}/standard`)).status).toBe(204)
    expect(await seen('standard')).toEqual([...READ, ...WRITE].toSorted())
    const again = await admin(`DELETE ${PATH}/standard`)
    expect(again.status).toBe(409)
    expect(again.text).toContain('is built in')
  })
})

describe('U-19: an audience', () => {
  test('is asked for its keys, by name or id, and for roles; for everybody else there is no such toolset', async () => {
    const other = await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id })
    await put('private', { audience: { keys: ['test'] } })
    expect(await seen('private')).toEqual([...READ, ...WRITE, ...DROP].toSorted())
    for (const key of [other, adminKey]) expect(await seen('private', key)).toBe(404)
    const refused = await ask({ url: at('private'), key: other, era: 'modern' }, 'tools/list')
    const unknown = await ask({ url: at('never-made'), key: other, era: 'modern' }, 'tools/list')
    const words = ({ answer }: typeof refused) => ({ ...answer.error, data: undefined })
    expect(words(refused)).toEqual(words(unknown))
    await put('private', { audience: { roles: ['tenant_admin'] } })
    expect(await seen('private')).toBe(404)
    expect(await seen('private', adminKey)).toEqual([...READ, ...WRITE, ...DROP].toSorted())
  })

  test('that names nobody is refused, and so is a word that there is none of', async () => {
    for (const audience of [{}, { everyone: true }, { roles: [] }, { members: ['no address'] }])
      expect((await admin(`PUT ${PATH}/wrong`, { audience })).status).toBe(422)
  })

  test('holds for whoever listens already: when it is taken out, its stream ends', async () => {
    await put('private', { audience: { keys: ['test'] } })
    const response = await fetch(at('private'), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    expect(response.status).toBe(200)
    let ended = false
    const reading = response.text().then(
      () => (ended = true),
      () => (ended = true),
    )
    await put('private', { audience: { roles: ['tenant_admin'] } })
    await until('the stream has ended', () => ended)
    await reading
  })
})

test('U-19: a connection can reach less far than the others of its toolset, and never farther', async () => {
  await put('mixed', { limit: 'write', limits: { one: 'read', two: 'execute' } })
  expect(await seen('mixed')).toEqual([...READ, 'two__write_note'].toSorted())
  for (const [name, code] of [
    ['one__write_note', 'Unknown tool: one__write_note'],
    ['two__drop_all', 'Unknown tool: two__drop_all'],
  ] as const) {
    const { answer } = await callTool({ url: at('mixed'), key: gateway.key, era: 'modern' }, name)
    expect(answer.error?.message).toBe(code)
  }
})

test('a toolset says what its definitions cost by each way of discovery', async () => {
  const body = await put('metered', { discovery: 'search', pinned: ['one__look_up'] })
  const { direct, paged, search, 'two-tier': tiers } = body['definition_tokens'] as Record<string, number>
  expect(body).toMatchObject({ tools: 8, listed: 4, exceeds: [] })
  expect(paged).toBe(direct)
  const { answer } = await ask({ url: at('metered'), key: gateway.key, era: 'modern' }, 'tools/list')
  // One token for four bytes of what the client reads.
  expect(search).toBe(Math.ceil(Buffer.byteLength(JSON.stringify(answer.result?.['tools'])) / 4))
  expect(tiers).toBeGreaterThan(0)
})

describe('where rules know callers', () => {
  const rules = [
    {
      name: 'not-for-members',
      action: 'hide',
      match: { tools: ['one__drop_all'], when: "principal.role == 'tenant_member'" },
      reason: 'Only administrators destroy',
    },
  ]
  const found = async (toolset: string, key: string) => {
    const peer = { url: at(toolset), key, era: 'modern' as const }
    const { answer } = await callTool(peer, 'search_tools', { query: 'drop all', limit: 50 })
    const said = answer.result?.['structuredContent'] as { tools: { name: string }[] } | undefined
    return said?.tools.map(({ name }) => name)
  }

  test('each finds, reads and calls what it may see, and the rest is as if it were not there', async () => {
    await put('ruled', { discovery: 'search', rules })
    await until('the toolset is there', async () => (await seen('ruled')) !== 404)
    expect(await found('ruled', adminKey)).toEqual(expect.arrayContaining(['one__drop_all', 'two__drop_all']))
    const members = await found('ruled', gateway.key)
    expect(members).toContain('two__drop_all')
    expect(members).not.toContain('one__drop_all')
    const before = server.called.length
    const words: (string | undefined)[] = []
    for (const name of ['describe_tool', 'call_tool'])
      for (const asked of ['one__drop_all', 'one__drap_all']) {
        const { answer } = await callTool({ url: at('ruled'), key: gateway.key, era: 'modern' }, name, { name: asked })
        expect(answer.result?.isError).toBe(true)
        if (asked !== 'one__drop_all') expect(JSON.stringify(answer)).not.toContain('one__drop_all')
        words.push(answer.result?.content?.[0]?.text.replace(asked, 'NAME').replace(/; did you mean [^.]*/, ''))
      }
    // A hidden tool and one that does not exist get the same text, except for the nearest names.
    expect(new Set(words).size).toBe(1)
    expect(server.called).toHaveLength(before)
    const peer = { url: at('ruled'), key: adminKey, era: 'modern' as const }
    const { answer } = await callTool(peer, 'call_tool', { name: 'one__drop_all' })
    expect(answer.result?.content?.[0]?.text).toBe('did drop_all')
  })

  test('an app whose tools are all hidden from a caller is none for it', async () => {
    const every = rules.map((rule) => ({ ...rule, match: { ...rule.match, tools: ['one__*'] } }))
    await put('tiered', { discovery: 'two-tier', rules: every })
    await until('the toolset is there', async () => (await seen('tiered')) !== 404)
    expect(await seen('tiered')).toEqual(['two__execute_tool', 'two__list_tools'])
    expect(await seen('tiered', adminKey)).toHaveLength(4)
    const peer = { url: at('tiered'), key: gateway.key, era: 'modern' as const }
    const apps = (await ask(peer, 'resources/list')).answer.result?.['resources']
    expect(apps).toMatchObject([{ uri: 'app://two', name: 'TWO' }])
    expect((await ask(peer, 'resources/read', { uri: 'app://one' })).answer.error).toBeDefined()
    const { answer } = await callTool(peer, 'one__list_tools')
    expect(JSON.stringify(answer)).not.toContain('look_up')
  })
})
