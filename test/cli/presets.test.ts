/**
 * The five source systems in one process: a declaration of five organizations, each of which is a preset, with the counterpart that each
 * of them stands in front of. A client of each system calls by the addresses, the names and the keys that it knows.
 */
// @module-tag long
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { connectClient, textOf } from '../e2e/peers/clients/client.ts'
import { AGENT_USER, startAgentComposio } from '../e2e/peers/composio/agent-tools.ts'
import { API_KEY, startComposio, type ComposioDouble } from '../e2e/peers/composio/composio-double.ts'
import { startContractBackend, type ContractBackend } from '../e2e/peers/contract-backend/backend.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { createUruClient } from '../e2e/uru/uru-client.ts'
import { startGitHub, type GitHub } from './github.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'
import { SOURCES } from '../setup/program.ts'

const PRESETS = ['uru', 'curatore', 'agent', 'nebo', 'sagemcp'] as const
type Name = (typeof PRESETS)[number]
const KEYS = Object.fromEntries(PRESETS.map((name, at) => [name, `uru_${String(at).repeat(64)}`])) as Record<
  Name,
  string
>
/** Two tenants of one vendor: each of its own projects. */
const OTHER_KEY = 'ak_of_another_project'
const TOKEN = 'token-0123456789abcdef'

const parts = new AsyncDisposableStack()
let here: Installation
let running: Running
let hub: ComposioDouble
let router: ComposioDouble
let backend: ContractBackend
let github: GitHub
let effects: EffectsServer
let workspace: string

