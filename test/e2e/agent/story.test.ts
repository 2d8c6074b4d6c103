/**
 * The story of the source system: a report expert crawls 40 pages, saves the corpus, writes a report and uploads it; the main agent sends
 * it by mail. Files stay in the workspace, each call is on record, and all of it is one trace.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { presetDeclaration } from '../../../packages/gateway/src/preset-declarations.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startOtlpReceiver, type OtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { askAdmin } from '../../../packages/gateway/src/testing/people.ts'
import { connectClient } from '../peers/clients/client.ts'
import { AGENT_USER, startAgentComposio } from '../peers/composio/agent-tools.ts'
import { API_KEY, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { startModel, type Heard, type Saying, type ScriptedModel } from '../peers/models/scripted-model.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { factOf, startResearchSite, type ResearchSite } from '../peers/servers/research-site.ts'
import { until } from '../peers/until.ts'
import { createPeer } from '../traces/instrumented-peers.ts'
import { addKey, keyOf } from '../uru/members.ts'
import { runAgent } from './agent-loop.ts'
import { withEnvironment } from './toolkit-environment.ts'

const MODEL_KEY = 'sk-made-up'
const KEYS = { main: `uru_${'a1'.repeat(32)}`, 'report-expert': `uru_${'b2'.repeat(32)}` }
const PAGES = 40

const parts = new AsyncDisposableStack()
let composio: ComposioDouble
let gateway: TestGateway
let model: ScriptedModel
let receiver: OtlpReceiver
let site: ResearchSite
let workspace: string
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'toolway-story-'))
  parts.defer(() => rm(workspace, { recursive: true, force: true }))
  composio = parts.use(await startAgentComposio({ acts: true }))
  site = parts.use(await startResearchSite(PAGES))
  model = parts.use(await startModel(MODEL_KEY))
  receiver = parts.use(await startOtlpReceiver())
  const variables: Readonly<Record<string, string>> = {
    COMPOSIO_API_KEY: API_KEY,
    COMPOSIO_URL: composio.url,
    DEFAULT_USER_ID: AGENT_USER,
    TOOLWAY_TOOLKIT_ROOT: workspace,
  }
  const [declared] = presetDeclaration('agent', (name) => variables[name])
  const crawls = { TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true', TOOLWAY_CRAWL_PER_HOST: '8' }
  gateway = parts.use(
    await openGateway({
      connections: withEnvironment(declared?.connections ?? [], crawls),
      toolsets: declared?.toolsets ?? [],
      keys: Object.entries(KEYS).map(([name, value]) => ({ name, value, toolset: name })),
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '20' },
    }),
  )
  await addKey(gateway, 'admin', 'platform_admin', null)
})
afterAll(() => parts.disposeAsync())

/** The results of tools, the last one first. */
const resultsIn = ({ texts }: Heard): Record<string, unknown>[] =>
  texts
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Record<string, unknown>)
    .toReversed()
const resultWith = (heard: Heard, member: string) => resultsIn(heard).find((one) => member in one)
const local = (tool: string) => `mcp__local_toolkit__${tool}`

/** The next step of the report expert, by what it has heard. */
function research(heard: Heard): Saying {
  const crawled = resultWith(heard, 'saved_files') as { saved_files: { url: string; path: string }[] } | undefined
  if (crawled === undefined)
    return [
      {
        tool: local('crawl_parallel'),
        arguments: { urls: site.pages, session_dir: 'research', target_successes: PAGES },
      },
    ]
  const read = resultWith(heard, 'files') as { files: { text: string }[] } | undefined
  if (read === undefined) {
    const paths = crawled.saved_files.map(({ path }) => path)
    return [{ tool: local('read_research_files'), arguments: { paths, max_chars: 75_000 } }]
  }
  if (resultWith(heard, 'corpus_path') === undefined) {
    const articles = crawled.saved_files.map(({ url }, at) => ({
      ...{ url, title: `Report ${at + 1}`, status: 'success' },
      content: read.files[at]?.text,
    }))
    return [{ tool: local('save_corpus'), arguments: { articles, workspace_path: 'research' } }]
  }
  const uploaded = resultWith(heard, 's3_key')
  if (uploaded !== undefined) return `The report is stored as ${String(uploaded['s3_key'])}.`
  if (resultWith(heard, 'chars') === undefined) {
    const facts = read.files
      .map(({ text }) => `<li>${/Harbour \d+ stored [^.]*\./.exec(text)?.[0] ?? ''}</li>`)
      .join('')
    return [
      {
        tool: local('write_local_file'),
        arguments: { path: 'work_products/report.html', content: `<h1>Tidal storage</h1><ul>${facts}</ul>` },
      },
    ]
  }
  return [{ tool: local('upload_to_composio'), arguments: { path: 'work_products/report.html' } }]
}

