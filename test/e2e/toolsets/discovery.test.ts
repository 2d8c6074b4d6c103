/** Five hundred tools behind one endpoint: how clients of every kind come to them, by each way of discovery. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { CONNECTORS, definitionOf, QUERIES } from '../../load/discovery/tools.ts'
import { connectClient, KINDS, textOf, type Kind } from '../peers/clients/client.ts'
import { ask, callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'

/** One whose server says nothing of its tool. */
const BARE = {
  alias: 'bare',
  title: 'Bare',
  tools: [{ name: 'doThisThing', inputSchema: { type: 'object' as const } }],
}
const SERVED = [...CONNECTORS.map((one) => ({ ...one, tools: one.tools.map(definitionOf) })), BARE]
const ALIASES = SERVED.map(({ alias }) => alias)
const ALL = SERVED.flatMap(({ alias, tools }) => tools.map(({ name }) => `${alias}__${name}`))
const EVERYTHING = { include: ['*'], exclude: [] }

const parts = new AsyncDisposableStack()
let server: ToolsServer
let gateway: TestGateway
beforeAll(async () => {
  server = parts.use(await startToolsServer(SERVED))
  gateway = parts.use(
    await openGateway({
      connections: ALIASES.map((alias) => ({
        alias,
        revision: '2026-07-28',
        wire: httpWire(server.urlOf(alias)),
      })),
      toolsets: [
        { slug: 'paged', title: 'Paged', settings: { ...EVERYTHING, discovery: 'paged', page: 40 } },
        { slug: 'tiers', title: 'Tiers', settings: { ...EVERYTHING, discovery: 'two-tier' } },
        { slug: 'search', title: 'Search', settings: { ...EVERYTHING, discovery: 'search', pinned: ['slack__*add*'] } },
        { slug: 'reads', title: 'Reads', settings: { ...EVERYTHING, discovery: 'search', limit: 'read' } },
        { slug: 'some', title: 'Some', settings: { include: ['github__*'], exclude: [], discovery: 'search' } },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (toolset: string) => `${gateway.address}/o/default/t/${toolset}/mcp`
const modern = (toolset: string) => ({ url: at(toolset), key: gateway.key, era: 'modern' as const })
const connected = (kind: Kind, toolset: string) => connectClient({ kind, url: at(toolset), key: gateway.key })

interface Found {
  readonly tools: readonly { name: string; effect: string; status?: string; inputSchema?: object }[]
  readonly total: number
  readonly nextCursor?: string
}
const found = (result: object | undefined) => (result as { structuredContent: Found }).structuredContent

describe('U-08: five hundred tools', () => {
  test('direct: are listed all at once', async () => {
    expect(ALL.length).toBeGreaterThanOrEqual(500)
    await using client = await connected('SDK 2 legacy', 'default')
    expect((await client.tools()).map(({ name }) => name).toSorted()).toEqual(ALL.toSorted())
  })

  test('paged: come in small pages, each of them once, to whoever follows the cursors', async () => {
    const pages: string[][] = []
    for (let cursor: unknown, more = true; more;) {
      const { answer } = await ask(modern('paged'), 'tools/list', cursor === undefined ? {} : { cursor })
      const tools = answer.result?.['tools'] as { name: string }[] | undefined
      pages.push((tools ?? []).map(({ name }) => name))
      cursor = answer.result?.['nextCursor']
      more = cursor !== undefined
    }
    expect(pages.map(({ length }) => length)).toEqual([
      ...Array<number>(Math.floor(ALL.length / 40)).fill(40),
      ALL.length % 40,
    ])
    expect(pages.flat().toSorted()).toEqual(ALL.toSorted())
  })

  test.each(KINDS)('S0-DSC-01: two-tier: %s lists a pair for each connection, and calls both ways', async (kind) => {
    await using client = await connected(kind, 'tiers')
    const names = (await client.tools()).map(({ name }) => name)
    const pairs = ALIASES.flatMap((alias) => [`${alias}__list_tools`, `${alias}__execute_tool`])
    expect(names.toSorted()).toEqual(pairs.toSorted())
    const listed = found(await client.call('jira__list_tools'))
    expect(listed.total).toBe(20)
    const before = server.called.length
    const given = { project: 'A' }
    for (const [name, args] of [
      ['jira__execute_tool', { tool: 'list_boards', arguments: given }],
      ['jira__execute_tool', { tool: 'jira__list_boards', arguments: given }],
      ['jira__execute_tool', { tool_name: 'list_boards', parameters: given }],
      ['jira__list_boards', given],
    ] as const)
      expect(textOf(await client.call(name, args))).toBe('did list_boards')
    expect(server.called.slice(before)).toEqual(
      Array.from({ length: 4 }, () => ({ alias: 'jira', name: 'list_boards', arguments: given })),
    )
  })

  test('S0-DSC-03: two-tier: a large connection is listed by twenty, with a cursor to the rest, and nothing is lost', async () => {
    const names: string[] = []
    const sizes: number[] = []
    for (let cursor: string | undefined, more = true; more;) {
      const { answer } = await callTool(modern('tiers'), 'github__list_tools', cursor === undefined ? {} : { cursor })
      const page = found(answer.result)
      sizes.push(page.tools.length)
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      more = cursor !== undefined
    }
    expect(sizes).toEqual([20, 7])
    expect(names.toSorted()).toEqual(ALL.filter((name) => name.startsWith('github__')).toSorted())
    const { answer } = await callTool(modern('tiers'), 'gitlab__list_tools', { cursor: 'forged' })
    expect(answer.result?.isError).toBe(true)
  })

  test('S0-DSC-05: two-tier: apps are resources by their names, and everything there is has a description', async () => {
    await using client = await connected('SDK 2 by discovery', 'tiers')
    const apps = await client.resources()
    expect(apps.map(({ name }) => name).toSorted()).toEqual(ALIASES.map((alias) => alias.toUpperCase()).toSorted())
    expect(apps.map(({ name }) => name)).toEqual(expect.arrayContaining(['GMAIL', 'SLACK', 'GOOGLE_DOCS']))
    const [read] = await client.read('app://bare')
    const { tools, total } = JSON.parse(read?.text ?? '') as Found
    expect({ tools, total }).toMatchObject({
      tools: [{ name: 'bare__doThisThing', description: 'do this thing' }],
      total: 1,
    })
    const found = (await client.call('bare__list_tools')).structuredContent as { tools: { description: string }[] }
    const all = [...apps, ...(await client.tools()), ...found.tools].map(({ description }) => description)
    expect(all.filter((description) => String(description ?? '').trim() === '')).toEqual([])
    await expect(client.read('app://nobody')).rejects.toThrow()
    await using direct = await connected('SDK 2 by discovery', 'default')
    expect(direct.capabilities['resources']).toBeUndefined()
  })

  test('S0-DSC-04: two-tier: no server is asked but the one that was chosen', async () => {
    await using client = await connected('SDK 2 by discovery', 'tiers')
    await client.tools()
    const before = server.asked.length
    await client.read('app://zoom')
    await client.call('zoom__list_tools')
    await client.call('slack__list_tools', { filter: 'messages' })
    expect(server.asked.slice(before)).toEqual([])
    await client.call('zoom__execute_tool', { tool: 'list_meetings' })
    expect(new Set(server.asked.slice(before))).toEqual(new Set(['zoom']))
  })

  test.each(KINDS)('search: %s finds, describes and calls, and its list is small', async (kind) => {
    await using client = await connected(kind, 'search')
    const names = (await client.tools()).map(({ name }) => name)
    expect(names).toEqual([
      'search_tools',
      'describe_tool',
      'call_tool',
      'slack__conversations_add_message',
      'slack__reactions_add',
    ])
    const { tools } = found(await client.call('search_tools', { query: 'send an email with gmail' }))
    expect(tools[0]).toMatchObject({ name: 'gmail__send_message', effect: 'destructive', status: 'connected' })
    const described = await client.call('describe_tool', { name: 'gmail__send_message' })
    expect(described.structuredContent).toMatchObject({
      tool: { name: 'gmail__send_message', inputSchema: { required: ['to', 'subject', 'body'] } },
      effect: 'destructive',
      connection: 'gmail',
    })
    expect(JSON.parse(textOf(described))).toEqual(described.structuredContent)
    const given = { to: 'a@b.test', subject: 'Hello', body: 'there' }
    const done = await client.call('call_tool', { name: 'gmail__send_message', arguments: given })
    expect(textOf(done)).toBe('did send_message')
    expect(server.called.at(-1)).toEqual({ alias: 'gmail', name: 'send_message', arguments: given })
  })

  test('search: of what was asked in other words, nine in ten are among the first five', async () => {
    let hits = 0
    for (const { query, wanted } of QUERIES) {
      const { answer } = await callTool(modern('search'), 'search_tools', { query, limit: 5 })
      if (found(answer.result).tools.some(({ name }) => wanted.includes(name))) hits++
    }
    expect(QUERIES.length).toBeGreaterThanOrEqual(60)
    expect(hits / QUERIES.length).toBeGreaterThanOrEqual(0.9)
  })
})
