/**
 * The agent preset as its guide has it: one agent, the local toolkit as a process, Composio in tool router sessions, and the four servers
 * of the catalog, which stand-ins are in place of: `uvx` and `npx` of these tests start them.
 */
// @module-tag long
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient, KINDS } from '../e2e/peers/clients/client.ts'
import { AGENT_USER, startAgentComposio } from '../e2e/peers/composio/agent-tools.ts'
import { API_KEY, type ComposioDouble } from '../e2e/peers/composio/composio-double.ts'
import { makeInstallation, type Installation, type Running, type Settings } from './installation.ts'
import { SOURCES } from '../setup/program.ts'

const PROBE = join(import.meta.dirname, '../e2e/peers/probes/probe.script.ts')
const GUIDE = join(import.meta.dirname, '../../docs/guides/agent.md')
const NEEDED = { COMPOSIO_API_KEY: API_KEY, DEFAULT_USER_ID: AGENT_USER }
const STAND_INS = ['edgartools', 'video_audio', 'youtube', 'zai_vision']

/** Programs in the only folder of PATH; `uvx` and `npx` start a stand-in for the package that they are told. */
async function programsIn(folder: string, others: readonly string[]): Promise<string> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const starts = [
    '#!/bin/sh',
    'case "$*" in',
    ' "--from edgartools[ai] edgartools-mcp") name=edgartools ;;',
    ' ffmpeg-mcp-lite) name=video_audio ;;',
    ' yt-dlp-mcp) name=youtube ;;',
    ' "-y @z_ai/mcp-server") name=zai_vision ;;',
    ' *) exit 3 ;;',
    'esac',
    `exec ${process.execPath} --disable-warning=ExperimentalWarning ${PROBE} "$name"`,
    '',
  ].join('\n')
  for (const name of ['uvx', 'npx']) await writeFile(join(bin, name), starts)
  for (const name of others) await writeFile(join(bin, name), '#!/bin/sh\n')
  for (const name of ['uvx', 'npx', ...others]) await chmod(join(bin, name), 0o755)
  return bin
}

