/** The sagemcp preset as its guide has it: a tenant with a native connector, a client of it, and the switches of the source system. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../packages/gateway/src/config.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { connectClient, KINDS, textOf } from '../e2e/peers/clients/client.ts'
import { startGitHub, type GitHub } from './github.ts'
import { blocksOf, readGuide, runBlocks } from './guide-blocks.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const TOKEN = 'ghp_0123456789abcdef0123456789abcdef0123'
const SETTINGS = { TOOLWAY_PRESET: 'sagemcp', SAGEMCP_ENABLE_METRICS: 'true', SECRET_KEY: 's'.repeat(32) }

describe('the sagemcp preset', () => {
  let here: Installation
  let running: Running
  let github: GitHub
  let out: string
  let key: string
  let blocks: string[]

  beforeAll(async () => {
    github = await startGitHub(TOKEN)
    here = await makeInstallation(SETTINGS)
    running = await here.start()
    key = (await here.run(['key', 'add', 'metrics', '--role', 'platform_admin'])).out.trim().split('\n')[0] ?? ''
    blocks = blocksOf(await readGuide('sagemcp.md'))
    // The vendor is a server of this machine here.
    const local = blocks.map((block) =>
      block.replace('"native": {"vendor": "github"},', `$& "url": "${github.url}", "private": true,`),
    )
    out = await runBlocks(here, local, { GATEWAY: running.address, GITHUB_TOKEN: TOKEN, ...SETTINGS })
  })
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]()
    await github?.[Symbol.asyncDispose]()
  })

  test('the commands of the guide make a tenant, a connector and a client of it', () => {
    expect(blocks).toHaveLength(2)
    expect(out, out).toContain('ended in peace')
    expect(out).toContain('github_list_repositories')
    expect(out).toContain('acme/shop')
    expect(github.asked).toEqual(['GET /user/repos'])
  })

  test('a key of one organization makes no tenant, and is told so in words that fit it', async () => {
    const create = async (bearer: string) => {
      const answer = await fetch(`${running.address}/api/v1/admin/tenants`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: '{"slug": "other", "name": "Other"}',
      })
      return { status: answer.status, ...((await answer.json()) as { detail: string; mend: string }) }
    }
    const refused = await create(await here.localKey())
    expect(refused).toMatchObject({
      status: 403,
      detail:
        'This key or sign-in belongs to one organization, so it does not have the permission tenant_create for the platform.',
      mend: expect.stringMatching(/^Ask a platform administrator, .*`toolway key add NAME --role platform_admin`/),
    })
    expect((await create(key)).status).toBe(201)
  })

  test('each kind of client calls the connector at its address, and no tool at another tenant’s', async () => {
    const own = (await here.run(['key', 'add', 'clients', '-o', 'acme-corp'])).out.trim().split('\n')[0] ?? ''
    const url = `${running.address}/api/v1/acme-corp/connectors/github/mcp`
    for (const kind of KINDS) {
      await using client = await connectClient({ kind, url, key: own })
      expect((await client.tools()).map(({ name }) => name)).toContain('github_list_repositories')
      expect(textOf(await client.call('github_list_repositories'))).toContain('acme/shop')
    }
    const elsewhere = `${running.address}/api/v1/default/connectors/github/mcp`
    await expect(connectClient({ kind: 'SDK 1', url: elsewhere, key: own })).rejects.toThrow()
  })

  test('the toolset all has the tools of connectors under their own names', async () => {
    const listed = await here.run(['toolset', 'list'])
    expect(listed.out).toMatch(/^all /m)
  })

  test('metrics are there because the switch says so, and probes answer', async () => {
    const at = (path: string) => fetch(`${running.address}${path}`, { headers: { authorization: `Bearer ${key}` } })
    expect((await at('/metrics')).status).toBe(200)
    for (const probe of ['live', 'ready', 'startup']) expect((await at(`/health/${probe}`)).status).toBe(200)
    const { config, origins } = loadConfig({ TOOLWAY_PRESET: 'sagemcp' }, here.data)
    expect([config.TOOLWAY_METRICS, origins.TOOLWAY_METRICS]).toEqual(['off', 'preset sagemcp'])
  })
})

test('U-26: one role of the preset listens on a port of the operator’s choice, and serves that role alone', async () => {
  const port = await freePort()
  await using web = await makeInstallation({ TOOLWAY_PRESET: 'sagemcp', TOOLWAY_ROLES: 'web', PORT: String(port) })
  await web.start({ TOOLWAY_PORT: '' })
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })).status
  expect(await statusOf('/health/live')).toBe(200)
  expect(await statusOf('/sign-in')).toBeLessThan(400)
  for (const path of ['/mcp', '/api/v1/admin/tenants']) expect(await statusOf(path)).toBe(404)
})
