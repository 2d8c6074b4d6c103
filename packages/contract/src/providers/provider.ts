/**
 * In what a vendor's OAuth differs from the standard, field by field: the shape of the provider table. It holds facts that the vendor
 * publishes and never code; who reads an answer by them is the gateway's matter (`oauth/outgoing/vendors/provider-adapters.ts`).
 */
import type { ClientAuthMethod } from '../authority.ts'

/** Where a member of an answer lies: `owner.user.id` is three steps down. With `idToken` it is a claim of that token. */
export interface ClaimPath {
  readonly in: 'answer' | 'id_token'
  readonly path: string
}

/** A request that takes a token back, where it is not RFC 7009's. `{clientId}` in the address stands for the client's id. */
export interface Revocation {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly proof: 'basic' | 'bearer' | 'none'
  readonly body: 'json' | 'form' | 'none'
  /** The name of the token in the body. */
  readonly parameter: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A vendor's product that somebody runs themselves: its authorization server lies at the same origin as its API, below the path that the
 * product is installed under. Only a client that was registered there is used there.
 */
interface SelfHosted {
  /** In front of people. */
  readonly title: string
  /** Paths at which its API, or its authorization server, begins: what stands before the first of them in an address is where the product lies. */
  readonly api: readonly string[]
  /** Paths below the product's address. */
  readonly issuer: string
  readonly authorize: string
  readonly token: string
  /** `{clientId}` stands for the client's id. */
  readonly revoke?: string
  /** In what its OAuth differs from the vendor's own service. */
  readonly differs?: Partial<
    Pick<
      Provider,
      'scopes' | 'authorizationParameters' | 'pkce' | 'clientAuth' | 'tokenBody' | 'failures' | 'accessLives'
    >
  >
}

export interface Provider {
  readonly key: string
  /** In front of people. */
  readonly title: string
  /**
   * The key of the provider whose client serves it: the organization's OAuth app of this key is used where there is none of the
   * provider's own key.
   */
  readonly family: string
  /** The connectors that use it. */
  readonly connectors: readonly string[]
  /** Where a person registers a client. */
  readonly registration: string
  /** Where the vendor says all this. */
  readonly sources: readonly string[]

  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** Where RFC 7009 holds. */
  readonly revocationEndpoint?: string
  /** Where another request takes tokens back; neither of both: the vendor has none. */
  readonly revocation?: Revocation
  /** The token types that the revocation accepts. */
  readonly revokes?: readonly ('access_token' | 'refresh_token')[]
  /** The answer at the redirect URL carries `iss` (RFC 9207). */
  readonly iss: boolean
  /**
   * The hosts that its tokens may be sent to, over https at the usual port: a name, or `*.` and a name for all below it. A token of the
   * vendor's goes nowhere else.
   */
  readonly hosts: readonly string[]
  /** The same product at an address of somebody who runs it themselves; absent where nobody can. */
  readonly selfHosted?: SelfHosted
  /** `{tenant}` in its addresses: what it is where nothing is said. */
  readonly tenant?: string

  readonly scopes: readonly string[]
  /**
   * Further scopes that some tools need and that an administrator at the vendor must grant: requested only where a connection
   * names them.
   */
  readonly grantedByAdministrators?: readonly string[]
  readonly scopeParameter: 'scope' | 'user_scope'
  readonly scopeSeparator: ' ' | ','
  readonly authorizationParameters: Readonly<Record<string, string>>
  /** `checked`: it refuses a wrong verifier. `ignored`: it publishes nothing about PKCE, and parameters it does not know harm nothing. */
  readonly pkce: 'checked' | 'ignored'

  readonly clientAuth: ClientAuthMethod
  readonly tokenBody: 'form' | 'json'
  /** The member of the answer that holds the tokens, where it is there. */
  readonly tokensAt?: string
  /** Whether it tells failures with status 200, and how. */
  readonly failsWith: 'status' | 'error-member' | 'ok-false'
  /** The member that names a failure. */
  readonly failureMember: 'error' | 'code'
  /** Its words for failures in those of RFC 6749 (section 5.2; 4.1.2.1 for what passes). */
  readonly failures: Readonly<Record<string, string>>
  readonly account: { readonly id: readonly ClaimPath[]; readonly name: readonly ClaimPath[] }

  /** Seconds that an access token lives where the answer does not say; undefined: it lives until it is taken back. */
  readonly accessLives: number | undefined
  /** `rotates`: each use gives a new one and ends the old. `stays`: the first one stays good. `none`: there is none. */
  readonly refresh: 'rotates' | 'stays' | 'none'
}

type Usual =
  | 'iss'
  | 'scopeParameter'
  | 'scopeSeparator'
  | 'authorizationParameters'
  | 'pkce'
  | 'clientAuth'
  | 'tokenBody'
  | 'failsWith'
  | 'failureMember'
  | 'failures'
  | 'account'

/** The standard's value of each field in which most vendors follow it. */
const STANDARD: Pick<Provider, Usual> = {
  iss: false,
  scopeParameter: 'scope',
  scopeSeparator: ' ',
  authorizationParameters: {},
  pkce: 'checked',
  clientAuth: 'client_secret_post',
  tokenBody: 'form',
  failsWith: 'status',
  failureMember: 'error',
  failures: {},
  account: { id: [], name: [] },
}

export const provider = (fields: Omit<Provider, Usual> & Partial<Pick<Provider, Usual>>): Provider => ({
  ...STANDARD,
  ...fields,
})

export const answer = (path: string): ClaimPath => ({ in: 'answer', path })
export const idTokenClaim = (path: string): ClaimPath => ({ in: 'id_token', path })

const HOUR = 60 * 60
export const hours = (count: number): number => count * HOUR