beforeAll(async () => {
  hub = parts.use(await startComposio([{ slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail' }], { key: OTHER_KEY }))
  hub.accounts.push({ id: 'ca_team', user: 'team', toolkit: 'gmail', status: 'ACTIVE' })
  router = parts.use(await startAgentComposio())
  backend = parts.use(await startContractBackend({ key: 'what the backend wants' }))
  github = parts.use(await startGitHub(TOKEN))
  effects = parts.use(await startEffects())
  here = parts.use(await makeInstallation({}, { program: SOURCES }))
  workspace = join(here.folder, 'workspace')
  await mkdir(workspace)
  const keyOf = (name: Name, role = 'tenant_member') => ({ [`${name}-client`]: { value: KEYS[name], role } })
  const organizations = {
    uru: {
      preset: 'uru',
      variables: {
        COMPOSIO_API_KEY: OTHER_KEY,
        COMPOSIO_URL: hub.url,
        COMPOSIO_TOOLKITS: 'gmail',
        DEFAULT_USER_ID: 'team',
      },
      keys: keyOf('uru'),
    },
    curatore: {
      preset: 'curatore',
      variables: { CURATORE_BACKEND_URL: backend.url, DEFAULT_ORG_ID: 'acme', BACKEND_API_KEY: { env: 'CWR_KEY' } },
      keys: keyOf('curatore'),
    },
    agent: {
      preset: 'agent',
      variables: {
        COMPOSIO_API_KEY: API_KEY,
        COMPOSIO_URL: router.url,
        DEFAULT_USER_ID: AGENT_USER,
        TOOLWAY_TOOLKIT_ROOT: workspace,
      },
      keys: keyOf('agent'),
    },
    nebo: { preset: 'nebo', egress: { networks: ['127.0.0.1/32'] }, keys: keyOf('nebo', 'tenant_admin') },
    sagemcp: {
      preset: 'sagemcp',
      connections: {
        github: {
          ...{ type: 'native', vendor: 'github', url: github.url, private: true },
          headers: { Authorization: `Bearer ${TOKEN}` },
        },
      },
      keys: keyOf('sagemcp'),
    },
  }
  const file = join(here.folder, 'toolway.yaml')
  await writeFile(file, stringify({ organizations }))
  running = await here.start({ TOOLWAY_CONFIG: file, TOOLWAY_DEMO: 'off', CWR_KEY: 'what the backend wants' })
})
afterAll(() => parts.disposeAsync())

async function ask(name: Name, path: string, body?: object) {
  const answer = await fetch(`${running.address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${KEYS[name]}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Record<string, unknown> }
}
const connected = (name: Name, path: string) =>
  connectClient({ kind: 'SDK 1', url: `${running.address}${path}`, key: KEYS[name] })
const namesAt = async (name: Name, path: string) => {
  await using client = await connected(name, path)
  return (await client.tools()).map((tool) => tool.name)
}

describe('five source systems in one process, as five organizations', () => {
  test('uru: its proxy lists apps and executes an action by its slug', async () => {
    const uru = createUruClient(running.address, KEYS.uru)
    await expect.poll(() => uru.apps()).toEqual(expect.arrayContaining(['Gmail', 'Platform']))
    await expect
      .poll(async () => (await uru.tools('Gmail')).map((tool) => tool.name))
      .toContain('gmail__GMAIL_SEND_EMAIL')
    expect(await ask('uru', '/execute/GMAIL_SEND_EMAIL', { to: 'a@b.example' })).toMatchObject({
      status: 200,
      body: { successful: true },
    })
    expect(hub.executed).toMatchObject([{ slug: 'GMAIL_SEND_EMAIL', user: 'team' }])
    expect(router.executed).toEqual([])
  })

  test('curatore: Open WebUI calls by MCP, by the OpenAPI document and flat, within the limits of the policy', async () => {
    await expect.poll(() => namesAt('curatore', '/mcp')).toContain('search_assets')
    await using client = await connected('curatore', '/mcp')
    await client.call('search_assets', { query: 'lamp', limit: 500 })
    const at = '/o/curatore/t/default'
    const document = await ask('curatore', `${at}/openapi.json`)
    expect(Object.keys(document.body['paths'] as object)).toContain('/search_assets')
    expect(await ask('curatore', `${at}/search_assets`, { query: 'lamp', limit: 500 })).toMatchObject({ status: 200 })
    const executed = backend.asked('execute').filter(({ path }) => path.includes('search_assets'))
    expect(executed).toHaveLength(2)
    for (const { body, headers } of executed) {
      expect(body).toMatchObject({ params: { limit: 50, org_id: 'acme' } })
      expect(headers['x-api-key']).toBe('what the backend wants')
    }
    expect((await ask('curatore', `${at}/send_email`, {})).status).toBe(404)
  })

  test('agent: the main agent writes into its workspace and searches, under the names that it knows', async () => {
    await expect
      .poll(() => namesAt('agent', '/o/agent/t/main/mcp'))
      .toEqual(expect.arrayContaining(['mcp__local_toolkit__write_local_file', 'mcp__composio__COMPOSIO_SEARCH_NEWS']))
    await using client = await connected('agent', '/o/agent/t/main/mcp')
    const news = await client.call('mcp__composio__COMPOSIO_SEARCH_NEWS', { query: 'mcp', num_results: 1 })
    expect(news.structuredContent).toMatchObject({ successful: true, data: { for: AGENT_USER } })
    expect(await namesAt('agent', '/o/agent/t/report-expert/mcp')).not.toContain('mcp__composio__GMAIL_SEND_EMAIL')
  })

  test('nebo: an integration is added, its tools have the names of the agent, and a call waits for an approval', async () => {
    const at = '/api/v1/integrations'
    const made = await ask('nebo', at, { name: 'Notes', server_url: effects.url, auth_type: 'none' })
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
    await expect.poll(() => namesAt('nebo', '/o/nebo/t/agent/mcp')).toContain('mcp__notes__write_note')
    await using client = await connected('nebo', '/o/nebo/t/agent/mcp')
    const told = await client.call('mcp__notes__write_note')
    expect([told.isError, textOf(told)]).toEqual([true, expect.stringContaining('APPROVAL_REQUIRED')])
    expect(effects.called).toEqual([])
  })

  test('sagemcp: a tenant calls a native connector at its own address, with the tenant’s credential', async () => {
    const at = '/api/v1/sagemcp/connectors/github/mcp'
    await expect.poll(() => namesAt('sagemcp', at)).toContain('github_list_repositories')
    expect(await namesAt('sagemcp', '/o/sagemcp/t/all/mcp')).toContain('github_list_repositories')
    await using client = await connected('sagemcp', at)
    expect(textOf(await client.call('github_list_repositories'))).toContain('acme/shop')
    expect(github.asked).toEqual(['GET /user/repos'])
  })

  test('none of them reaches another one’s organization, whatever address it takes', async () => {
    const addresses: Record<Name, string> = {
      uru: '/o/uru/t/apps/mcp',
      curatore: '/o/curatore/t/default/mcp',
      agent: '/o/agent/t/main/mcp',
      nebo: '/o/nebo/t/agent/mcp',
      sagemcp: '/api/v1/sagemcp/connectors/github/mcp',
    }
    for (const name of PRESETS)
      for (const other of PRESETS)
        if (other !== name)
          expect((await ask(name, addresses[other], { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404)
  })
})
