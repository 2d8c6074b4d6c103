/**
 * One connection, its credentials, and gateways that use them, on a real database: `await using house = await startCredentialHouse(…)`.
 *
 * The authorization server is a strict one in memory, which counts, and can be made to fail in ways that a real one does not show.
 */
import {
  Fault,
  newId,
  type Authority,
  type ConnectionAuthChange,
  type CredentialId,
  type UserId,
} from '@toolway/contract'
import { z } from 'zod'
import type { CredentialAsking } from '../snapshot/ports/credentials.ts'
import { createSnapshot } from '../snapshot/snapshot.ts'
import { startCredentials, type Credentials } from '../features/accounts/index.ts'
import { addConnection, listConnections } from '../connections/connections.ts'
import { partsOf, sealerOf, shownOf } from '../kinds/kinds.ts'
import type { Db } from '../db/db.ts'
import { OPERATOR, type Principal } from '../identity/principal.ts'
import type { NewCredential, OutgoingOAuth, Tokens } from '../oauth/outgoing/ports.ts'
import { loadConfig } from '../config.ts'
import { createCounters } from '../telemetry/counters.ts'
import type { OrganizationRow } from '../organizations/organizations.ts'
import { connectionSealContext } from '../vault/sealed-columns.ts'
import { createVault } from '../vault/vault.ts'
import { addTestOrganization } from './organization.ts'
import type { TestDatabase } from './database.ts'

const Nothing = z.object({})
const HOUR = 3_600_000

export const AUTHORITY: Authority = {
  provider: 'mcp',
  issuer: 'https://authority.example/',
  authorizationEndpoint: 'https://authority.example/authorize',
  tokenEndpoint: 'https://authority.example/token',
  revocationEndpoint: 'https://authority.example/revoke',
  issInResponse: true,
  clientDocuments: true,
  tokenAuthMethods: ['none'],
}

/** Refresh tokens are good once; a second use ends all that came of them. */
export function createStrictAuthority(now: () => number, life = HOUR) {
  const families = new Map<string, string>()
  const asked: { method: 'refresh' | 'revoke'; token: string; issuer: string }[] = []
  let serial = 0
  const state: { failure: Fault | undefined; slow: number; rotates: boolean; before: () => Promise<void> } = {
    failure: undefined,
    slow: 0,
    rotates: true,
    before: () => Promise.resolve(),
  }
  function give(family: string): Tokens {
    const refresh = `refresh-${family}-${++serial}`
    families.set(family, refresh)
    return {
      access: `access-${family}-${serial}`,
      refresh,
      tokenType: 'Bearer',
      expiresAt: new Date(now() + life),
      scopes: undefined,
      account: { id: family, name: `${family}@example.com` },
      more: {},
    }
  }
  const unused = () => Promise.reject(new Error('nobody asks this here'))
  const oauth: OutgoingOAuth = {
    discover: unused,
    register: unused,
    authorizationUrl: unused,
    exchange: unused,
    async refresh({ refreshToken, authority }) {
      asked.push({ method: 'refresh', token: refreshToken, issuer: authority.issuer })
      await state.before()
      if (state.slow > 0) await new Promise((resolve) => setTimeout(resolve, state.slow))
      if (state.failure !== undefined) throw state.failure
      const family = refreshToken.split('-')[1] ?? ''
      if (families.get(family) !== refreshToken) {
        families.delete(family)
        throw new Fault('authority.refused', { connection: 'web', problem: 'invalid_grant' })
      }
      const tokens = give(family)
      if (state.rotates) return tokens
      families.set(family, refreshToken)
      return { ...tokens, refresh: undefined }
    },
    async revoke({ token, authority }) {
      asked.push({ method: 'revoke', token, issuer: authority.issuer })
      if (state.failure !== undefined) throw state.failure
      families.delete(token.split('-')[1] ?? '')
      await Promise.resolve()
    },
  }
  const refreshes = () => asked.filter(({ method }) => method === 'refresh').length
  return { oauth, give, asked, state, refreshes }
}

export interface HouseOptions {
  readonly auth?: ConnectionAuthChange
  readonly url?: string
  /** Milliseconds that access tokens are good for. */
  readonly life?: number
  /** Instead of the strict authorization server in memory. */
  readonly oauth?: OutgoingOAuth
}

