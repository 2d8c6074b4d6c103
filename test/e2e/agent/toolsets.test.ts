/**
 * The two agents of the source system (seed 004, section 5): the preset's connections and toolsets, with the toolkit as a process and
 * Composio in tool router sessions, and every cell of the table of who may call what.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { presetDeclaration } from '../../../packages/gateway/src/preset-declarations.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { AGENT_USER, startAgentComposio } from '../peers/composio/agent-tools.ts'
import { API_KEY, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startResearchSite } from '../peers/servers/research-site.ts'
import { withEnvironment } from './toolkit-environment.ts'

const key = (digits: string) => `uru_${digits.repeat(32)}`
const AGENTS = { main: key('a1'), 'report-expert': key('b2') }
type Agent = keyof typeof AGENTS

const parts = new AsyncDisposableStack()
let composio: ComposioDouble
let gateway: TestGateway
let workspace: string
let page: string
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'toolway-agent-'))
  parts.defer(() => rm(workspace, { recursive: true, force: true }))
  composio = parts.use(await startAgentComposio())
  // The toolkit's own way to Composio: its workbench runs scripts, and its storage takes files.
  const workbench = parts.use(await startAgentComposio({ acts: true }))
  const site = parts.use(await startResearchSite())
  page = site.pages[0] ?? ''
  const variables: Readonly<Record<string, string>> = {
    COMPOSIO_API_KEY: API_KEY,
    COMPOSIO_URL: composio.url,
    DEFAULT_USER_ID: AGENT_USER,
    TOOLWAY_TOOLKIT_ROOT: workspace,
  }
  const [declared] = presetDeclaration('agent', (name) => variables[name])
  const more = { COMPOSIO_BASE_URL: workbench.url, TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true' }
  gateway = parts.use(
    await openGateway({
      connections: withEnvironment(declared?.connections ?? [], more),
      toolsets: declared?.toolsets ?? [],
      keys: Object.entries(AGENTS).map(([name, value]) => ({ name, value, toolset: name })),
    }),
  )
})
afterAll(() => parts.disposeAsync())

const addressOf = (agent: Agent) => `${gateway.address}/o/default/t/${agent}/mcp`
const connected = (agent: Agent, kind: (typeof KINDS)[number] = 'SDK 2 by discovery') =>
  connectClient({ kind, url: addressOf(agent), key: AGENTS[agent] })

interface Found {
  readonly tools: readonly { readonly name: string }[]
}

/** Whether an agent comes to a tool: by its list, or by finding and calling where it has to look for it. */
async function reaches(agent: Agent, tool: string, given: object): Promise<{ listed: boolean; called: boolean }> {
  await using client = await connected(agent)
  const name = `mcp__${tool}`
  const names = (await client.tools()).map((one) => one.name)
  const looks = names.includes('search_tools')
  const found = looks
    ? ((await client.call('search_tools', { query: tool, limit: 50 })).structuredContent as Found).tools
    : []
  const executed = composio.executed.length
  const ways = [
    await client.call(name, { ...given }).then(
      ({ isError }) => isError !== true,
      () => false,
    ),
  ]
  if (looks) ways.push((await client.call('call_tool', { name, arguments: given })).isError !== true)
  // A refused call has reached nobody, by any method.
  if (tool.startsWith('composio__')) expect(composio.executed.length - executed).toBe(ways.filter(Boolean).length)
  expect(new Set(ways).size).toBe(1)
  return { listed: names.includes(name) || found.some((one) => one.name === name), called: ways.every(Boolean) }
}

