/**
 * Toolway as a client of authorization servers: what is asked of the protocol, of the kept credentials and of the way to connect an
 * account, so that each can be built and tested without the others.
 */
import type {
  Authority,
  ClientAuthMethod,
  ConnectionId,
  CredentialId,
  OAuthAppId,
  OrganizationId,
  UserId,
} from '@toolway/contract'
import type { Actor } from '../../records/change.ts'
import type { Exceptions } from '../../upstreams/http/exceptions.ts'
import type { PrivateOrigins } from '../../upstreams/http/permits.ts'

/** The egress permissions of a connection, and the connection's name in messages. */
export interface Egress {
  readonly alias: string
  /** The connection whose status shows how answers were read; absent: they are read for none. */
  readonly connectionId?: ConnectionId | undefined
  /** Origins that may lie in a private network. */
  readonly privateOrigins: PrivateOrigins
  /** Private addresses that the organization allows. */
  readonly exceptions?: Exceptions
}

/** A server's challenge (`WWW-Authenticate: Bearer`, RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly resourceMetadata: string | undefined
  readonly scope: string | undefined
  readonly error: string | undefined
}

/** The client that an authorization server knows us as. */
/** Puts the values in place of references to secrets that are kept elsewhere. Throws `secret.unresolved`. */
export type RevealSecret = (organization: OrganizationId, text: string) => Promise<string>

export interface ClientIdentity {
  readonly clientId: string
  readonly secret: string | undefined
  readonly method: ClientAuthMethod
  /** Where its secret is kept; undefined for a client that is known by its metadata document. */
  readonly appId: OAuthAppId | undefined
}

/** The tokens of a token response. */
export interface Tokens {
  readonly access: string
  /** Absent: the one that was there before stays good (RFC 6749, section 6). */
  readonly refresh: string | undefined
  readonly tokenType: string
  readonly expiresAt: Date | undefined
  /** Undefined: as asked for. */
  readonly scopes: readonly string[] | undefined
  /** The account at the vendor, where the answer contains it. */
  readonly account: { readonly id: string | undefined; readonly name: string | undefined }
  /** Further members of the vendor's answer, never a secret. */
  readonly more: Readonly<Record<string, unknown>>
}