export async function startCredentialHouse(database: TestDatabase, options: HouseOptions = {}) {
  const { auth, url = 'https://mcp.example.com/', life } = options
  const { db } = database
  const vault = createVault(Buffer.alloc(32, 9))
  const authority = createStrictAuthority(Date.now, life)
  const organization = await addTestOrganization(db, 'acme')
  const wire = { kind: 'http', url, headers: {}, ...(auth === undefined ? {} : { auth }) } as const
  const { settings, secrets } = partsOf({ revision: 'auto', timeout: 30, wire, shown: shownOf(wire) })
  const connectionId = await db.organization(organization.id, (sql) =>
    addConnection(sql, {
      organizationId: organization.id,
      alias: 'web',
      title: 'Web',
      settings,
      enabled: true,
      origin: 'test',
      seal: sealerOf(secrets, vault.seal, connectionSealContext),
    }),
  )
  if (connectionId === undefined) throw new Error('the connection was not added')
  const opened = new AsyncDisposableStack()
  const gateways: Credentials[] = []

  /** One whose clock is so many milliseconds ahead. */
  async function gateway(ahead = 0): Promise<TestGateway> {
    const lines: string[] = []
    const log = Object.fromEntries(
      ['debug', 'info', 'warn', 'error'].map((level) => [
        level,
        (facts: object, text: string) => void lines.push(`${level} ${text} ${JSON.stringify(facts)}`),
      ]),
    ) as unknown as Parameters<typeof startCredentials>[0]['log']
    const snapshots = { held: await snapshotOf(db, vault, organization) }
    const kept: NewCredential[] = []
    const { config } = loadConfig({ PATH: process.env['PATH'] })
    const counters = createCounters({
      sessions: () => 0,
      channels: () => 0,
      upstreamSessions: () => 0,
      waitingRecords: () => 0,
    })
    const queries = { count: 0, refused: false }
    const counting: Db = {
      ...db,
      organization: (id, work, within) => {
        queries.count++
        return queries.refused ? Promise.reject(new Error('the database is away')) : db.organization(id, work, within)
      },
      system: (work) => (queries.count++, db.system(work)),
    }
    const credentials = startCredentials(
      { config, db: counting, vault, log, counters, telemetry: undefined, opened },
      {
        reveal: (_organization, text) => Promise.resolve(text),
        oauth: options.oauth ?? {
          ...authority.oauth,
          refresh: async (...words) => {
            const tokens = await authority.oauth.refresh(...words)
            const { expiresAt } = tokens
            return expiresAt === undefined ? tokens : { ...tokens, expiresAt: new Date(expiresAt.getTime() + ahead) }
          },
        },
        links: {
          link: ({ userId, scopes }) => ({
            url: `https://gateway.example/connect/${userId ?? 'shared'}?${scopes.join('+')}`,
            minutes: 10,
          }),
          read: () => undefined,
        },
        accounts: { find: () => undefined },
        snapshots: () => ({ find: () => snapshots.held, findAny: () => snapshots.held }),
        global: () => undefined,
        onKept: (given) => void kept.push(given),
        now: () => Date.now() + ahead,
      },
    )
    const listener = await db.listen('toolway_changed', (notice) => {
      if (notice.kind !== 'payload') return credentials.memory.changed()
      const { table, organization: id } = JSON.parse(notice.payload) as { table: string; organization: string }
      if (table === 'credentials' || table === 'oauth_apps') credentials.memory.changed(id)
    })
    opened.defer(() => listener.close())
    const reload = async () => void (snapshots.held = await snapshotOf(db, vault, organization))
    gateways.push(credentials)
    return { ...credentials, lines, reload, queries }
  }

  /** A person connects an account: a family of tokens by its name. */
  const connect = (at: Pick<TestGateway, 'keeping'>, family: string, more: Partial<NewCredential> = {}) =>
    at.keeping.keep({
      organizationId: organization.id,
      connectionId,
      userId: undefined,
      account: undefined,
      kind: 'oauth',
      authority: AUTHORITY,
      client: { clientId: 'toolway', secret: undefined, method: 'none', appId: undefined },
      server: url,
      scopes: ['read'],
      tokens: authority.give(family),
      ...more,
    })

  return {
    db,
    vault,
    authority,
    organization,
    connectionId,
    gateway,
    connect,
    asking: (words: Partial<CredentialAsking> = {}): CredentialAsking => ({
      organizationId: organization.id,
      connectionId,
      principal: OPERATOR,
      account: undefined,
      passThroughToken: undefined,
      ...words,
    }),
    /** So many milliseconds go by for all that is kept, and every gateway has heard of it. */
    async age(milliseconds: number) {
      await db.system(
        (sql) => sql(Nothing)`
          update credentials
             set expires_at = expires_at - make_interval(secs => ${milliseconds / 1000}::float8),
                 renewed_at = renewed_at - make_interval(secs => ${milliseconds / 1000}::float8),
                 warned_at = warned_at - make_interval(secs => ${milliseconds / 1000}::float8),
                 retry_at = retry_at - make_interval(secs => ${milliseconds / 1000}::float8)`,
      )
      for (const { memory } of gateways) memory.changed(organization.id)
    },
    person: (name: string) => addMember(db, organization.id, name),
    rows: () =>
      db.organization(
        organization.id,
        (sql) => sql(Row)`
      select id, account, problem, version, failures, lease from credentials order by created_at, id`,
      ),
    alerts: () =>
      db.organization(
        organization.id,
        (sql) => sql(AlertRow)`
      select kind, user_id, detail from alerts order by created_at, id`,
      ),
    status: async () =>
      (await db.organization(organization.id, listConnections)).find(({ id }) => id === connectionId)?.status,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

export interface TestGateway extends Credentials {
  readonly lines: readonly string[]
  /** Transactions that it has begun, and whether its database is away. */
  readonly queries: { count: number; refused: boolean }
  /** Look at the connection as it is now. */
  reload(): Promise<void>
}

const Row = z.object({
  id: z.string().transform((id) => id as CredentialId),
  account: z.string(),
  problem: z.string().nullable(),
  version: z.int(),
  failures: z.int(),
  lease: z.string().nullable(),
})
const AlertRow = z.object({
  kind: z.string(),
  user_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
})

async function snapshotOf(db: Db, vault: ReturnType<typeof createVault>, organization: OrganizationRow) {
  const connections = await db.organization(organization.id, listConnections)
  return createSnapshot({
    organization,
    connections,
    catalogs: [],
    toolsets: [],
    members: new Map(),
    upstreams: {
      open: () => {
        throw new Error('nothing is opened here')
      },
    },
    unseal: vault.open,
  })
}

async function addMember(db: Db, organizationId: string, name: string): Promise<Principal & { userId: UserId }> {
  const id = newId('usr')
  await db.system(async (sql) => {
    await sql(Nothing)`insert into users (id, email, name) values (${id}, ${`${name}@example.com`}, ${name})`
    await sql(Nothing)`
      insert into members (organization_id, user_id, role) values (${organizationId}, ${id}, 'tenant_member')`
  })
  return { ...OPERATOR, id, kind: 'user', userId: id }
}