/** The next step of the main agent: it looks for a tool that sends mail, and calls the tool that it found. */
const sendMail =
  (key: string) =>
  (heard: Heard): Saying => {
    if (resultWith(heard, 'successful') !== undefined) return 'The report is sent.'
    const found = resultWith(heard, 'tools') as { tools: { name: string }[] } | undefined
    if (found === undefined) return [{ tool: 'search_tools', arguments: { query: 'send an email with gmail' } }]
    const name = found.tools.find((one) => one.name.endsWith('GMAIL_SEND_EMAIL'))?.name
    const attachment = { name: 'report.html', mimetype: 'text/html', s3key: key }
    const mail = { to: 'editor@example.com', subject: 'Tidal storage', body: 'The report is attached.', attachment }
    return [{ tool: 'call_tool', arguments: { name, arguments: mail } }]
  }

test('an agent researches 40 pages, saves them, reports, uploads the report and mails it: on record, in one trace', async () => {
  const agent = createPeer('agent', receiver.url)
  const traceId = await agent.inSpan('conversation_iteration_1', async (words) => {
    const endpoint = (toolset: keyof typeof KEYS) =>
      connectClient({
        ...{ kind: 'SDK 2 by discovery', url: `${gateway.address}/o/default/t/${toolset}/mcp` },
        ...{ key: KEYS[toolset], headers: words },
      })
    const llm = { url: model.url, key: MODEL_KEY }
    await using expert = await endpoint('report-expert')
    model.say(research)
    const told = await runAgent({ client: expert, model: llm }, 'Research tidal storage and write a report.')
    const [, key = ''] = /stored as (\S+)\.$/.exec(told) ?? []
    expect(key, told).not.toBe('')
    await using main = await endpoint('main')
    model.say(sendMail(key))
    expect(await runAgent({ client: main, model: llm }, `Mail the report ${key}.`)).toBe('The report is sent.')
    return words['traceparent']?.slice(3, 35) ?? ''
  })

  // Files stay on the machine: pages without what stands around them, the corpus, and the report.
  const pages = await readdir(join(workspace, 'research/search_results'))
  expect(pages.filter((name) => /^crawl_[0-9a-f]{12}\.md$/.test(name))).toHaveLength(PAGES)
  expect(new Set(site.asked.filter((path) => path.startsWith('/article/'))).size).toBe(PAGES)
  const page = await readFile(join(workspace, 'research/search_results', pages[0] ?? ''), 'utf8')
  expect(page).toContain('tonnes of tidal energy salt')
  expect(page).not.toMatch(/Buy a boat|Cookie settings/)
  const corpus = JSON.parse(await readFile(join(workspace, 'research/expanded_corpus.json'), 'utf8')) as object
  expect(corpus).toMatchObject({ total_articles: PAGES, successful: PAGES, failed: 0 })
  const report = await readFile(join(workspace, 'work_products/report.html'), 'utf8')
  for (const number of [1, 20, PAGES]) expect(report).toContain(factOf(number))

  // The mail went out once, for the user of the agent, with the report that was uploaded.
  const mails = composio.executed.filter(({ slug }) => slug === 'GMAIL_SEND_EMAIL')
  expect(mails).toMatchObject([{ way: 'session', user: AGENT_USER, arguments: { to: 'editor@example.com' } }])

  const tools = [
    'crawl_parallel',
    'read_research_files',
    'save_corpus',
    'write_local_file',
    'upload_to_composio',
    'GMAIL_SEND_EMAIL',
  ]
  const records = async () => {
    const at = 'GET /admin/tenants/default/audit?limit=100' as const
    const { body } = await askAdmin(gateway.address, at, { token: keyOf('admin') })
    const items = body.items as { resource_id: string; outcome: string }[]
    return items.flatMap(({ resource_id: id, outcome }) => {
      const name = tools.find((one) => id.endsWith(one))
      return name === undefined ? [] : [`${name} ${outcome}`]
    })
  }
  await until('all calls are on record', async () => (await records()).length >= tools.length)
  expect((await records()).toSorted()).toEqual(tools.map((name) => `${name} ok`).toSorted())

  await agent.flush()
  const calls = () =>
    receiver.spans.filter((span) => span.traceId === traceId && span.attributes['tool_name'] !== undefined)
  const named = () => new Set(calls().map((span) => span.attributes['tool_name']))
  await until('the trace is whole', () => Promise.resolve(tools.every((name) => named().has(name))))
  const [root] = receiver.spans.filter((span) => span.name === 'conversation_iteration_1')
  expect(root?.traceId).toBe(traceId)
  expect(receiver.problems).toEqual([])
})
