/**
 * The one calling now: made once for each request from what it carried, never stored.
 *
 * What it may is the least of what its key or token says and of what its member may in the organization that is addressed;
 * the second is decided where that organization is known.
 */
import type { AccessClaims } from './access-tokens.ts'
import type { SignInMethod } from './sign-ins.ts'
import type { FamilyId, KeyId, Limit, OrganizationId, Role, UserId } from '@toolway/contract'

/** As an address names it. */
export interface Endpoint {
  readonly organization?: string
  readonly toolset?: string
  readonly connection?: string
}

/** A sign-in as a token tells of it; times in seconds since 1970. */
export interface SignInProof {
  readonly methods: readonly SignInMethod[]
  readonly began: number
  readonly issued: number
  /** The longest time in seconds that it was not used before this token. */
  readonly idle: number
}

export interface Principal {
  /** `usr_…`, `key_…` or `operator`: what records, sessions and limits know it by. */
  readonly id: string
  readonly kind: 'user' | 'key' | 'operator'
  /** The user whose membership decides; undefined for keys without an owner and for the operator. */
  readonly userId: UserId | undefined
  /** The only organization it may address. */
  readonly organizationId: OrganizationId | undefined
  readonly keyId: KeyId | undefined
  /** Name of its key, where that is nobody's own: members name theirs as they like. */
  readonly keyName?: string
  /** The most it may be, wherever it stands. */
  readonly role: Role
  /** How far its calls may reach. */
  readonly limit: Limit
  /** Slug of the only toolset that it may address. */
  readonly toolset: string | undefined
  /** The address that its token was made for (RFC 8707); undefined for keys, which are for all of them. */
  readonly resource: string | undefined
  /** The endpoint of that resource; undefined for principals that may address all of them. */
  readonly endpoint: Endpoint | undefined
  /** The OAuth client that acts for the user; `browser` and `command line` are our own. */
  readonly client: string | undefined
  /** The sign-in that its token descends from; undefined for keys. */
  readonly signInId: FamilyId | undefined
  /** How its sign-in was proven, and how old that is; undefined for keys and for who is here on somebody else's word. */
  readonly proof?: SignInProof
  /** Its key may call on behalf of members; `waits`: it was made to, and no platform administrator has allowed it yet. */
  readonly trusted?: true | 'waits'
  /** The address of the member for whom a trusted key calls. */
  readonly behalf?: string
  /** Somebody else says who this is, for as long as their word holds: an issuer, a backend, a trusted key. */
  readonly vouched?: true
}

/** The clients of tokens that are ours; any other is an OAuth client. */
export const OWN_CLIENTS: ReadonlySet<string> = new Set(['browser', 'command line', 'api'])

/** Everybody on this machine, where no key is asked for. */
export const OPERATOR: Principal = {
  id: 'operator',
  kind: 'operator',
  userId: undefined,
  organizationId: undefined,
  keyId: undefined,
  role: 'platform_admin',
  limit: 'execute',
  toolset: undefined,
  resource: undefined,
  endpoint: undefined,
  client: undefined,
  signInId: undefined,
}

/** A token stands for its user; what that user may is decided by its membership, at each request. */
export const principalOfToken = (
  { sub, org, sid, limit, aud, client_id: client, amr = [], iat = 0, auth_time: began = iat, idle = 0 }: AccessClaims,
  endpoint: Endpoint | undefined,
): Principal => ({
  id: sub,
  kind: 'user',
  userId: sub,
  organizationId: org,
  keyId: undefined,
  role: 'platform_admin',
  limit,
  toolset: undefined,
  resource: aud,
  endpoint,
  client,
  signInId: sid,
  proof: { methods: amr, began, issued: iat, idle },
})
