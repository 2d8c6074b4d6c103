/**
 * A whole gateway in this process, on a database of its own: `await using gateway = await startTestGateway({ … })`.
 *
 * Everything is real but the process: the same composition, the same door on a real port, records in a real database.
 * It closes itself, and what it started with it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProvidedContext } from 'vitest'
import { declare, type Declared } from '../features/declaration/index.ts'
import { createApp } from '../app.ts'
import { loadConfig, type Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { ensureOrganization, type OrganizationRow } from '../organizations/organizations.ts'
import { createLogTail } from '../telemetry/log-tail.ts'
import { createVault } from '../vault/vault.ts'
import { createTestDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { PATIENCE_MS } from './patience.ts'

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly facts: Record<string, unknown>
}

export interface TestGateway extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  /** Every connection of the default organization, names joined. */
  readonly url: string
  readonly key: string
  readonly db: Db
  readonly organization: OrganizationRow
  readonly log: readonly LogLine[]
  /** The endpoint of one connection, plain names. */
  connectionUrl(alias: string): string
  /** End the gateway and compose it anew, on the same database and at the same address; `meanwhile` it is away. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>
  /** Another gateway on the same database, with other settings if they are given. */
  another(settings?: Partial<Config>): Promise<AsyncDisposable & { readonly address: string }>
  /** Resolves when that connection's catalog has been fetched, or its failure noted. */
  settled(alias: string): Promise<{ status: string; reason: string | null; tools: number }>
}

export type TestConnection = Partial<Declared['connections'][number]> &
  Pick<Declared['connections'][number], 'alias' | 'wire'>

export interface TestGatewayOptions {
  readonly connections?: readonly TestConnection[]
  readonly toolsets?: Declared['toolsets']
  readonly keys?: Declared['keys']
  /** Settings by their names in the environment. */
  readonly settings?: Readonly<Record<string, string>>
  /** The PostgreSQL to make its database on; without it the embedded one. */
  readonly server?: ProvidedContext['postgres']
  /** Further organizations, whole. */
  readonly others?: readonly Declared[]
  /** Rows are not checked by their shapes, as in production: for rows that no shape fits. */
  readonly trusting?: boolean
}

/** The vault that seals and opens the secrets of every test gateway. */
export const createTestVault = () => createVault(Buffer.alloc(32, 7))

/** Tests ask as fast as they can, from one address: what is limited is limited by a test that says so. */
export const UNLIMITED = {
  TOOLWAY_LIMIT_ADDRESS: 'off',
  TOOLWAY_LIMIT_ORGANIZATION: 'off',
  TOOLWAY_LIMIT_ADMINISTRATION: 'off',
}

export const TEST_KEY = `uru_${'0123456789abcdef'.repeat(4)}`

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { connections = [], toolsets = [], keys = [], settings = {}, others = [], server, trusting = false } = options
  const database = await createTestDatabase({ trusting, ...(server === undefined ? {} : { server }) })
  const directory = await mkdtemp(join(tmpdir(), 'toolway-gateway-'))
  const own = { PATH: process.env['PATH'], TOOLWAY_PORT: '0', TOOLWAY_DATA: directory, TOOLWAY_DRAIN_SECONDS: '10' }
  const loaded = loadConfig({ ...own, ...UNLIMITED, ...settings })
  const vault = createTestVault()
  const { db } = database
  const organization = await db.system((sql) => ensureOrganization(sql, 'default', 'Default', 'first run'))
  const declared: Declared = {
    slug: 'default',
    name: 'Default',
    connections: connections.map((connection) => ({
      title: connection.alias,
      enabled: true,
      revision: 'auto',
      timeout: 30,
      ...connection,
    })),
    toolsets,
    keys: [{ name: 'test', value: TEST_KEY, toolset: undefined }, ...keys],
  }
  const { TOOLWAY_LIMIT_ORGANIZATION: requestsPerMinute, TOOLWAY_SANDBOX_ROOTS: roots } = loaded.config
  await declare({ db, vault, requestsPerMinute, roots }, [declared, ...others])
  const log: LogLine[] = []
  const tail = createLogTail()
  const kept = logInto(log, (line) => tail.push(line))
  const begin = async (port: number, other: Partial<Config> = {}) => {
    const begun = await createApp({
      origins: loaded.origins,
      config: { ...loaded.config, ...other, TOOLWAY_PORT: port },
      store: { db, vault },
      log: kept,
      logLine: (json) => kept.info(JSON.parse(json) as object, 'call'),
      tail,
      path: loaded.path,
      lang: loaded.lang,
      lookup: loaded.lookup,
    })
    try {
      return { begun, port: await begun.listen() }
    } catch (thrown) {
      await begun.close()
      throw thrown
    }
  }
  // A port that nobody is given who asks for any: it has to be free again after a restart.
  const first = await whenFree(async () => begin(await freePort()))
  const { port } = first
  let gateway = first.begun
  const address = `http://127.0.0.1:${port}`
  return {
    address,
    url: `${address}/mcp`,
    key: TEST_KEY,
    db,
    organization,
    log,
    connectionUrl: (alias) => `${address}/api/v1/default/connectors/${alias}/mcp`,
    async restart(meanwhile) {
      await gateway.close()
      await meanwhile?.()
      gateway = (await begin(port)).begun
    },
    async another(settings) {
      const other = await begin(0, settings)
      return { address: `http://127.0.0.1:${other.port}`, [Symbol.asyncDispose]: () => other.begun.close() }
    },
    async settled(alias) {
      const found = await settled(db, organization, alias)
      // The database knows a moment before the gateway's own memory does.
      if (found.status === 'connected' && found.tools > 0)
        await listed(`${address}/api/v1/default/connectors/${alias}/mcp`)
      return found
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await database[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Begins again as long as somebody else has the port. */
async function whenFree<Begun>(begin: () => Promise<Begun>): Promise<Begun> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    try {
      return await begin()
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EADDRINUSE' || Date.now() > until) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

const logInto = (lines: LogLine[], write: (line: string) => void): Log => {
  const at = (level: string) => (facts: object, message: string) => {
    lines.push({ level, message, facts: { ...facts } })
    write(JSON.stringify({ level, message, timestamp: new Date().toISOString(), ...facts }))
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Resolves when an endpoint lists tools. */
async function listed(url: string): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    authorization: `Bearer ${TEST_KEY}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta } })
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const response = await fetch(url, { method: 'POST', headers, body })
    const { result } = (await response.json()) as { result?: { tools?: unknown[] } }
    if ((result?.tools?.length ?? 0) > 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function settled(db: Db, organization: OrganizationRow, alias: string) {
  const { listConnections } = await import('../connections/connections.ts')
  const { listCatalogs } = await import('../catalog/catalogs.ts')
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const found = await db.organization(organization.id, async (sql) => {
      const connection = (await listConnections(sql)).find((one) => one.alias === alias)
      const catalog = (await listCatalogs(sql)).find(({ connection_id: id }) => id === connection?.id)
      return { connection, catalog }
    })
    if (found.connection !== undefined && found.connection.status !== 'new') {
      return {
        status: found.connection.status,
        reason: found.connection.status_reason,
        tools: found.catalog?.tools?.length ?? 0,
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the connection ${alias} was not contacted within ${PATIENCE_MS} ms`)
}