describe('the agent preset', () => {
  let composio: ComposioDouble
  let here: Installation
  let running: Running
  let settings: Settings
  let guide: string

  beforeAll(async () => {
    guide = await readFile(GUIDE, 'utf8')
    composio = await startAgentComposio()
    here = await makeInstallation({}, { program: SOURCES })
    const workspace = join(here.folder, 'workspace')
    await mkdir(workspace)
    settings = {
      ...NEEDED,
      TOOLWAY_PRESET: 'agent',
      PATH: await programsIn(here.folder, ['ffmpeg', 'ffprobe']),
      COMPOSIO_URL: composio.url,
      TOOLWAY_TOOLKIT_ROOT: workspace,
      EDGAR_IDENTITY: 'Ada Lovelace ada@example.com',
      AGENT_SERVERS: 'video_audio,youtube',
      Z_AI_API_KEY: 'zai-key-of-a-test',
      TOOLWAY_APPROVALS: 'ask-destructive',
      // The stand-ins are files of this repository, which a confined program does not see.
      TOOLWAY_SANDBOX: 'off',
    }
    running = await here.start(settings)
  })
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]()
    await composio?.[Symbol.asyncDispose]()
  })

  const keys = new Map<string, string>()
  /** The key of an agent, made by the command of the guide. */
  const keyFor = async (toolset: string) => {
    const [command = ''] = new RegExp(`npx toolway (key add \\S+ --toolset ${toolset})$`, 'm').exec(guide) ?? []
    const key = keys.get(toolset) ?? (await here.run(command.split(' ').slice(2), { settings })).out.trim()
    keys.set(toolset, key)
    return key
  }
  const addressOf = (toolset: string) => `${running.address}/o/default/t/${toolset}/mcp`
  const textOf = ({ content }: { content: readonly { text?: string }[] }) => content[0]?.text ?? ''

  test('the workspace is written without a question, and mail and servers of others wait for an approval', async () => {
    const shows = async () => (await here.run(['connection', 'list'], { settings })).out
    for (const alias of ['local_toolkit', 'composio', ...STAND_INS])
      await expect.poll(shows).toMatch(new RegExp(`^${alias} .*connected`, 'm'))
    const key = await keyFor('main')
    await using agent = await connectClient({ kind: 'SDK 2 legacy', url: addressOf('main'), key })
    const again = await agent.call('mcp__local_toolkit__write_local_file', { path: 'a.md', content: 'a' })
    expect(again.isError).not.toBe(true)
    const sent = composio.executed.length
    const mail = await agent.call('mcp__composio__GMAIL_SEND_EMAIL', { to: 'a@b.example', subject: 's', body: 'b' })
    expect(JSON.stringify(mail)).toContain('APPROVAL_REQUIRED')
    expect(composio.executed).toHaveLength(sent)
    const cut = await agent.call('call_tool', { name: 'mcp__video_audio__process' })
    expect(JSON.stringify(cut)).toContain('APPROVAL_REQUIRED')
  })

  test('S4-SRV-01: two real servers and four stand-ins of different kinds serve one agent', async () => {
    // An agent without a person beside it, as that of the source system.
    const off = await here.run(['org', 'change', 'default', '--approvals', 'off'], { settings })
    expect(off.code, off.err).toBe(0)
    const key = await keyFor('main')
    const answered = new Set<string>()
    for (const kind of KINDS) {
      await using agent = await connectClient({ kind, url: addressOf('main'), key })
      const path = `${kind.replaceAll(/\W/g, '-')}.md`
      const wrote = await agent.call('mcp__local_toolkit__write_local_file', { path, content: `by ${kind}` })
      const file = join(settings['TOOLWAY_TOOLKIT_ROOT'] ?? '', path)
      expect(textOf(wrote)).toBe(`Successfully wrote ${`by ${kind}`.length} chars to ${file}`)
      expect(await readFile(file, 'utf8')).toBe(`by ${kind}`)
      const news = await agent.call('mcp__composio__COMPOSIO_SEARCH_NEWS', { query: 'mcp', num_results: 1 })
      expect(news.structuredContent).toMatchObject({ successful: true, data: { for: AGENT_USER } })
      for (const name of STAND_INS)
        answered.add(`${name} ${textOf(await agent.call('call_tool', { name: `mcp__${name}__process` }))}`)
    }
    // Four processes, each of them the same for every client.
    expect([...answered]).toEqual(STAND_INS.map((name) => expect.stringMatching(new RegExp(`^${name} \\d+$`))))
    expect(composio.executed.at(-1)).toMatchObject({ way: 'session', user: AGENT_USER })
  })

  test('its guide names every variable that it reads, the addresses and the two toolsets', async () => {
    for (const name of Object.keys(settings).filter(
      (one) => !/^(TOOLWAY_PRESET|PATH|TOOLWAY_APPROVALS|TOOLWAY_SANDBOX)$/.test(one),
    ))
      expect(guide, name).toContain(`\`${name}\``)
    for (const toolset of ['main', 'report-expert']) expect(guide).toContain(`/o/default/t/${toolset}/mcp`)
    const listed = await here.run(['toolset', 'list'], { settings })
    expect(listed.out).toMatch(/^main .*search .*file$/m)
    expect(listed.out).toMatch(/^report-expert .*direct .*file$/m)
    const expert = await keyFor('report-expert')
    await using agent = await connectClient({ kind: 'SDK 1', url: addressOf('report-expert'), key: expert })
    expect((await agent.tools()).map(({ name }) => name)).toContain('mcp__local_toolkit__save_corpus')
  })

  test('S4-ENV-01: doctor names the variables that are missing, and what they are for', async () => {
    await using other = await makeInstallation({}, { program: SOURCES })
    const lines = async (own: Settings) => {
      const { code, out } = await other.run(['doctor', '--preset', 'agent'], { settings: own })
      return { code, out: out.split('\n') }
    }
    const bare = await lines({})
    expect(bare.code).not.toBe(0)
    for (const name of Object.keys(NEEDED))
      expect(bare.out).toContainEqual(expect.stringMatching(new RegExp(`^BAD +${name}: not set, but required by .*`)))
    for (const name of ['LOGFIRE_TOKEN', 'Z_AI_API_KEY', 'Z_AI_MODE'])
      expect(bare.out).toContainEqual(expect.stringMatching(new RegExp(`^note +${name}: not set`)))
    const whole = await lines({ ...NEEDED, LOGFIRE_TOKEN: 'pylf_v1_us_abcdefgh', Z_AI_API_KEY: 'z', Z_AI_MODE: 'ZAI' })
    expect(whole.code).toBe(0)
    for (const name of [...Object.keys(NEEDED), 'LOGFIRE_TOKEN', 'Z_AI_API_KEY', 'Z_AI_MODE'])
      expect(whole.out).toContainEqual(expect.stringMatching(new RegExp(`^ok +${name}: set`)))
    expect(whole.out.join('\n')).not.toContain(API_KEY)
    const refused = await other.run(['start', '--preset', 'agent'], { settings: { COMPOSIO_API_KEY: API_KEY } })
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err.trim()).toMatch(/^The agent preset needs DEFAULT_USER_ID, .*\. Set it in the environment/)
    expect(refused.err).not.toContain('COMPOSIO_API_KEY')
  })

  test.each([
    [{ Z_AI_MODE: 'ZAI' }, 'Z_AI_MODE is set but Z_AI_API_KEY is not'],
    [{ AGENT_SERVERS: 'video' }, 'AGENT_SERVERS contains "video": it may contain only video_audio and youtube.'],
    [{ DEFAULT_USER_ID: 'a b' }, 'default_user must have 1 to 320 visible ASCII characters'],
  ])('variables that do not go together are refused: %j', async (own, sentence) => {
    await using other = await makeInstallation({}, { program: SOURCES })
    const refused = await other.run(['start', '--preset', 'agent'], { settings: { ...NEEDED, ...own } })
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(sentence)])
  })
})
