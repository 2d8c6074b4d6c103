/**
 * The two agents of the source system (seed 004, section 5): one gateway, two toolsets, and every cell of its table of who may call
 * what. The servers stand in for its local toolkit and for Composio's tool router, with their tools' own names.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tool } from '@modelcontextprotocol/server'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { connectClient, KINDS, textOf } from './peers/clients/client.ts'
import { openGateway } from './peers/open-gateway.ts'
import { httpWire } from './peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from './peers/servers/tools-server.ts'

const tool = (name: string, effect: 'read' | 'write' | 'destructive', takes: string[]): Tool => ({
  name,
  description: `The ${name} of the source system.`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(takes.map((one) => [one, {}])),
    required: takes.slice(0, 1),
  },
  annotations: { readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive' },
})

const LOCAL = [
  tool('save_corpus', 'write', ['articles', 'workspace_path']),
  tool('write_local_file', 'write', ['path', 'content']),
  tool('workbench_download', 'write', ['remote_path', 'local_path', 'session_id']),
  tool('workbench_upload', 'write', ['local_path', 'remote_path', 'session_id']),
  tool('upload_to_composio', 'write', ['path', 'mime_type']),
  tool('crawl_parallel', 'write', ['urls', 'session_dir']),
]
const COMPOSIO = [
  tool('COMPOSIO_SEARCH_NEWS', 'read', ['query', 'num_results']),
  tool('COMPOSIO_SEARCH_WEB', 'read', ['query', 'num_results']),
  // Its name is that of a search, and it writes: only what reads is the report expert's.
  tool('COMPOSIO_SEARCH_SAVE', 'write', ['query']),
  tool('COMPOSIO_MULTI_EXECUTE_TOOL', 'destructive', ['tools']),
  tool('COMPOSIO_REMOTE_WORKBENCH', 'destructive', ['code_to_execute', 'session_id']),
  tool('CODEINTERPRETER_GET_FILE_CMD', 'read', ['file_path']),
  tool('CODEINTERPRETER_WRITE_FILE_CMD', 'write', ['file_path', 'content']),
  tool('GMAIL_SEND_EMAIL', 'destructive', ['to', 'subject', 'body']),
  tool('OUTLOOK_SEND_EMAIL', 'destructive', ['to', 'subject', 'body']),
  tool('SLACK_SEND_MESSAGE', 'destructive', ['channel', 'text']),
]

const key = (digits: string) => `uru_${digits.repeat(32)}`
const AGENTS = { main: key('a1'), 'report-expert': key('b2') }
type Agent = keyof typeof AGENTS

const parts = new AsyncDisposableStack()
let servers: ToolsServer
let gateway: TestGateway
beforeAll(async () => {
  servers = parts.use(
    await startToolsServer([
      { alias: 'local_toolkit', title: 'Local toolkit', tools: LOCAL },
      { alias: 'composio', title: 'Composio', tools: COMPOSIO },
    ]),
  )
  gateway = parts.use(
    await openGateway({
      connections: ['local_toolkit', 'composio'].map((alias) => ({
        alias,
        revision: '2026-07-28',
        wire: httpWire(servers.urlOf(alias)),
        trusted: true,
      })),
      toolsets: [
        {
          slug: 'main',
          title: 'Main agent',
          settings: { include: ['*'], exclude: ['local_toolkit__save_corpus'], discovery: 'search' },
        },
        {
          slug: 'report-expert',
          title: 'Report expert',
          settings: {
            include: ['local_toolkit__*', 'composio__COMPOSIO_SEARCH_*'],
            exclude: [],
            limits: { composio: 'read' },
          },
        },
      ],
      keys: Object.entries(AGENTS).map(([name, value]) => ({ name, value, toolset: name })),
    }),
  )
})
afterAll(() => parts.disposeAsync())

const connected = (agent: Agent, kind: (typeof KINDS)[number] = 'SDK 2 by discovery') =>
  connectClient({ kind, url: gateway.url, key: AGENTS[agent] })

interface Found {
  readonly tools: readonly { readonly name: string }[]
}

/** Whether an agent comes to a tool: by finding and calling where it has to look for it, else by its list. */
async function reaches(agent: Agent, alias: string, name: string): Promise<{ listed: boolean; called: boolean }> {
  await using client = await connected(agent)
  const joined = `${alias}__${name}`
  const before = servers.called.length
  const names = (await client.tools()).map((one) => one.name)
  const looks = names.includes('search_tools')
  const listed = looks
    ? ((await client.call('search_tools', { query: name, limit: 50 })).structuredContent as Found).tools.some(
        (one) => one.name === joined,
      )
    : names.includes(joined)
  const direct = client.call(joined, { value: 1 }).then(
    ({ isError }) => isError !== true,
    () => false,
  )
  const ways = [await direct]
  if (looks) ways.push((await client.call('call_tool', { name: joined, arguments: { value: 1 } })).isError !== true)
  const called = ways.every(Boolean)
  // A refused call has not reached the server by any method.
  expect(servers.called.slice(before)).toHaveLength(ways.filter(Boolean).length)
  expect(new Set(ways).size).toBe(1)
  return { listed, called }
}

