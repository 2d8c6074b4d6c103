/** The library of the authorization server (oidc-provider): loaded at the first request, and made anew for another signing key. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { UserId } from '@toolway/contract'
import type { AdapterPayload, Provider } from 'oidc-provider'
import type { Db, SystemSql } from '../db/db.ts'
import type { SigningKey } from '../identity/access-tokens.ts'
import type { Accounts } from '../identity/accounts.ts'
import { findClient } from '../identity/oauth/oauth-clients.ts'
import { findGrant, type EndedGrant } from '../identity/oauth/oauth-grants.ts'
import { recordChange, type Actor } from '../records/change.ts'
import type { ClientDocuments } from './client-document.ts'
import { ClientProblem, openRedirects, type ShapedClient } from './client-shape.ts'
import type { Endpoints } from './endpoints.ts'
import { createProvider, VOUCHED, type ErrorPage, type Library } from './provider.ts'
import { createStorage } from './storage.ts'

export interface AuthorizationServerParts {
  readonly db: Pick<Db, 'system'>
  hash(text: string): Buffer
  readonly endpoints: Endpoints
  readonly documents: ClientDocuments
  readonly accounts: Pick<Accounts, 'find'>
  /** The newest first; another one signs after a rotation of the vault. */
  keys(): readonly SigningKey[]
  readonly cookieKey: string
  readonly lifetimes: { readonly access: number; readonly refresh: number }
  /** Returns the actor of a client's request. */
  actorOf(request: IncomingMessage, id: string): Actor
  page: ErrorPage
  onRenew(): void
  onError(thrown: unknown): void
}

export interface Loaded {
  readonly library: Library
  readonly provider: Provider
}

export function createLibraryLoader(parts: AuthorizationServerParts): () => Promise<Loaded> {
  let built: { keyId: string | undefined; made: Promise<Loaded> } | undefined
  // The import takes 150 ms, which no start waits for. The library cannot change its keys, so it is made anew for another one.
  return () => {
    const keys = parts.keys()
    const keyId = keys[0]?.id
    if (built === undefined || built.keyId !== keyId) built = { keyId, made: buildServer(parts, keys) }
    return built.made
  }
}

async function buildServer(parts: AuthorizationServerParts, keys: readonly SigningKey[]): Promise<Loaded> {
  const { db, hash, accounts } = parts
  const library = await import('oidc-provider')
  const provider = createProvider({
    ...parts,
    keys,
    library,
    storage: createStorage({
      ...parts,
      errors: library.errors,
      findClient: (id) => findAny(parts, library, id),
      onEnd: (sql, ended, why) => recordEnd(parts, library, sql, { ended, why }),
    }),
    findAccount: (id) => accounts.find(id as UserId),
    findGrant: (id) => db.system((sql) => findGrant(sql, id)),
    isSecret: (text, stored) => timingSafeEqual(hash(secretHashOf(hash, text)), hash(stored)),
  })
  return { library, provider }
}

async function findAny(
  { db, documents }: AuthorizationServerParts,
  library: Library,
  id: string,
): Promise<AdapterPayload | undefined> {
  try {
    if (documents.isDocumentId(id)) return payloadOf(id, await documents.find(id), undefined)
  } catch (thrown) {
    if (thrown instanceof ClientProblem) throw new library.errors.InvalidClient(thrown.message)
    throw thrown
  }
  const row = await db.system((sql) => findClient(sql, id))
  if (row === undefined) return undefined
  const vouched = row.kind === 'added'
  const redirects = vouched ? row.metadata.redirect_uris : openRedirects(row.metadata.redirect_uris)
  // Registered under older rules for redirect addresses: an unknown client registers again.
  if (redirects.length === 0) return undefined
  const metadata = { ...row.metadata, redirect_uris: redirects }
  return { ...payloadOf(id, { name: row.name, metadata }, row.secret_hash ?? undefined), [VOUCHED]: vouched }
}

async function recordEnd(
  { actorOf }: AuthorizationServerParts,
  library: Library,
  sql: SystemSql,
  { ended, why }: { readonly ended: EndedGrant; readonly why: string },
): Promise<void> {
  const ctx = library.Provider.ctx
  if (ctx === undefined) throw new Error('a grant ended outside of a request')
  const actor = actorOf(ctx.req, ctx.oidc.client?.clientId ?? 'oauth client')
  await recordChange(sql, actor, ended.organization_id, {
    action: 'grant.end',
    resource: 'grant',
    id: ended.id,
    detail: { client: ended.client_name, why },
  })
}

/** A client as the library takes it. */
export function payloadOf(id: string, { name, metadata }: ShapedClient, secret: string | undefined): AdapterPayload {
  return {
    client_id: id,
    ...(name === undefined ? {} : { client_name: name }),
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...metadata,
    response_types: ['code'],
  }
}

/** The hash of a client's secret, which is stored instead of the secret. */
export const secretHashOf = (hash: (text: string) => Buffer, secret: string): string =>
  hash(`oauth secret ${secret}`).toString('base64url')
