/**
 * The authorization server for MCP clients, as the door sees it: requests of clients go to oidc-provider, which is loaded when
 * the first one comes; what a person is asked, and what they answer, is said here.
 *
 * An answer is one transaction: the grant, the record of it. The page that asks is the door's.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FamilyId, Fault, type Limit, type OrganizationId, type UserId } from '@toolway/contract'
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import { addGrant, findLike } from '../identity/oauth/oauth-grants.ts'
import { recordChange } from '../records/change.ts'
import { ClientProblem, isLoopback, type ShapedClient } from './client-shape.ts'
import { createLibraryLoader, payloadOf, type AuthorizationServerParts } from './library.ts'
import { hostOf, INTERACTION_LIVES } from './provider.ts'
import { limitOf, scopesOf } from './scopes.ts'

/** The authorization request of a client, as shown to the user. */
export interface Asking {
  readonly id: string
  readonly clientId: string
  readonly clientName: string
  /** Host of the document that the client is, which makes its name believable. */
  readonly documentHost: string | undefined
  /** Where the answer goes: a host, or the scheme of an application. */
  readonly host: string
  /** Any program on the person's machine may be the one that asks: nothing tells them apart (RFC 8252, section 8.6). */
  readonly local: boolean
  readonly resource: string
  readonly place: EndpointPath
  /** How far it asks to reach. */
  readonly limit: Limit | undefined
  /** The client wishes the person to be asked in any case. */
  readonly insists: boolean
}

export interface Allowed {
  readonly userId: UserId
  readonly organizationId: OrganizationId
  readonly limit: Limit
  /** The sign-in in which the person says so. */
  readonly givenIn: FamilyId
}

export interface Remembered {
  readonly organizationId: OrganizationId
  readonly limit: Limit
  /** Where the person let the answer go. */
  readonly host: string
}

/** The user who refuses, and the organization, as far as they are known. */
export interface Refusing {
  readonly userId: UserId | undefined
  readonly organizationId: OrganizationId | undefined
}

export interface AuthorizationServer {
  /** A request at one of its addresses. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Undefined when nothing is asked in this browser, or not any more. */
  find(request: IncomingMessage, response: ServerResponse, id: string): Promise<Asking | undefined>
  /** Returns the user's earlier grant to that client at that endpoint, if it is still valid. */
  remembered(asking: Asking, userId: UserId): Promise<Remembered | undefined>
  /** Both give the path that leads back to the client. */
  allow(request: IncomingMessage, response: ServerResponse, asking: Asking, allowed: Allowed): Promise<string>
  refuse(request: IncomingMessage, response: ServerResponse, asking: Asking, by: Refusing): Promise<string>
  /** Whether the library takes a client as it is. Throws `ClientProblem`. */
  check(shaped: ShapedClient): Promise<void>
}