const ARTICLE = { url: 'https://a.example/1', title: 'One', content: '# One', status: 'success' }
const SEARCH = { query: 'mcp', num_results: 5 }
const MAIL = { to: 'a@b.example', subject: 's', body: 'b', attachments: [] }
const REMOTE = '/home/user/report.html'
/** The table of the source system, line by line; a tool that it does not name is in the last lines. */
const TABLE: [tool: string, main: boolean, expert: boolean, given: object | (() => object)][] = [
  ['local_toolkit__save_corpus', false, true, { articles: [ARTICLE], workspace_path: '.' }],
  ['local_toolkit__write_local_file', true, true, { path: 'work_products/report.html', content: '<p>Report</p>' }],
  ['local_toolkit__workbench_upload', true, true, { local_path: 'work_products/report.html', remote_path: REMOTE }],
  ['local_toolkit__workbench_download', true, true, { remote_path: REMOTE, local_path: 'copy.html' }],
  ['local_toolkit__crawl_parallel', true, true, () => ({ urls: [page], session_dir: 'session' })],
  ['local_toolkit__upload_to_composio', true, true, { path: 'work_products/report.html' }],
  ['composio__COMPOSIO_SEARCH_NEWS', true, true, SEARCH],
  ['composio__COMPOSIO_SEARCH_WEB', true, true, SEARCH],
  ['composio__COMPOSIO_SEARCH_SAVE', true, false, { query: 'mcp' }],
  ['composio__GMAIL_SEND_EMAIL', true, false, MAIL],
  ['composio__COMPOSIO_REMOTE_WORKBENCH', true, false, { code_to_execute: 'print(1)', session_id: 's1' }],
  ['composio__COMPOSIO_MULTI_EXECUTE_TOOL', true, false, { tools: [{ slug: 'COMPOSIO_SEARCH_WEB', params: SEARCH }] }],
  ['composio__CODEINTERPRETER_GET_FILE_CMD', true, false, { file_path: '/home/user/a.txt' }],
  ['composio__CODEINTERPRETER_WRITE_FILE_CMD', true, false, { file_path: '/home/user/a.txt', content: 'a' }],
  ['composio__OUTLOOK_SEND_EMAIL', true, false, MAIL],
  ['composio__SLACK_SEND_MESSAGE', true, false, { channel: 'general', text: 'hello' }],
]

describe('the table of who may call what holds', () => {
  test.each(TABLE)('S4-ACC-01: %s: main agent %s, report expert %s', async (tool, main, expert, said) => {
    const given = typeof said === 'function' ? said() : said
    expect(await reaches('main', tool, given)).toEqual({ listed: main, called: main })
    expect(await reaches('report-expert', tool, given)).toEqual({ listed: expert, called: expert })
  })

  test('what they write is in the workspace of the toolkit', async () => {
    expect(await readFile(join(workspace, 'work_products/report.html'), 'utf8')).toBe('<p>Report</p>')
    expect(JSON.parse(await readFile(join(workspace, 'expanded_corpus.json'), 'utf8'))).toMatchObject({ successful: 1 })
  })
})

describe('S4-ACC-02: an agent', () => {
  const SEARCHES = ['mcp__composio__COMPOSIO_SEARCH_NEWS', 'mcp__composio__COMPOSIO_SEARCH_WEB']
  const ownTools = async () => {
    const url = gateway.connectionUrl('local_toolkit')
    await using toolkit = await connectClient({ kind: 'SDK 2 by discovery', url, key: gateway.key })
    return (await toolkit.tools()).map(({ name }) => `mcp__local_toolkit__${name}`)
  }

  test.each(KINDS)('%s sees the tools of its list and no other, and `Task` is its own affair', async (kind) => {
    await using expert = await connected('report-expert', kind)
    const names = (await expert.tools()).map(({ name }) => name)
    expect(names.toSorted()).toEqual([...(await ownTools()), ...SEARCHES].toSorted())
    expect(names).toContain('mcp__local_toolkit__save_corpus')
    await expect(expert.call('Task', { prompt: 'Write it' })).rejects.toThrow(/Unknown tool: Task/)
    const saved = await expert.call('mcp__local_toolkit__save_corpus', { articles: [ARTICLE], workspace_path: '.' })
    expect(saved.structuredContent).toMatchObject({ success: true, articles_saved: 1 })
  })

  test('cannot take the address of the other one’s list, or of a single server past its own', async () => {
    for (const [agent, other] of [
      ['main', 'report-expert'],
      ['report-expert', 'main'],
    ] as const)
      await expect(
        connectClient({ kind: 'SDK 2 by discovery', url: addressOf(other), key: AGENTS[agent] }),
      ).rejects.toThrow()
    const url = gateway.connectionUrl('composio')
    await using expert = await connectClient({ kind: 'SDK 2 by discovery', url, key: AGENTS['report-expert'] })
    expect((await expert.tools()).map(({ name }) => name).toSorted()).toEqual([
      'COMPOSIO_SEARCH_NEWS',
      'COMPOSIO_SEARCH_WEB',
    ])
    await expect(expert.call('GMAIL_SEND_EMAIL', { to: 'a@b.test' })).rejects.toThrow(/Unknown tool/)
  })
})
