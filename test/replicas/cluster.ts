/**
 * Several gateways as an operator runs them: processes of their own, each with its data directory, on one PostgreSQL, behind a
 * real balancer; with or without Redis, with or without PgBouncer between them and the database.
 *
 * `await using cluster = await startCluster({ gateways: 3, balancer: 'nginx', … })`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Db } from '../../packages/gateway/src/db/db.ts'
import { listOrganizations, type OrganizationRow } from '../../packages/gateway/src/organizations/organizations.ts'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { startPgBouncer } from '../../packages/gateway/src/testing/pgbouncer.ts'
import { startTestRedis } from '../../packages/gateway/src/testing/redis.ts'
import { makeInstallation, type Installation, type Running, type Settings } from '../cli/installation.ts'
import { ask } from '../e2e/peers/clients/raw-client.ts'
import { until } from '../e2e/peers/until.ts'
import { startRealBalancer, type Affinity, type BalancerKind } from './balancers.ts'

export interface ClusterOptions {
  readonly gateways?: number
  readonly redis?: boolean
  readonly pgbouncer?: boolean
  readonly balancer?: BalancerKind
  readonly affinity?: Affinity
  /** What `TOOLWAY_CONFIG` of each gateway says. */
  readonly declared?: { readonly connections?: object; readonly [more: string]: unknown }
  readonly settings?: Settings
}

export interface Member {
  readonly address: string
  readonly running: Running
  readonly data: string
  /** The same gateway anew, at the same address and with the same data. */
  start(): Promise<void>
}

export interface Cluster extends AsyncDisposable {
  /** Of the balancer, and so of the installation. */
  readonly address: string
  /** The joined endpoint. */
  readonly url: string
  readonly key: string
  readonly db: Db
  readonly organization: OrganizationRow
  readonly members: readonly Member[]
  connectionUrl(alias: string): string
}

export const CLUSTER_KEY = `uru_${'ab'.repeat(32)}`

/** The key of the vault of test gateways, so that what tests sign by hand is good here, too. */
const VAULT_KEY = Buffer.alloc(32, 7).toString('hex')

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { gateways = 3, redis = false, pgbouncer = false, balancer = 'nginx', affinity = 'none' } = options
  await using parts = new AsyncDisposableStack()
  const database = parts.use(await createTestDatabase({ empty: true, server: inject('postgres') }))
  const folder = await mkdtemp(join(tmpdir(), 'toolway-cluster-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'toolway.yaml')
  await writeFile(file, JSON.stringify(options.declared ?? {}))
  const pooler = pgbouncer ? parts.use(await startPgBouncer(database.connection)) : undefined
  const count = redis ? parts.use(await startTestRedis()) : undefined
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const direct = urlOf(database.connection)
  const settings: Settings = {
    ...(pooler === undefined
      ? { DATABASE_URL: direct }
      : { DATABASE_URL: urlOf(pooler.of(database.connection)), DATABASE_DIRECT_URL: direct }),
    ...(count === undefined ? {} : { REDIS_URL: count.url }),
    MCP_ENCRYPTION_KEY: VAULT_KEY,
    TOOLWAY_BOOTSTRAP_KEY: CLUSTER_KEY,
    TOOLWAY_PUBLIC_URL: address,
    TOOLWAY_TRUSTED_PROXIES: '127.0.0.1',
    TOOLWAY_OUTBOX: join(folder, 'outbox'),
    TOOLWAY_FILES: `folder:${join(folder, 'files')}`,
    TOOLWAY_CONFIG: file,
    TOOLWAY_DEMO: 'off',
    // The server of the tests has 100 for several such files at once.
    TOOLWAY_DATABASE_CONNECTIONS: '6',
    TOOLWAY_STOP_DELAY: '1',
    LOG_LEVEL: 'error',
    ...options.settings,
  }
  // One after the other would migrate once; at the same time they have to agree on it.
  const members = await Promise.all(
    Array.from({ length: gateways }, async () => startMember(parts.use(await makeInstallation(settings)))),
  )
  const targets = members.map((member) => Number(new URL(member.address).port))
  parts.use(await startRealBalancer({ kind: balancer, affinity, port, targets }))
  const organization = (await database.db.system(listOrganizations)).find(({ slug }) => slug === 'default')
  if (organization === undefined) throw new Error('there is no organization')
  const connectionUrl = (alias: string) => `${address}/api/v1/default/connectors/${alias}/mcp`
  const aliases = Object.keys(options.declared?.connections ?? {})
  await Promise.all(members.flatMap((member) => aliases.map((alias) => listed(member, alias))))
  const owned = parts.move()
  return {
    address,
    url: `${address}/mcp`,
    key: CLUSTER_KEY,
    db: database.db,
    organization,
    members,
    connectionUrl,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function startMember(here: Installation): Promise<Member> {
  const port = await freePort()
  const start = () => here.start({ TOOLWAY_PORT: String(port) })
  let running = await start()
  return {
    address: `http://127.0.0.1:${port}`,
    data: here.data,
    get running() {
      return running
    },
    async start() {
      running = await start()
    },
  }
}

interface Connection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password?: string
}

const urlOf = ({ host, port, user, database, password }: Connection): string => {
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`
  return host.startsWith('/')
    ? `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
    : `postgres://${user}${secret}@${host}:${port}/${database}`
}

const listed = (member: Member, alias: string) =>
  until(`${member.address} lists ${alias}`, async () => {
    const url = `${member.address}/api/v1/default/connectors/${alias}/mcp`
    const { answer } = await ask({ url, key: CLUSTER_KEY, era: 'modern' }, 'tools/list')
    return ((answer.result?.['tools'] as unknown[] | undefined)?.length ?? 0) > 0
  })