export function createAuthorizationServer(parts: AuthorizationServerParts): AuthorizationServer {
  const { db, accounts } = parts
  const load = createLibraryLoader(parts)

  async function interactionOf(request: IncomingMessage, response: ServerResponse, id: string) {
    const { provider, library } = await load()
    try {
      const interaction = await provider.interactionDetails(request, response)
      return interaction.uid === id && interaction.result === undefined ? { provider, interaction } : undefined
    } catch (thrown) {
      if (thrown instanceof library.errors.SessionNotFound) return undefined
      throw thrown
    }
  }

  async function askedBy(clientId: string): Promise<string | undefined> {
    const { provider } = await load()
    return (await provider.Client.find(clientId))?.clientName
  }

  return {
    async answer(request, response) {
      const { provider } = await load()
      await provider.callback()(request, response)
    },
    async find(request, response, id) {
      const found = await interactionOf(request, response, id)
      if (found === undefined) return undefined
      const asking = askingIn(parts, id, found.interaction.params)
      return asking && { ...asking, clientName: (await askedBy(asking.clientId)) ?? asking.clientId }
    },
    async remembered({ clientId, resource }, userId) {
      const row = await db.system((sql) => findLike(sql, { userId, clientId, resource }))
      return row && { organizationId: row.organization_id, limit: row.effect_limit, host: row.client_host }
    },
    async allow(request, response, asking, allowed) {
      const { userId, limit } = allowed
      const found = await interactionOf(request, response, asking.id)
      const account = accounts.find(userId)
      if (found === undefined || account === undefined) throw gone()
      const { interaction } = found
      const grantId = await storeGrant(parts, request, asking, { ...allowed, epoch: account.epoch })
      // The user decides the scope, which may be less or more than requested; the client is told (RFC 6749, section 3.3).
      interaction.params['scope'] = scopesOf(limit)
      interaction.params['resource'] = asking.resource
      interaction.result = {
        login: { accountId: userId, remember: false },
        consent: { grantId },
        select_account: {},
      }
      await interaction.save(INTERACTION_LIVES)
      return pathOf(interaction.returnTo)
    },
    async refuse(request, response, asking, by) {
      const found = await interactionOf(request, response, asking.id)
      if (found === undefined) throw gone()
      await recordRefusal(parts, request, asking, by)
      const { interaction } = found
      interaction.result = { error: 'access_denied', error_description: 'the user did not allow it' }
      await interaction.save(INTERACTION_LIVES)
      return pathOf(interaction.returnTo)
    },
    async check(shaped) {
      const { provider, library } = await load()
      const { token_endpoint_auth_method: method } = shaped.metadata
      const secret = method === 'none' ? undefined : 'a'.repeat(43)
      try {
        // Its constructor checks; nothing is stored.
        void new (provider.Client as unknown as new (payload: object) => object)(payloadOf('check', shaped, secret))
      } catch (thrown) {
        if (!(thrown instanceof library.errors.InvalidClientMetadata)) throw thrown
        throw new ClientProblem('invalid_client_metadata', thrown.error_description ?? thrown.message)
      }
    },
  }
}

/** Undefined where its endpoint or the address of the answer is none. */
function askingIn(
  { endpoints, documents }: Pick<AuthorizationServerParts, 'endpoints' | 'documents'>,
  id: string,
  params: Readonly<Record<string, unknown>>,
): Omit<Asking, 'clientName'> | undefined {
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : '')
  const [clientId, resource] = [text('client_id'), resourceIn(params['resource']) ?? endpoints.audienceOf({})]
  const endpoint = endpoints.find(resource)
  const back = URL.parse(text('redirect_uri'))
  if (endpoint === undefined || back === null) return undefined
  const web = /^https?:$/.test(back.protocol)
  return {
    id,
    clientId,
    documentHost: documents.isDocumentId(clientId) ? new URL(clientId).host : undefined,
    host: hostOf(back),
    local: !web || isLoopback(back),
    resource,
    place: endpoint,
    limit: limitOf(text('scope')),
    insists: /\b(consent|login|select_account)\b/.test(text('prompt')),
  }
}

const gone = () => new Fault('thing.unknown', { thing: 'question of a client' })

const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address)
  return pathname + search
}

const resourceIn = (input: unknown): string | undefined => {
  const first: unknown = Array.isArray(input) ? input[0] : input
  return typeof first === 'string' ? first : undefined
}

/** Stores a grant and its audit record in one transaction. */
const storeGrant = (
  { db, lifetimes, actorOf }: AuthorizationServerParts,
  request: IncomingMessage,
  { clientId, clientName, host, resource }: Asking,
  { userId, organizationId, limit, givenIn, epoch }: Allowed & { readonly epoch: number },
) =>
  db.system(async (sql) => {
    const expiresAt = new Date(Date.now() + lifetimes.refresh * 1000)
    const grant = {
      userId,
      organizationId,
      clientId,
      clientName,
      clientHost: host,
      resource,
      limit,
      epoch,
      expiresAt,
      givenIn,
    }
    const id = await addGrant(sql, grant)
    await recordChange(sql, actorOf(request, userId), organizationId, {
      action: 'grant.add',
      resource: 'grant',
      id,
      detail: { client: clientName, client_id: clientId, resource, limit },
    })
    return id
  })

const recordRefusal = (
  { db, actorOf }: AuthorizationServerParts,
  request: IncomingMessage,
  { clientId, clientName, resource }: Asking,
  { userId, organizationId }: Refusing,
) =>
  db.system((sql) =>
    recordChange(sql, actorOf(request, userId ?? 'anonymous'), organizationId, {
      action: 'grant.refuse',
      resource: 'client',
      id: clientId.slice(0, 200),
      outcome: 'refused',
      detail: { client: clientName, resource },
    }),
  )