/** In what a vendor's OAuth differs from the standard; that of `mcp` differs in nothing. */
export interface ProviderAdapter {
  readonly scopeParameter: 'scope' | 'user_scope'
  readonly scopeSeparator: ' ' | ','
  /** Besides the standard ones, at the authorization endpoint. */
  readonly authorizationParameters: Readonly<Record<string, string>>
  readonly tokenBody: 'form' | 'json'
  /**
   * The tokens in the token endpoint's answer, wherever they are (Slack: `authed_user`), written as RFC 6749, section 5.1, has them:
   * scopes separated by spaces, and `expires_in` also where the vendor only publishes it.
   */
  tokensIn(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /**
   * Returns the failure that an answer of any status reports, as an error code of RFC 6749 where it corresponds to one: vendors
   * fail with status 200 (GitHub, Slack), or in other members (Notion: `code`). Undefined: the answer reports only what RFC 6749,
   * section 5.2, defines.
   */
  failureIn(answer: Readonly<Record<string, unknown>>): string | undefined
  /** Returns the account at the vendor, as far as the answer contains it. */
  accountIn(answer: Readonly<Record<string, unknown>>): Tokens['account']
  /** The request that takes a token back, where it is not RFC 7009's; undefined: as RFC 7009 says. */
  revocation?(
    client: ClientIdentity,
    token: string,
  ): { url: string; method: 'GET' | 'POST' | 'DELETE'; headers: Record<string, string>; body: string | undefined }
  /** The token types that this request accepts; absent: both. */
  readonly revokes?: readonly ('access_token' | 'refresh_token')[]
}

interface At {
  readonly authority: Authority
  readonly client: ClientIdentity
}

/**
 * The protocol (OAuth 2.1, RFC 7591, 8414, 8707, 9207, 9728). Throws `authority.refused` where nothing but a person can help,
 * `authority.unreachable` for what may pass, `authority.malformed` for what is no such answer, and `egress.refused`.
 */
export interface OutgoingOAuth {
  /**
   * Discovers the authorization server of an MCP server: protected-resource metadata, then the authorization server's, in all
   * published forms.
   */
  discover(server: { url: string; challenge: Challenge | undefined; egress: Egress }): Promise<Authority>
  /** Register us (RFC 7591). */
  register(
    authority: Authority,
    words: { redirectUris: readonly string[]; name: string; scopes: readonly string[] },
    egress: Egress,
  ): Promise<Omit<ClientIdentity, 'appId'> & { readonly secretExpiresAt: Date | undefined }>
  /** Where a person is sent. PKCE S256 always. */
  authorizationUrl(
    at: At & { redirectUri: string; state: string; verifier: string; scopes: readonly string[] },
  ): Promise<URL>
  /** Judge what came back (state aside, `iss` and `error` included), and exchange the code. */
  exchange(
    at: At & {
      redirectUri: string
      verifier: string
      answer: URLSearchParams
      /** The scopes that were requested. */
      scopes?: readonly string[]
    },
    egress: Egress,
  ): Promise<Tokens>
  refresh(at: At & { refreshToken: string; scopes: readonly string[] }, egress: Egress): Promise<Tokens>
  /** RFC 7009; does nothing where the authorization server has no such endpoint. */
  revoke(at: At & { token: string; hint: 'access_token' | 'refresh_token' }, egress: Egress): Promise<void>
}

/** The owner of an account to be connected, and its connection. */
export interface Wish {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  /** Absent: the organization's. */
  readonly userId: UserId | undefined
  readonly account: string | undefined
  /** The account whose place the new one may take, whoever it is of; absent: only its own. */
  readonly replaces?: string | undefined
  /** To be asked for besides what is asked for anyway (MCP, step-up authorization). */
  readonly scopes: readonly string[]
}

/** Addresses of ours that lead one person to connect one account; they say nothing to anybody else, and end soon. */
export interface ConnectLinks {
  link(wish: Wish): { readonly url: string; readonly minutes: number }
  /** Undefined for what is none of ours, or too old. */
  read(token: string): Wish | undefined
}

/** A credential that a user has just connected. */
export interface NewCredential {
  readonly organizationId: OrganizationId
  /** Undefined: for all connections to the vendor. */
  readonly connectionId: ConnectionId | undefined
  readonly userId: UserId | undefined
  readonly account: string | undefined
  /** The account whose place it may take, whoever that is of. */
  readonly replaces?: string | undefined
  readonly kind: 'oauth' | 'key'
  readonly authority: Authority | undefined
  readonly client: ClientIdentity | undefined
  /** The address of the connection that it was made for. */
  readonly server: string | undefined
  readonly scopes: readonly string[]
  readonly tokens: Tokens
  /** Its server has taken it already. */
  readonly tried?: boolean
  /** The actor for the audit log; absent: the gateway itself. */
  readonly actor?: Actor | undefined
}

/** A key as a credential: no authorization server made it, and none renews it. @param name of the account, where its server tells it */
export const keyCredential = (
  place: Pick<NewCredential, 'organizationId' | 'connectionId' | 'userId' | 'account' | 'replaces' | 'actor'>,
  {
    key,
    server,
    tried,
    name,
  }: Pick<NewCredential, 'tried'> &
    Partial<Pick<NewCredential, 'server'>> & { readonly key: string; readonly name?: string | undefined },
): NewCredential => ({
  ...place,
  kind: 'key',
  authority: undefined,
  client: undefined,
  server,
  ...(tried === undefined ? {} : { tried }),
  scopes: [],
  tokens: {
    access: key,
    refresh: undefined,
    tokenType: 'key',
    expiresAt: undefined,
    scopes: undefined,
    account: { id: undefined, name },
    more: {},
  },
})

/** Credentials as the ways that make and end them need them. */
export interface CredentialKeeping {
  /**
   * Keep it; one that is known to be the same account is replaced. Throws `account.connected` where the place is that of an account
   * that works and may be of somebody else.
   */
  keep(credential: NewCredential): Promise<CredentialId>
  /**
   * Revokes credentials at the authorization server, and deletes them here whatever it answers. Returns the failures of the
   * revocation.
   */
  end(of: {
    organizationId: OrganizationId
    connectionId: ConnectionId
    /** Null: the organization's; absent: everybody's. */
    userId?: UserId | null | undefined
    id?: CredentialId | undefined
    actor?: Actor | undefined
  }): Promise<{ ended: readonly CredentialId[]; problems: readonly string[] }>
}
