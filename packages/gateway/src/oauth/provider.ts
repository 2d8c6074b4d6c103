/**
 * oidc-provider, set up as the authorization server of MCP clients (OAuth 2.1 draft 13, RFC 8707, RFC 9068, RFC 9207).
 *
 * It has the protocol: requests, codes, PKCE, client authentication, rotation. Ours around it are clients, metadata, the consent
 * page and what a token says. Everything of it that nothing here needs is off: what is not served cannot be attacked.
 */
import type { IncomingMessage } from 'node:http'
import type { Fault } from '@toolway/contract'
import type * as Oidc from 'oidc-provider'
import type { Adapter, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { DatabaseUnreachable, RETRY_SECONDS } from '../db/unreachable.ts'
import type { SigningKey } from '../identity/access-tokens.ts'
import type { AccountRow } from '../identity/accounts.ts'
import type { ProvenGrant } from '../identity/oauth/oauth-grants.ts'
import type { Endpoints } from './endpoints.ts'
import { PATHS } from './metadata.ts'
import { SCOPES } from './scopes.ts'

export type Library = typeof Oidc

export interface ProviderParts {
  readonly library: Library
  readonly endpoints: Endpoints
  /** The newest first. */
  readonly keys: readonly SigningKey[]
  readonly storage: (model: string) => Adapter
  /** Signs the cookies that tie an authorization to its browser. */
  readonly cookieKey: string
  /** Seconds. */
  readonly lifetimes: { readonly access: number; readonly refresh: number }
  findAccount(id: string): AccountRow | undefined
  findGrant(id: string): Promise<ProvenGrant | undefined>
  /** Whether a secret is the one with that keyed hash. */
  isSecret(text: string, hash: string): boolean
  readonly page: ErrorPage
  onError(thrown: unknown): void
}

/** The client of a request that failed, in the words that a person is shown. */
export interface AskingClient {
  readonly name: string
  /** The address, registered for the client, that the error was not sent to. */
  readonly redirect: URL | undefined
}

/** The part of a redirect address that people recognize: a host, or the scheme of an application. */
export const hostOf = (address: URL): string => (/^https?:$/.test(address.protocol) ? address.host : address.protocol)

/** An error that is not sent to the client, as a page: a fault, or words of the library. */
export type ErrorPage = (request: IncomingMessage, problem: Fault | string, client?: AskingClient) => Promise<Response>

/** Member of a client's metadata: an administrator added the client, and thereby its redirect addresses. */
export const VOUCHED = 'vouched'

/** Seconds: a code goes straight to its client; a person has ten minutes to sign in and decide. */
const CODE_LIVES = 60
export const INTERACTION_LIVES = 600

export function createProvider(parts: ProviderParts): Provider {
  const { library, endpoints, storage, isSecret } = parts
  const provider = new library.Provider(endpoints.base(), {
    adapter: storage,
    ...protocol(parts),
    ...tokens(parts),
    ...persons(parts),
  })
  // Behind a proxy requests come as plain http; what they came as is said by the door, and by nobody else.
  provider.proxy = true
  // Clients' secrets are kept by keyed hash, so the hash is what is compared.
  Object.defineProperty(provider.Client.prototype, 'compareClientSecret', {
    value(this: { clientSecret?: string }, input: unknown) {
      return typeof input === 'string' && this.clientSecret !== undefined && isSecret(input, this.clientSecret)
    },
  })
  // Its own session of the browser ends with the authorization: who a person is, ours says each time.
  provider.on('authorization.success', ({ oidc }: KoaContextWithOIDC) => {
    Object.assign(oidc.session ?? {}, { destroyed: true })
  })
  provider.on('server_error', (ctx, thrown) => {
    if (thrown instanceof DatabaseUnreachable) sayUnavailable(ctx, thrown)
    parts.onError(thrown)
  })
  // The library emits both before it decides whether to redirect.
  provider.on('authorization.error', keepHere)
  provider.on('server_error', keepHere)
  return provider
}

/**
 * Anybody may register a client with any https address. To send a browser there at once would make the gateway an open
 * redirector, so an error goes to such a client only after a person answered its request (RFC 9700, section 4.11.2). Clients
 * that an administrator added get their errors as RFC 6749, section 4.1.2.1, has it.
 */
function keepHere({ oidc }: KoaContextWithOIDC, thrown: Error): void {
  const answered = oidc.entities.Interaction?.result !== undefined
  if (answered || oidc.client?.[VOUCHED] === true) return
  Object.assign(thrown, { allow_redirect: false })
}

function askingClient({ client, params }: KoaContextWithOIDC['oidc']): AskingClient | undefined {
  if (client === undefined) return undefined
  const { redirect_uri: request = client.redirectUris?.length === 1 ? client.redirectUris[0] : undefined } =
    params ?? {}
  const registered = typeof request === 'string' && client.redirectUriAllowed(request)
  const redirect = (registered ? URL.parse(request) : null) ?? undefined
  return { name: client.clientName ?? client.clientId, redirect }
}

function protocol(parts: ProviderParts): Configuration {
  const { endpoints, cookieKey } = parts
  const secure = endpoints.base().startsWith('https:')
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, secure } as const
  return {
    routes: { authorization: PATHS.authorize, token: PATHS.token, revocation: PATHS.revoke, jwks: PATHS.keys },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    extraClientMetadata: { properties: [VOUCHED] },
    clientDefaults: { response_modes: ['query'], id_token_signed_response_alg: 'EdDSA' },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    pkce: { required: () => true },
    // Client metadata documents are fetched by `client-document.ts`, through the guarded agent; the library itself makes no
    // requests.
    fetch: () => Promise.reject(new Error('nothing is fetched from here')),
    // The door has judged the Origin already.
    clientBasedCORS: () => true,
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, _client, several) => several?.[0] ?? endpoints.audienceOf({}),
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => resourceServer(parts, resource),
      },
    },
    cookies: {
      keys: [cookieKey],
      names: { interaction: 'toolway_consent', resume: 'toolway_resume', session: 'toolway_oauth' },
      short: cookie,
      long: cookie,
    },
  }
}

