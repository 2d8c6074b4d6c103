/**
 * Ways to a credential without an authorization server: everything is real, rows included, but for the protocol's side, which answers
 * as it is told and notes what it was asked.
 */
import type { AccountRow } from '../identity/accounts.ts'
import {
  Authority,
  ConnectionSettings,
  type Fault,
  newId,
  type ConnectionId,
  type OrganizationId,
  type Role,
  type UserId,
} from '@toolway/contract'
import { createSnapshot, type Snapshot } from '../snapshot/snapshot.ts'
import { addConnection, listConnections } from '../connections/connections.ts'
import type { Db } from '../db/db.ts'
import { OPERATOR, type Principal } from '../identity/principal.ts'
import { createChooseClient } from '../oauth/outgoing/flows/choose-client.ts'
import { findInTheWay } from '../oauth/outgoing/flows/existing-accounts.ts'
import { createFlows } from '../oauth/outgoing/flows/flows.ts'
import type { NewCredential, OutgoingOAuth, Tokens } from '../oauth/outgoing/ports.ts'
import { createTargets } from '../oauth/outgoing/flows/target.ts'
import { listRoles } from '../organizations/members.ts'
import type { Actor } from '../records/change.ts'
import { createVault } from '../vault/vault.ts'
import { addTestOrganization } from './organization.ts'
import { addPerson } from './people.ts'

export const PUBLIC = 'https://toolway.example.com'
export const SERVER = 'https://mcp.example.com/mcp'

export const authorityOf = (words: Partial<Authority> = {}): Authority =>
  Authority.parse({
    provider: 'mcp',
    issuer: 'https://id.example.com',
    authorizationEndpoint: 'https://id.example.com/authorize',
    tokenEndpoint: 'https://id.example.com/token',
    registrationEndpoint: 'https://id.example.com/register',
    ...words,
  })

export const ACTOR: Actor = {
  id: 'operator',
  type: 'user',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: 'test',
}

export const TOKENS: Tokens = {
  access: 'the access token',
  refresh: 'the refresh token',
  tokenType: 'Bearer',
  expiresAt: undefined,
  scopes: undefined,
  account: { id: '42', name: 'ada' },
  more: {},
}

export const asUser = (userId: UserId): Principal => ({ ...OPERATOR, id: userId, kind: 'user', userId })

/** An authorization server as the fake protocol knows it. */
export interface FakeAuthority {
  authority: Authority
  /** The fault that the exchange throws instead of returning tokens. */
  failure: Fault | undefined
  readonly registered: { redirectUris: readonly string[] }[]
  readonly sent: URL[]
  readonly exchanged: { verifier: string; answer: URLSearchParams }[]
}

function fakeOAuth(fake: FakeAuthority): OutgoingOAuth {
  return {
    discover: async () => fake.authority,
    async register(_, { redirectUris }) {
      fake.registered.push({ redirectUris })
      const clientId = `registered-${fake.registered.length}`
      return { clientId, secret: `secret of ${clientId}`, method: 'client_secret_basic', secretExpiresAt: undefined }
    },
    async authorizationUrl({ authority, client, redirectUri, state, scopes }) {
      const url = new URL(authority.authorizationEndpoint)
      url.search = String(
        new URLSearchParams({ client_id: client.clientId, redirect_uri: redirectUri, state, scope: scopes.join(' ') }),
      )
      fake.sent.push(url)
      return url
    },
    async exchange({ verifier, answer }) {
      fake.exchanged.push({ verifier, answer })
      if (fake.failure !== undefined) throw fake.failure
      return TOKENS
    },
    refresh: () => Promise.reject(new Error('nothing is renewed here')),
    revoke: async () => {},
  }
}

export async function connectFixture({ db }: { db: Db }, auth: object = {}) {
  const vault = createVault(Buffer.alloc(32, 8))
  const organization = await addTestOrganization(db, 'acme')
  const organizationId: OrganizationId = organization.id
  const settings = (url: string) => ConnectionSettings.parse({ connector: 'mcp.http', url, auth })
  const connectionId = await db.organization(organizationId, (sql) =>
    addConnection(sql, {
      organizationId,
      alias: 'docs',
      title: 'Docs',
      settings: settings(SERVER),
      enabled: true,
      origin: 'test',
      seal: () => undefined,
    }),
  )
  const fake: FakeAuthority = { authority: authorityOf(), failure: undefined, registered: [], sent: [], exchanged: [] }
  const kept: NewCredential[] = []
  const state = { now: Date.now(), snapshot: undefined as Snapshot | undefined, publicUrl: PUBLIC }
  const accounts = new Map<UserId, AccountRow>()

  async function reload(): Promise<void> {
    state.snapshot = await db.organization(organizationId, async (sql) =>
      createSnapshot({
        organization,
        connections: await listConnections(sql),
        catalogs: [],
        toolsets: [],
        members: await listRoles(sql),
        upstreams: { open: () => Promise.reject(new Error('nothing is reached')) as never },
        unseal: vault.open,
      }),
    )
  }
  await reload()
  const oauth = fakeOAuth(fake)
  const publicUrl = () => state.publicUrl
  const targets = createTargets({
    find: ({ id }) => (id === organizationId ? state.snapshot : undefined),
    unseal: vault.open,
    vendor: () => undefined,
    accounts: { find: (id) => accounts.get(id) },
  })
  const clients = createChooseClient({
    db,
    vault,
    oauth,
    reveal: (_organization: string, text: string) => Promise.resolve(text),
    global: () => undefined,
    publicUrl,
    now: () => state.now,
  })
  const flows = createFlows({
    db,
    vault,
    oauth,
    clients,
    targets,
    nameAt: () => Promise.resolve(undefined),
    keeping: {
      async keep(given) {
        kept.push(given)
        return newId('crd')
      },
    },
    inTheWay: (connectRequest, target) => findInTheWay(db, connectRequest, target),
    scopesOf: () => undefined,
    challenge: async () => undefined,
    memberOf: (id) => (accounts.has(id as UserId) ? asUser(id as UserId) : undefined),
    publicUrl,
    now: () => state.now,
  })
  return {
    db,
    vault,
    fake,
    kept,
    state,
    flows,
    clients,
    targets,
    organizationId,
    connectionId: connectionId as ConnectionId,
    reload,
    async member(name: string, role: Role = 'tenant_member'): Promise<UserId> {
      const { id, email } = await addPerson(db, { email: `${name}@example.com`, roles: [[organizationId, role]] })
      accounts.set(id, {
        id,
        email,
        active: true,
        platform_admin: false,
        epoch: 0,
        second_factor: false,
        must_have_second_factor: false,
      })
      await reload()
      return id
    },
    async leave(user: UserId): Promise<void> {
      accounts.delete(user)
      await reload()
    },
  }
}
