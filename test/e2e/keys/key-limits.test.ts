/** How far a key reaches: what it may not call it does not see, at every endpoint, and the same for the role and the organization. */
import { fileURLToPath } from 'node:url'
import { EFFECTS, effectOf, LIMITS, reaches, type Limit } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintKey } from '../../../packages/gateway/src/identity/keys/key-forms.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool, textIn } from '../../fault/caller.ts'
import { ask as askEra } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'

const script = fileURLToPath(new URL('../../../packages/gateway/src/demo/demo-server.ts', import.meta.url))
const demo = {
  alias: 'demo',
  wire: { kind: 'process' as const, command: process.execPath, args: [script], environment: {} },
}
const TOOLS = { read: 'calculate', write: 'notes_add', destructive: 'notes_remove' } as const
const GIVEN = {
  read: { expression: '6*7' },
  write: { title: 'Milk', text: 'Buy it' },
  destructive: { title: 'Milk' },
} as const
const SCOPES = { tenant_admin: 'tenant_admin', tenant_member: 'tenant_member', tenant_viewer: 'tenant_viewer' } as const

const keys = Object.fromEntries(LIMITS.map((limit) => [limit, mintKey()])) as Record<Limit, string>
const roles = Object.fromEntries(Object.values(SCOPES).map((role) => [role, mintKey('smcp', role)])) as Record<
  keyof typeof SCOPES,
  string
