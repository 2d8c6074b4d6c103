/**
 * Selects our OAuth client at an authorization server: the one that an administrator set, else our metadata document, else a
 * dynamically registered one; else an administrator is asked for one. A client id is never made up (ledger S2-QRK-04).
 */
import {
  appNamesOf,
  Fault,
  isAtVendor,
  type Authority,
  type ClientAuthMethod,
  type OrganizationId,
} from '@toolway/contract'
import {
  findAuthorityClient,
  putAuthorityClient,
  type AuthorityClientRow,
  type WhichClient,
} from '../../../credentials/authority-clients.ts'
import type { Db, OrgSql } from '../../../db/db.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { recordChange, type Actor } from '../../../records/change.ts'
import { oauthAppSealContext } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import { CLIENT_NAME, documentIdOf, redirectsOf } from './client-metadata.ts'
import { methodFor } from '../protocol/client-proof.ts'
import type { ClientIdentity, Egress, OutgoingOAuth, RevealSecret } from '../ports.ts'

export interface ChooseClientParts {
  readonly db: Pick<Db, 'organization'>
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly oauth: Pick<OutgoingOAuth, 'register'>
  readonly reveal: RevealSecret
  /** The client of the gateway's own settings at an authorization server, for organizations that have none. */
  global(authority: Authority): Omit<ClientIdentity, 'appId'> | undefined
  publicUrl(): string
  readonly now: () => number
}

export interface Choosing {
  readonly organizationId: OrganizationId
  readonly authority: Authority
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly egress: Egress
  readonly actor: Actor
}

export interface GivenClient {
  readonly clientId: string
  readonly secret: string | undefined
}

export interface ChooseClient {
  /** Throws `authority.client` where only a person can say, and what registration throws. */
  choose(choosing: Choosing): Promise<ClientIdentity>
  /** Whether one is there, or can be had without asking a person. It changes nothing. */
  isThere(choosing: Pick<Choosing, 'organizationId' | 'authority' | 'redirectUri'>): Promise<boolean>
  /** Stores the client that an administrator entered. */
  give(choosing: Pick<Choosing, 'organizationId' | 'authority' | 'actor'>, client: GivenClient): Promise<void>
}

/**
 * A vendor has one authorization server, and one client may serve several of its products (`appNamesOf`). Servers that somebody runs
 * themselves and those that MCP servers name are told apart by their issuers: the client of one is never shown to another.
 */
const namesOf = ({ provider }: Authority) => (provider === 'mcp' ? [provider] : appNamesOf(provider))
const issuerOf = (authority: Authority) => (isAtVendor(authority) ? null : authority.issuer)
const whichOf = (authority: Authority): WhichClient[] =>
  namesOf(authority).map((provider) => ({ provider, issuer: issuerOf(authority) }))
const ownOf = (authority: Authority): WhichClient => ({
  provider: authority.provider,
  issuer: issuerOf(authority),
})

const createIdentityOf =
  ({ vault, reveal }: Pick<ChooseClientParts, 'vault' | 'reveal'>) =>
  async (row: AuthorityClientRow, { organizationId, authority }: Choosing): Promise<ClientIdentity> => {
    const secret =
      row.sealed === null
        ? undefined
        : await reveal(organizationId, vault.open(row.sealed, oauthAppSealContext(row.id)))
    const method = row.auth_method ?? methodFor(authority, secret)
    return { clientId: row.client_id, secret, method, appId: row.id }
  }

const sealingWith =
  (vault: Pick<Vault, 'seal'>) =>
  (secret: string, id: Parameters<typeof oauthAppSealContext>[0]): ReturnType<Vault['seal']> =>
    vault.seal(secret, oauthAppSealContext(id))

