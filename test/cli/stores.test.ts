/**
 * One suite on each store: none (a gateway fed by a file, and one fed by delegation to a contract backend), the embedded PostgreSQL,
 * and a server by DATABASE_URL. Then the roles of processes that share a server, and stdio.
 */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { startContractBackend, type ContractBackend } from '../e2e/peers/contract-backend/backend.ts'
import { buildBridge, connectByBridge } from '../e2e/peers/clients/bridge.ts'
import { until } from '../e2e/peers/until.ts'
import { makeInstallation, type Installation, type Running, type Settings } from './installation.ts'

const KEY = `uru_${'5'.repeat(64)}`
const BACKEND_KEY = 'what the backend wants'

/** Each store is given the same backend, and the rule that a search gives 50 at most. */
interface Fed {
  readonly settings: Settings
  readonly tool: string
}

async function fedByFile(here: Installation, backend: ContractBackend, settings: Settings): Promise<Fed> {
  const file = join(here.folder, 'toolway.yaml')
  const connection = { type: 'contract', url: backend.url, headers: { 'X-API-Key': BACKEND_KEY } }
  const declared = {
    connections: { cwr: connection },
    keys: { one: { value: KEY } },
    rules: [{ name: 'few', action: 'clamp', parameters: { parameter: 'limit', max: 50 }, reason: 'Lists are short.' }],
  }
  await writeFile(file, JSON.stringify(declared))
  return { settings: { ...settings, TOOLWAY_CONFIG: file, TOOLWAY_DEMO: 'off' }, tool: 'cwr__search_assets' }
}

const fedByDelegation = (_: Installation, backend: ContractBackend): Fed => ({
  settings: {
    TOOLWAY_PRESET: 'curatore',
    MCP_API_KEY: KEY,
    DEFAULT_ORG_ID: 'acme',
    CURATORE_BACKEND_URL: backend.url,
    BACKEND_API_KEY: BACKEND_KEY,
  },
  tool: 'search_assets',
})

const databases = new AsyncDisposableStack()
/** A database of its own on the server of TEST_DATABASE_URL, or on one that was started for the tests. */
async function databaseUrl(): Promise<string> {
  const server = inject('outsidePostgres') ?? inject('postgres')
  const { connection } = databases.use(await createTestDatabase({ empty: true, server }))
  return urlOf(connection)
}

function urlOf({ host, port, user, database, password }: TestDatabase['connection']): string {
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`
  return host.startsWith('/')
    ? `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
    : `postgres://${user}${secret}@${host}:${port}/${database}`
}
afterAll(() => databases.disposeAsync())

const STORES: readonly [string, (here: Installation, backend: ContractBackend) => Fed | Promise<Fed>][] = [
  ['none, fed by a file', (here, backend) => fedByFile(here, backend, { TOOLWAY_STORE: 'none' })],
  ['none, fed by delegation', fedByDelegation],
  ['the embedded PostgreSQL', (here, backend) => fedByFile(here, backend, {})],
  [
    'a server by DATABASE_URL',
    async (here, backend) => fedByFile(here, backend, { DATABASE_URL: await databaseUrl() }),
  ],
]

/** Status and body of one request with the key. */
async function ask({ address }: Pick<Running, 'address'>, path: string, body?: object, key = KEY) {
  const response = await fetch(`${address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown> }
}
const toolsOf = async (running: Pick<Running, 'address'>) => {
  const { tools = [] } = (await ask(running, '/rest/tools')).body as { tools?: { name: string }[] }
  return tools.map(({ name }) => name).toSorted()
}

describe.each(STORES)('U-05: the store %s', (_, feed) => {
  test('lists, calls, clamps and refuses, and does so again after a restart', async () => {
    await using backend = await startContractBackend({ key: BACKEND_KEY })
    await using here = await makeInstallation()
    const { settings, tool } = await feed(here, backend)
    const seen: unknown[] = []
    for (let start = 0; start < 2; start++) {
      const running = await here.start(settings)
      await until('it lists', async () => (await toolsOf(running)).includes(tool))
      const call = (key?: string) =>
        ask(running, `/rest/tools/${tool}/call`, { arguments: { query: 'x', limit: 500 } }, key)
      const before = backend.asked('execute').length
      expect((await call(`uru_${'6'.repeat(64)}`)).status).toBe(401)
      expect(backend.asked('execute')).toHaveLength(before)
      const { status, body } = await call()
      expect(status, JSON.stringify(body)).toBe(200)
      expect(backend.asked('execute').at(-1)?.body).toMatchObject({ params: { query: 'x', limit: 50 } })
      expect((await ask(running, '/rest/tools/no_such_tool/call', { arguments: {} })).status).toBe(404)
      const ready = await ask(running, '/health/ready')
      expect(ready).toMatchObject({ status: 200, body: { status: 'ready' } })
      seen.push(await toolsOf(running))
      expect(await running.stop()).toBe(0)
    }
    expect(seen[1]).toEqual(seen[0])
  })
})

describe('U-05: the roles of processes on one store', () => {
  const parts = new AsyncDisposableStack()
  const roles: Record<string, Running> = {}
  beforeAll(async () => {
    const backend = parts.use(await startContractBackend({ key: BACKEND_KEY }))
    const url = await databaseUrl()
    for (const role of ['web,api,mcp', 'web', 'api', 'mcp']) {
      const here = parts.use(await makeInstallation({ MCP_ENCRYPTION_KEY: '07'.repeat(32) }))
      const { settings } = await fedByFile(here, backend, { DATABASE_URL: url, TOOLWAY_ROLES: role })
      roles[role] = await here.start(settings)
    }
  })
  afterAll(() => parts.disposeAsync())

  test.each([
    ['web,api,mcp', 200, 200, 200],
    ['web', 200, 404, 404],
    ['api', 404, 200, 404],
    ['mcp', 404, 404, 200],
  ] as const)('%s answers its own addresses and no others', async (role, web, api, mcp) => {
    const running = roles[role]!
    if (mcp === 200) await until('it lists', async () => (await toolsOf(running)).length > 0)
    const paths = ['/sign-in', '/.well-known/oauth-authorization-server', '/rest/tools']
    expect(await Promise.all(paths.map(async (path) => (await ask(running, path)).status))).toEqual([web, api, mcp])
  })

  test('stdio reaches the process of the role mcp', async () => {
    await using built = await buildBridge()
    await using client = await connectByBridge(built, { url: `${roles['mcp']!.address}/mcp`, key: KEY }, 'SDK 2 legacy')
    expect((await client.tools()).map(({ name }) => name)).toContain('cwr__search_assets')
  })
})
