/**
 * Tests the source of a tool's effect. One rule for keys, rules and approvals: the hint of a server that is not trusted can only
 * make a tool more dangerous. Also tests the approvals that an organization requests by default.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { mintKey } from '../../../packages/gateway/src/identity/keys/keys.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { connectWithOAuth, createStore, OAUTH_KINDS } from '../peers/clients/oauth-client.ts'
import { connectClient } from '../peers/clients/client.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { join } from '../peers/people/people.ts'
import { createPerson } from '../peers/people/oauth-person.ts'
import { startEffects, type EffectsServer } from '../peers/servers/effects-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const READER = mintKey()
const CONNECTION = '/api/v1/admin/tenants/default/connectors/evil'
const TOOLS = `${CONNECTION}/tools`

const parts = new AsyncDisposableStack()
let server: EffectsServer
let gateway: TestGateway
let admin: Ask
beforeAll(async () => {
  server = parts.use(await startEffects())
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'evil', wire: httpWire(server.url) }],
      keys: [{ name: 'reader', value: READER, toolset: undefined, limit: 'read' }],
    }),
  )
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
})
afterAll(() => parts.disposeAsync())

const seen = (key: string) => toolNames({ key }, gateway.url)
const codeOf = async (name: string, key = gateway.key, url = gateway.url) => {
  const { answer } = await callTool({ url, key, era: 'modern' }, name)
  const fault = (answer.result?.['_meta'] as { 'dev.toolway/fault'?: { fault: string } } | undefined)?.[
    'dev.toolway/fault'
  ]
  return fault?.fault ?? answer.error?.data?.['fault'] ?? 'called'
}
const described = async (name: string) => {
  const { body } = await admin(`GET ${TOOLS}?search=${name}`)
  const { effect, effect_from, stated_effect } = body['items'][0]
  return [effect, effect_from, stated_effect]
}

describe('U-07: the effect of a tool', () => {
  test('that its server says to only read counts as a write where the server is not trusted: a key that reads does not reach it', async () => {
    expect(await described('look_up')).toEqual(['write', 'unknown', 'read'])
    expect(await described('drop_all')).toEqual(['destructive', 'server', 'destructive'])
    expect(await seen(READER)).toEqual([])
    expect(await codeOf('evil__look_up', READER)).not.toBe('called')
    expect(server.called).not.toContain('look_up')
  })

  test('is in a list for whoever asks for it, with whose word it is; other lists say nothing of it', async () => {
    const { url, key } = gateway
    const listed = async (era: 'modern' | 'legacy', meta: Record<string, unknown>) => {
      const peer = era === 'legacy' ? await openSession(url, key) : { url, key, era }
      const { answer } = await ask(peer, 'tools/list', {}, { meta })
      return answer.result?.['tools'] as { name: string; _meta?: Record<string, unknown> }[]
    }
    for (const era of ['modern', 'legacy'] as const) {
      const asked = await listed(era, { 'dev.toolway/effects': true })
      const effects = Object.fromEntries(asked.map(({ name, _meta: meta }) => [name, meta?.['dev.toolway/effect']]))
      expect(effects).toMatchObject({
        evil__look_up: { effect: 'write', from: 'unknown' },
        evil__drop_all: { effect: 'destructive', from: 'server' },
      })
      const plain = await listed(era, {})
      expect(plain.length).toBe(asked.length)
      expect(JSON.stringify(plain)).not.toContain('dev.toolway/effect')
    }
  })

  test('that nobody who counts states is unknown in lists, filters and on the page where a client is allowed', async () => {
    const all = '/api/v1/organizations/default/tools'
    for (const path of [TOOLS, all]) {
      const names = async (effect: string) =>
        (await admin(`GET ${path}?effect=${effect}`)).body['items'].map(({ name }: { name: string }) => name).toSorted()
      expect(await names('unknown')).toEqual(['list_all', 'look_up', 'write_note'])
      expect(await names('write')).toEqual([])
      expect(await names('destructive')).toEqual(['drop_all'])
    }
    await addPerson(gateway.db, { email: 'ada@example.com', roles: [[gateway.organization.id, 'tenant_member']] })
    const shown: string[] = []
    const person = createPerson(gateway.address, { email: 'ada@example.com' })
    const seen = {
      ...person,
      async open(address: string | URL) {
        const journey = await person.open(address)
        shown.push(...journey.pages.map(({ html }) => html))
        return journey
      },
    }
    await using _client = await connectWithOAuth(OAUTH_KINDS[0], gateway.url, seen, { store: createStore() })
    const page = shown.find((html) => html.includes('requests access to your tools')) ?? ''
    expect(page).toContain('No tools that can write')
    expect(page).toContain('3 tools with an unknown effect (treated as ones that can write)')
    expect(page).toContain('1 tool that can be destructive')
  })

  test('that nobody who counts states is unknown in the question that a client shows its person, too', async () => {
    const rules = '/api/v1/organizations/default/rules'
    const match = { tools: ['evil__write_note'] }
    const rule = { name: 'ask', action: 'approve', reason: 'Ask.', match, parameters: { by: { self: true } } }
    const { body } = await admin(`POST ${rules}`, rule)
    const bob = await join('bob@example.com', { ...gateway, roles: [[gateway.organization.id, 'tenant_member']] })
    await using client = await connectClient({ kind: 'SDK 2 legacy', url: gateway.url, key: bob.token, answers: true })
    await client.call('evil__write_note', {})
    expect(String(client.asked[0]?.params?.['message'])).toContain('Run write_note (effect unknown) on evil')
    await admin(`DELETE ${rules}/${String(body['id'])}`)
  })

  test('is told to rules in the same way', async () => {
    const rules = '/api/v1/organizations/default/rules'
    const rule = { name: 'no-writes', action: 'block', reason: 'No.', match: { effects: ['write', 'destructive'] } }
    const { body } = await admin(`POST ${rules}`, rule)
    expect(await codeOf('evil__look_up')).toBe('policy.blocked')
    await admin(`DELETE ${rules}/${String(body['id'])}`)
  })

  test('is what an administrator says, until the word is taken back; and what a trusted server says', async () => {
    const said = await admin(`PATCH ${TOOLS}/look_up`, { effect: 'read' })
    expect(said.body).toMatchObject({
      effect: 'read',
      effect_from: 'administrator',
      stated_effect: 'read',
      enabled: true,
    })
    expect(await seen(READER)).toEqual(['evil__look_up'])
    expect(await codeOf('evil__look_up', READER)).toBe('called')
    // Switching all tools takes no word back.
    await admin(`POST ${TOOLS}/disable-all`)
    await admin(`POST ${TOOLS}/enable-all`)
    expect(await described('look_up')).toEqual(['read', 'administrator', 'read'])
    expect((await admin(`PATCH ${TOOLS}/look_up`, { effect: null })).body).toMatchObject({ effect_from: 'unknown' })
    expect(await seen(READER)).toEqual([])
    await admin(`PUT ${CONNECTION}/lock`, { mode: 'off', trusted: true })
    expect(await seen(READER)).toContain('evil__look_up')
    await admin(`PUT ${CONNECTION}/lock`, { mode: 'off', trusted: false })
    expect((await admin(`PATCH ${TOOLS}/nothing`, { effect: 'read' })).status).toBe(404)
  })
})

describe('an organization that is made new', () => {
  const NEW = '/api/v1/admin/tenants/fresh'
  let url: string
  let fresh: Ask
  let caller: string
  let settings: unknown
  beforeAll(async () => {
    // The organizations of other tests ask nobody.
    await gateway.db.system(
      (sql) => sql(z.object({}))`delete from installation where name = 'approvals of new organizations'`,
    )
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const { body } = await platform('POST /api/v1/admin/tenants', { slug: 'fresh', name: 'Fresh' })
    settings = body['settings']
    fresh = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: String(body['id']) }))
    const made = await platform(`POST ${NEW}/connectors`, {
      alias: 'notes',
      connector: 'mcp.http',
      url: server.url,
      private: true,
    })
    if (made.status !== 201) throw new Error(made.text)
    url = `${gateway.address}/o/fresh/t/default/mcp`
    const key = await fresh(`POST ${NEW}/keys`, { name: 'caller' })
    caller = String(key.body['key'])
    await until('its tools are there', async () => (await toolNames({ key: caller }, url)).length > 0)
  })

  const call = (name: string) => callTool({ url, key: caller, era: 'modern' }, `notes__${name}`)
  const fault = async (name: string) => codeOf(`notes__${name}`, caller, url)

  test('S2-BRG-05: asks before what destroys, and before what nobody trusted vouches for; the refusal says how to allow it', async () => {
    expect(settings).toEqual({ approvals: 'ask-destructive' })
    const { answer } = await call('drop_all')
    expect(answer.result?.content?.[0]?.text).toMatch(
      /^APPROVAL_REQUIRED: .*may be destructive.*\/approvals\/.*always for this tool.*toolway lock trust/s,
    )
    expect(await fault('look_up')).toBe('approval.required')
    const { body } = await fresh(`GET ${NEW}/connectors/notes/tools`)
    const approvals = Object.fromEntries(
      body['items'].map((tool: { name: string; approval: string }) => [tool.name, tool.approval]),
    )
    expect(approvals).toMatchObject({ drop_all: 'always', look_up: 'ask' })
  })

  test('asks no more about what somebody trusted says is harmless, and always about what destroys', async () => {
    await fresh(`PUT ${NEW}/connectors/notes/lock`, { mode: 'off', trusted: true })
    await until('the server is trusted', async () => (await fault('look_up')) === 'called')
    expect(await fault('drop_all')).toBe('approval.required')
    const { body } = await fresh(`GET ${NEW}/connectors/notes/tools?search=look_up`)
    expect(body['items'][0]).toMatchObject({ approval: 'none', effect: 'read', effect_from: 'server' })
    await fresh(`PATCH ${NEW}/connectors/notes/tools/drop_all`, { effect: 'write' })
    await until('an administrator says that it only writes', async () => (await fault('drop_all')) === 'called')
  })

  test('asks nobody once it says so', async () => {
    await fresh(`PATCH ${NEW}/connectors/notes/tools/drop_all`, { effect: null })
    await until('it destroys again', async () => (await fault('drop_all')) === 'approval.required')
    await fresh(`PUT ${NEW}/settings`, { approvals: 'off' })
    await until('nobody is asked', async () => (await fault('drop_all')) === 'called')
    const { body } = await fresh(`GET ${NEW}/connectors/notes/tools?search=drop_all`)
    expect(body['items'][0]).toMatchObject({ approval: 'none', effect: 'destructive' })
  })
})