/** The table of the source system, line by line; a tool that it does not name is in the last lines. */
const TABLE: [alias: string, tool: string, main: boolean, expert: boolean][] = [
  ['local_toolkit', 'save_corpus', false, true],
  ['local_toolkit', 'write_local_file', true, true],
  ['local_toolkit', 'workbench_download', true, true],
  ['local_toolkit', 'workbench_upload', true, true],
  ['composio', 'COMPOSIO_SEARCH_NEWS', true, true],
  ['composio', 'COMPOSIO_SEARCH_WEB', true, true],
  ['composio', 'COMPOSIO_SEARCH_SAVE', true, false],
  ['composio', 'GMAIL_SEND_EMAIL', true, false],
  ['composio', 'COMPOSIO_REMOTE_WORKBENCH', true, false],
  ['local_toolkit', 'crawl_parallel', true, true],
  ['local_toolkit', 'upload_to_composio', true, true],
  ['composio', 'COMPOSIO_MULTI_EXECUTE_TOOL', true, false],
  ['composio', 'CODEINTERPRETER_GET_FILE_CMD', true, false],
  ['composio', 'CODEINTERPRETER_WRITE_FILE_CMD', true, false],
  ['composio', 'OUTLOOK_SEND_EMAIL', true, false],
  ['composio', 'SLACK_SEND_MESSAGE', true, false],
]

describe('the table of who may call what holds', () => {
  test.each(TABLE)('%s__%s: main agent %s, report expert %s', async (alias, name, main, expert) => {
    expect(await reaches('main', alias, name)).toEqual({ listed: main, called: main })
    expect(await reaches('report-expert', alias, name)).toEqual({ listed: expert, called: expert })
  })

  test('for every tool that the servers have', () => {
    const all = [...LOCAL.map(({ name }) => name), ...COMPOSIO.map(({ name }) => name)]
    expect(TABLE.map(([, name]) => name).toSorted()).toEqual(all.toSorted())
  })
})

describe('S4-ACC-02: an agent', () => {
  const OWN = LOCAL.map(({ name }) => `local_toolkit__${name}`)
  const SEARCHES = ['composio__COMPOSIO_SEARCH_NEWS', 'composio__COMPOSIO_SEARCH_WEB']

  test.each(KINDS)('%s sees the tools of its list and no other, and `Task` is its own affair', async (kind) => {
    await using expert = await connected('report-expert', kind)
    expect((await expert.tools()).map(({ name }) => name).toSorted()).toEqual([...OWN, ...SEARCHES].toSorted())
    await expect(expert.call('Task', { prompt: 'Write it' })).rejects.toThrow(/Unknown tool: Task/)
    expect(textOf(await expert.call('local_toolkit__save_corpus', { articles: [] }))).toBe('did save_corpus')
  })

  test('cannot take the address of the other one’s list, or of a single server past its own', async () => {
    for (const [agent, other] of [
      ['main', 'report-expert'],
      ['report-expert', 'main'],
    ] as const) {
      const url = `${gateway.address}/o/default/t/${other}/mcp`
      await expect(connectClient({ kind: 'SDK 2 by discovery', url, key: AGENTS[agent] })).rejects.toThrow()
    }
    const url = gateway.connectionUrl('composio')
    await using expert = await connectClient({ kind: 'SDK 2 by discovery', url, key: AGENTS['report-expert'] })
    expect((await expert.tools()).map(({ name }) => name).toSorted()).toEqual([
      'COMPOSIO_SEARCH_NEWS',
      'COMPOSIO_SEARCH_WEB',
    ])
    await expect(expert.call('GMAIL_SEND_EMAIL', { to: 'a@b.test' })).rejects.toThrow(/Unknown tool/)
  })
})