export function createChooseClient(parts: ChooseClientParts): ChooseClient {
  const { db, vault, oauth, global, publicUrl, now } = parts
  const flights = createSingleFlight<string, ClientIdentity>()

  /** One that registered itself serves as long as its secret, and for the addresses that it was registered with. */
  const serves = (row: AuthorityClientRow, redirectUri: string): boolean =>
    !row.registered ||
    (row.redirect_uris.includes(redirectUri) && (row.secret_expires_at?.getTime() ?? Infinity) > now())

  const identityOf = createIdentityOf(parts)

  const find = async (sql: OrgSql, { authority, redirectUri }: Pick<Choosing, 'authority' | 'redirectUri'>) => {
    for (const which of whichOf(authority)) {
      const row = await findAuthorityClient(sql, which)
      if (row !== undefined && serves(row, redirectUri)) return row
    }
    return undefined
  }

  async function register(choosing: Choosing): Promise<ClientIdentity> {
    const { organizationId, authority, redirectUri, scopes, egress, actor } = choosing
    const redirectUris = [...new Set([...redirectsOf(publicUrl()), redirectUri])]
    const { clientId, secret, method, secretExpiresAt } = await oauth.register(
      authority,
      { redirectUris, name: CLIENT_NAME, scopes },
      egress,
    )
    const row = await db.organization(organizationId, async (sql) => {
      // A client stored by a concurrent registration is used instead: two clients would not know each other's secrets.
      const there = await find(sql, choosing)
      if (there !== undefined) return there
      const words = { organizationId, clientId, secret, registered: true, method, redirectUris, secretExpiresAt }
      const id = await putAuthorityClient(sql, { ...words, ...ownOf(authority), seal: sealingWith(vault) })
      if (id !== undefined)
        await recordChange(sql, actor, organizationId, {
          action: 'oauth_app.register',
          resource: 'oauth_app',
          id,
          detail: { issuer: authority.issuer, client_id: clientId },
        })
      return find(sql, choosing)
    })
    if (row === undefined) throw new Error('a client that was registered is not there')
    return identityOf(row, choosing)
  }

  const documentFor = ({ clientDocuments, provider }: Authority) =>
    clientDocuments && provider === 'mcp' ? documentIdOf(publicUrl()) : undefined

  return {
    async choose(choosing) {
      const { organizationId, authority, egress, redirectUri } = choosing
      const row = await db.organization(organizationId, (sql) => find(sql, choosing))
      if (row !== undefined && !row.registered) return identityOf(row, choosing)
      const own = row === undefined ? global(authority) : undefined
      if (own !== undefined) return { ...own, appId: undefined }
      const document = redirectsOf(publicUrl()).includes(redirectUri) ? documentFor(authority) : undefined
      if (document !== undefined) return { clientId: document, secret: undefined, method: 'none', appId: undefined }
      if (row !== undefined) return identityOf(row, choosing)
      if (authority.registrationEndpoint !== undefined)
        return flights(`${organizationId} ${authority.issuer}`, () => register(choosing))
      throw new Fault('authority.client', { connection: egress.alias, redirect: redirectUri })
    },
    async isThere(request) {
      const { authority, organizationId } = request
      const { registrationEndpoint } = authority
      if (documentFor(authority) !== undefined || registrationEndpoint !== undefined || global(authority) !== undefined)
        return true
      return (await db.organization(organizationId, (sql) => find(sql, request))) !== undefined
    },
    give: (choosing, client) => storeEntered(parts, choosing, client),
  }
}

/** Stores the client that an administrator entered. */
async function storeEntered(
  { db, vault }: Pick<ChooseClientParts, 'db' | 'vault'>,
  { organizationId, authority, actor }: Pick<Choosing, 'organizationId' | 'authority' | 'actor'>,
  { clientId, secret }: GivenClient,
): Promise<void> {
  await db.organization(organizationId, async (sql) => {
    const method: ClientAuthMethod | null = authority.provider === 'mcp' ? methodFor(authority, secret) : null
    const words = { organizationId, clientId, secret, registered: false, method, redirectUris: [] }
    const which = ownOf(authority)
    const id = await putAuthorityClient(sql, {
      ...words,
      ...which,
      secretExpiresAt: undefined,
      seal: sealingWith(vault),
    })
    await recordChange(sql, actor, organizationId, {
      action: 'oauth_app.put',
      resource: 'oauth_app',
      id: id ?? '',
      detail: { issuer: authority.issuer, client_id: clientId, secret: secret === undefined ? 'none' : 'set' },
    })
  })
}
