/** The uru preset as its guide has it, from the start to calls of an n8n workflow, a Composio action and a platform tool over stdio. */
// @module-tag long
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble } from '../e2e/peers/composio/composio-double.ts'
import { startN8n, type N8nDouble } from '../e2e/peers/n8n/n8n-double.ts'
import { makeInstallation, type Installation, type Running, type Settings } from './installation.ts'

const URU_MCP = join(import.meta.dirname, '../../packages/uru-mcp/bin/uru-mcp.mjs')
const GUIDE = join(import.meta.dirname, '../../docs/guides/uru.md')

let composio: ComposioDouble
let n8n: N8nDouble
let here: Installation
let running: Running
let settings: Settings

beforeAll(async () => {
  composio = await startComposio([
    { slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail' },
    { slug: 'SLACK_SEND_MESSAGE', toolkit: 'slack' },
  ])
  composio.accounts.push({ id: 'ca_team', user: 'team', toolkit: 'gmail', status: 'ACTIVE' })
  n8n = await startN8n([
    {
      id: 'wf1',
      name: 'Client database query',
      active: true,
      tags: [{ name: 'toolway' }],
      nodes: [
        {
          name: 'Webhook',
          type: 'n8n-nodes-base.webhook',
          webhookId: '11111111-1111-4111-8111-111111111111',
          parameters: { path: 'clients', httpMethod: 'POST', responseMode: 'lastNode' },
        },
      ],
      run: () => ({ found: ['Acme Ltd'] }),
    },
  ])
  here = await makeInstallation()
  settings = {
    TOOLWAY_PRESET: 'uru',
    COMPOSIO_API_KEY: API_KEY,
    COMPOSIO_URL: composio.url,
    COMPOSIO_TOOLKITS: 'gmail,slack',
    DEFAULT_USER_ID: 'team',
    N8N_URL: n8n.url,
    N8N_API_KEY: n8n.key,
  }
  running = await here.start(settings)
})
afterAll(async () => {
  await here?.[Symbol.asyncDispose]()
  await Promise.all([composio?.[Symbol.asyncDispose](), n8n?.[Symbol.asyncDispose]()])
})

describe('the uru preset', () => {
  test('makes the connections that its variables name, and the guide names these variables', async () => {
    const shows = async () => (await here.run(['connection', 'list'], { settings })).out
    await expect.poll(shows).toMatch(/slack\s.*connected/)
    for (const alias of ['company', 'gmail', 'slack', 'platform']) expect(await shows()).toContain(alias)
    const guide = await readFile(GUIDE, 'utf8')
    for (const name of Object.keys(settings).filter((one) => !one.startsWith('TOOLWAY_')))
      expect(guide, name).toContain(`\`${name}\``)
    expect(guide).toContain('npx toolway start --preset uru')
  })

  test('S0-CMP-09: without the key of Composio the start is refused, and names COMPOSIO_API_KEY', async () => {
    await using other = await makeInstallation()
    const refused = await other.run(['start', '--preset', 'uru'], { settings: { COMPOSIO_TOOLKITS: 'gmail' } })
    expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('COMPOSIO_API_KEY')])
  })

  test('its tools are called over stdio by uru-mcp: a workflow, an action of Composio, and the platform itself', async () => {
    const { key } = await here.firstSecrets()
    const env = { PATH: process.env['PATH'] ?? '', HOME: here.folder, URU_PROXY_URL: running.address, URU_API_KEY: key }
    const tested = await promisify(execFile)(process.execPath, [URU_MCP, '--test'], { env })
    const apps = (/Apps: (.*)/.exec(tested.stdout)?.[1] ?? '').split(', ')
    expect(apps.toSorted()).toEqual(['Company', 'Gmail', 'Platform', 'Slack'])
    const client = new Client({ name: 'desktop', version: '1.0.0' })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [URU_MCP], env, stderr: 'ignore' }),
    )
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(
        apps.map((app) => app.toLowerCase()).flatMap((app) => [`${app}__list_tools`, `${app}__execute_tool`]),
      )
      const listed = JSON.stringify(await client.callTool({ name: 'company__list_tools', arguments: {} }))
      const [, workflow = ''] = /## company__(\w+)/.exec(listed) ?? []
      const calls: [string, string][] = [
        ['company', workflow],
        ['gmail', 'GMAIL_SEND_EMAIL'],
        ['platform', 'who_am_i'],
      ]
      for (const [app, tool] of calls) {
        const given = { tool_name: tool, parameters: {} }
        const result = await client.callTool({ name: `${app}__execute_tool`, arguments: given })
        expect(result, `${app} ${tool}`).toMatchObject({ structuredContent: { successful: true } })
      }
    } finally {
      await client.close()
    }
    expect(n8n.ran.map(({ workflow }) => workflow)).toEqual(['wf1'])
    expect(composio.executed).toMatchObject([{ slug: 'GMAIL_SEND_EMAIL', user: 'team', account: 'ca_team' }])
  })

  test('a variable that is gone takes its connection with it at the next start', async () => {
    await running.stop()
    const { N8N_URL: _, N8N_API_KEY: __, ...less } = settings
    running = await here.start(less)
    const shows = async () => (await here.run(['connection', 'list'], { settings: less })).out
    await expect.poll(shows).toContain('gmail')
    expect(await shows()).not.toContain('company')
  })
})