function tokens({ keys, lifetimes, findGrant, findAccount }: ProviderParts): Configuration {
  return {
    jwks: {
      keys: keys.map(({ id, privateKey }) => ({
        ...(privateKey.export({ format: 'jwk' }) as { kty: 'OKP'; crv: 'Ed25519'; x: string; d: string }),
        kid: id,
        use: 'sig',
        alg: 'EdDSA',
      })),
    },
    ttl: {
      AccessToken: lifetimes.access,
      AuthorizationCode: CODE_LIVES,
      Interaction: INTERACTION_LIVES,
      Session: INTERACTION_LIVES,
      RefreshToken: lifetimes.refresh,
    },
    rotateRefreshToken: true,
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    // The claims that `access-tokens.ts` requires of a token.
    async extraTokenClaims(_, token) {
      const grant = 'grantId' in token ? await findGrant(token.grantId) : undefined
      const account = grant === undefined ? undefined : findAccount(grant.user_id)
      if (grant === undefined || account === undefined) throw new Error('a token without a grant')
      const { organization_id: org, id: sid, effect_limit: limit, methods: amr } = grant
      return { org, sid, epoch: account.epoch, limit, amr }
    },
  }
}

function persons({ library, endpoints, findAccount, page }: ProviderParts): Configuration {
  const { Check, Prompt } = library.interactionPolicy
  // One page of ours says who is asked and takes the answer, whichever of these a client wishes to be shown.
  const needsConsent = new Check(
    'consent_required',
    'the user must be asked',
    ({ oidc }) => oidc.result?.consent === undefined,
  )
  return {
    interactions: {
      policy: [
        new Prompt({ name: 'consent', requestable: true }, needsConsent),
        new Prompt({ name: 'login', requestable: true }),
        new Prompt({ name: 'select_account', requestable: true }),
      ],
      url: (_, { uid }) => `${new URL(endpoints.base()).pathname.replace(/\/$/, '')}${PATHS.consent}/${uid}`,
    },
    loadExistingGrant: ({ oidc }) => {
      const id = oidc.result?.consent?.grantId
      return id === undefined ? undefined : oidc.provider.Grant.find(id)
    },
    findAccount: (_, id) => {
      const account = findAccount(id)
      return account === undefined ? undefined : { accountId: account.id, claims: () => ({ sub: account.id }) }
    },
    async renderError(ctx, { error, error_description: description }, thrown) {
      const problem = thrown instanceof DatabaseUnreachable ? thrown : (description ?? error)
      const response = await page(ctx.req, problem, askingClient(ctx.oidc))
      // The library may have chosen 303 already, for the redirect that is not sent.
      if (ctx.status < 400) ctx.status = response.status
      ctx.set(Object.fromEntries(response.headers))
      ctx.body = await response.text()
    },
  }
}

/** The library answers 500 to whatever is not its own error; a database that is away is for the client to wait for (RFC 6749, 4.1.2.1). */
function sayUnavailable(ctx: KoaContextWithOIDC, fault: DatabaseUnreachable): void {
  ctx.status = fault.row.http
  ctx.set('retry-after', String(RETRY_SECONDS))
  if (typeof ctx.body !== 'object') return
  ctx.body = { error: 'temporarily_unavailable', error_description: fault.message }
}

/** Whether the endpoint exists is not asked: that is told to nobody who is not admitted there. */
function resourceServer({ library, endpoints, keys, lifetimes }: ProviderParts, resource: string) {
  const [key] = keys
  const endpoint = endpoints.find(resource)
  if (endpoint === undefined) throw new library.errors.InvalidTarget()
  return {
    scope: SCOPES.join(' '),
    audience: endpoints.audienceOf(endpoint),
    accessTokenFormat: 'jwt',
    accessTokenTTL: lifetimes.access,
    jwt: { sign: { alg: 'EdDSA', ...(key === undefined ? {} : { kid: key.id }) } },
  } as const
}