>
const quiet = mintKey()
const theirs = mintKey()

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({
    connections: [{ ...demo, trusted: true }],
    toolsets: [{ slug: 'quiet', title: 'Quiet', settings: { include: ['*'], exclude: [], limit: 'read' } }],
    keys: [
      ...LIMITS.map((limit) => ({ name: limit, value: keys[limit], toolset: undefined, limit })),
      ...Object.values(SCOPES).map((role) => ({ name: role, value: roles[role], toolset: undefined, role })),
      { name: 'quiet', value: quiet, toolset: 'quiet' },
    ],
    others: [
      {
        slug: 'other',
        name: undefined,
        toolsets: [],
        connections: [{ title: 'Demo', enabled: true, revision: 'auto', timeout: 30, ...demo, alias: 'theirs' }],
        keys: [{ name: 'theirs', value: theirs, toolset: undefined }],
      },
    ],
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Tool {
  readonly name: string
  readonly annotations: unknown
}
async function list(url: string, key: string): Promise<Tool[]> {
  const { message } = await ask({ url, key }, 'tools/list')
  return (message.result?.['tools'] ?? []) as Tool[]
}
/** Joined names, and one connection's own. */
const endpoints = () => [
  { url: gateway.url, named: (tool: string) => `demo__${tool}` },
  { url: gateway.connectionUrl('demo'), named: (tool: string) => tool },
]
const UNKNOWN = /^Unknown tool: /

describe('U-07: the limit of a key', () => {
  const cases = LIMITS.flatMap((limit) => EFFECTS.map((effect) => ({ limit, effect, may: reaches(limit, effect) })))

  test.each(cases)('S0-AUT-12: of $limit and a tool that is $effect: $may', async ({ limit, effect, may }) => {
    for (const { url, named } of endpoints()) {
      const tool = named(TOOLS[effect])
      const listed = (await list(url, keys[limit])).map(({ name }) => name)
      expect(listed.includes(tool)).toBe(may)
      const answer = await callTool({ url, key: keys[limit] }, tool, GIVEN[effect])
      if (may) expect(answer.message.result).toBeDefined()
      else expect(answer.message.error?.message).toMatch(UNKNOWN)
    }
  })

  test('answers what is hidden exactly like what is not there', async () => {
    for (const { url, named } of endpoints()) {
      const [hidden, missing] = await Promise.all(
        [named('notes_remove'), named('notes_nothing')].map((name) => callTool({ url, key: keys.read }, name)),
      )
      const shape = ({ status, message }: Awaited<ReturnType<typeof callTool>>, name: string) =>
        JSON.stringify({ status, ...message.error, data: { ...message.error?.data, correlation_id: 0 } }).replace(
          name,
          'X',
        )
      expect(shape(hidden!, named('notes_remove'))).toBe(shape(missing!, named('notes_nothing')))
    }
  })

  test('shows to no era and at no endpoint a tool that reaches farther', async () => {
    for (const limit of LIMITS)
      for (const { url } of endpoints()) {
        const tools = await list(url, keys[limit])
        expect(tools.length).toBeGreaterThan(0)
        for (const { annotations } of tools) expect(reaches(limit, effectOf(annotations))).toBe(true)
      }
    const { answer } = await askEra({ url: gateway.url, key: keys.read, era: 'legacy' }, 'tools/list')
    const tools = answer.result?.['tools'] as Tool[]
    expect(tools.map(({ name }) => name)).toEqual((await list(gateway.url, keys.read)).map(({ name }) => name))
    const call = await askEra({ url: gateway.url, key: keys.read, era: 'legacy' }, 'tools/call', {
      name: 'demo__notes_add',
      arguments: GIVEN.write,
    })
    expect(call.answer.error?.message).toMatch(UNKNOWN)
  })

  test('of read still reads resources and prompts', async () => {
    const peer = { url: gateway.url, key: keys.read }
    for (const [method, member] of [
      ['prompts/list', 'prompts'],
      ['resources/templates/list', 'resourceTemplates'],
    ] as const)
      await expect.poll(async () => (await ask(peer, method)).message.result?.[member]).not.toHaveLength(0)
    const prompts = (await ask(peer, 'prompts/list')).message.result?.['prompts'] as { name: string }[] | undefined
    const arguments_ = { zone: 'Europe/Berlin' }
    const got = await ask(peer, 'prompts/get', { name: prompts?.[0]?.name, arguments: arguments_ })
    expect(got.message.error?.message ?? '').not.toMatch(/unknown/i)
  })
})

describe('a toolset that only reads', () => {
  test('S1-SEC-03: hides side-effect tools from every key, at its endpoint, and the key of the environment sees none without being told otherwise', async () => {
    await using beside = await gateway.another({ MCP_API_KEY: 'a text of sixteen' })
    const quietUrl = `${gateway.address}/o/default/t/quiet/mcp`
    const doors = [
      { url: quietUrl, key: gateway.key },
      { url: gateway.url, key: quiet },
      { url: gateway.connectionUrl('demo'), key: quiet },
      { url: `${beside.address}/mcp`, key: 'a text of sixteen' },
    ]
    for (const { url, key } of doors) {
      const tools = await list(url, key)
      expect(tools.length).toBeGreaterThan(3)
      for (const { annotations } of tools) expect(effectOf(annotations)).toBe('read')
      for (const effect of ['write', 'destructive'] as const)
        for (const name of [TOOLS[effect], `demo__${TOOLS[effect]}`])
          expect((await callTool({ url, key }, name, GIVEN[effect])).message.error?.message).toMatch(UNKNOWN)
    }
    const all = await list(gateway.url, gateway.key)
    expect(all.some(({ annotations }) => effectOf(annotations) !== 'read')).toBe(true)
  })
})

describe('the role of a key', () => {
  test('S3-RBAC-05: a viewer lists all that its key reaches, and calls nothing; members and administrators call', async () => {
    for (const { url, named } of endpoints()) {
      const peer = (role: keyof typeof SCOPES) => ({ url, key: roles[role] })
      const lists = await Promise.all(Object.values(SCOPES).map((role) => list(url, roles[role])))
      expect(lists[2]).toEqual(lists[0])
      expect(lists[2]?.length).toBeGreaterThan(0)
      for (const role of ['tenant_admin', 'tenant_member'] as const)
        expect(textIn(await callTool(peer(role), named('calculate'), GIVEN.read))).toContain('42')
      for (const [method, params] of [
        ['tools/call', { name: named('calculate'), arguments: GIVEN.read }],
        ['tools/call', { name: 'nothing', arguments: {} }],
        ['prompts/get', { name: 'x' }],
        ['resources/read', { uri: 'x:y' }],
      ] as const)
        expect(await ask(peer('tenant_viewer'), method, params)).toMatchObject({
          status: 403,
          message: { error: { data: { fault: 'role.forbidden' } } },
        })
    }
  })
})

describe('the organization of a key', () => {
  test('lists and calls its own and nothing of another, which answers as if it were not there', async () => {
    await expect.poll(async () => (await list(gateway.url, theirs)).length).toBeGreaterThan(0)
    expect((await list(gateway.url, theirs)).every(({ name }) => name.startsWith('theirs__'))).toBe(true)
    expect(
      (await callTool({ url: gateway.url, key: theirs }, 'demo__calculate', GIVEN.read)).message.error?.message,
    ).toMatch(UNKNOWN)
    expect(
      (await callTool({ url: gateway.url, key: gateway.key }, 'theirs__calculate', GIVEN.read)).message.error?.message,
    ).toMatch(UNKNOWN)
    const foreign = [
      gateway.connectionUrl('demo'),
      `${gateway.address}/o/default/t/quiet/mcp`,
      `${gateway.address}/api/v1/nobody/connectors/demo/mcp`,
    ]
    for (const url of foreign)
      for (const method of ['tools/list', 'tools/call', 'resources/list'])
        expect(await ask({ url, key: theirs }, method, { name: 'calculate', arguments: GIVEN.read })).toMatchObject({
          status: 404,
          message: { error: { data: { fault: 'place.unknown' } } },
        })
  })
})
