/** The authorization server with its doors: who knows whom, and nothing else. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Fault } from '@toolway/contract'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Db } from '../../db/db.ts'
import type { SigningKey } from '../../identity/access-tokens.ts'
import type { Accounts } from '../../identity/accounts.ts'
import { findUser } from '../../identity/users.ts'
import type { Log } from '../../lib/log.ts'
import { createAuthorizationServer } from '../../oauth/authorization-server.ts'
import { createClientDocuments } from '../../oauth/client-document.ts'
import { listChoices } from '../../oauth/consent.ts'
import type { Endpoints } from '../../oauth/endpoints.ts'
import type { AskingClient } from '../../oauth/provider.ts'
import { createRegistration } from '../../oauth/registration.ts'
import type { Actor } from '../../records/change.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Clients } from '../client-address.ts'
import { createConsentDoor } from './consent-door.ts'
import { createOAuthDoor, type OAuthDoor } from './oauth-door.ts'
import { problemPage } from '../pages/consent-page.ts'
import { faultText, inEnglish } from '../pages/fault-text.ts'
import { pageOf } from '../pages/page.ts'
import { pageTexts } from '../pages/page-texts.ts'
import { correlationOf } from '../request-head.ts'
import type { WebSession } from '../sign-in/web-session.ts'

export interface OAuthParts {
  readonly db: Db
  readonly vault: Pick<Vault, 'hash' | 'sign'>
  readonly endpoints: Endpoints
  readonly accounts: Accounts
  keys(): readonly SigningKey[]
  readonly lifetimes: { readonly access: number; readonly refresh: number }
  readonly web: WebSession
  readonly clients: Clients
  /** Client documents may lie on this machine: for tests of clients. */
  readonly loopbackDocuments: boolean
  findOrganization(name: { id?: string; slug?: string }): Snapshot | undefined
  allOrganizations(): readonly Snapshot[]
  onRenew(): void
  readonly log: Log
}

export function createOAuth(parts: OAuthParts): OAuthDoor {
  const { db, vault, endpoints, web, log, accounts, keys, clients } = parts
  const actorOf = (request: IncomingMessage, id: string): Actor => ({
    id,
    type: id.startsWith('usr_') ? 'user' : 'system',
    keyId: undefined,
    address: clients.of(request).address,
    userAgent: request.headers['user-agent'],
    correlationId: correlationOf(request) ?? randomUUID(),
  })
  const onError = (thrown: unknown) => log.error({ err: thrown }, 'the authorization server failed')
  const server = createAuthorizationServer({
    ...parts,
    hash: vault.hash,
    documents: createClientDocuments({ loopback: parts.loopbackDocuments }),
    cookieKey: vault.sign('cookies', 'oauth'),
    actorOf,
    page,
    onError,
  })
  const consent = createConsentDoor({
    web,
    server,
    prefix: () => new URL(endpoints.base()).pathname.replace(/\/$/, ''),
    choices: (principal, { place }) => listChoices({ ...parts, accounts }, principal, place),
    emailOf: (id) => db.system(async (sql) => (await findUser(sql, id))?.email),
  })
  const register = createRegistration({ db, hash: vault.hash, check: server.check })
  return createOAuthDoor({ endpoints, server, consent, keys, register, clients, actorOf, page, onError })
}

/** @param problem a fault, or words of the library, which are English */
function page(request: IncomingMessage, problem: Fault | string, client?: AskingClient): Promise<Response> {
  const texts = pageTexts(request.headers['accept-language'])
  const text = typeof problem === 'string' ? inEnglish(texts, problem) : faultText(texts, problem)
  const status = typeof problem === 'string' ? 400 : problem.row.http
  return pageOf({ texts, title: texts.consent.failed.title(), body: problemPage(texts, text, client), status })
}
