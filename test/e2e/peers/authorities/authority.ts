/**
 * A real authorization server (`oidc-provider`) on this machine, of one of four kinds: clients register themselves, are known by their
 * metadata documents, are registered by hand, or register themselves with refresh tokens that rotate and end their family when one
 * comes twice. Its people agree without being asked; who it is, the test says.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'

export type AuthorityKind = 'registers' | 'documents' | 'given' | 'strict'

export const GIVEN_CLIENT = { id: 'toolway-by-hand', secret: 'a secret of sixteen or more characters' }
export const SCOPE = 'tools'

export interface AuthorityOptions {
  /** Seconds. */
  readonly lives?: { readonly access?: number; readonly refresh?: number }
  /** Where the client that is registered by hand may be led back to. */
  readonly redirectUris?: readonly string[]
  /** Returns the content of a client's metadata document at an address. */
  document?(url: string): object | undefined
  /** Whether a refresh token is given at all, or only to who asks for `offline_access`. */
  readonly refreshes?: boolean | 'offline'
}

export interface Counts {
  registrations: number
  codes: number
  /** Answered, and refused. */
  refreshes: number
  refusedRefreshes: number
  revocations: number
}

export interface RunningAuthority extends AsyncDisposable {
  readonly issuer: string
  readonly counts: Readonly<Counts>
  /** Sets the user who is signed in when a browser arrives. */
  is(person: string): void
  /** Returns the user, audience and scope of a token; undefined if it is not valid (any more). */
  tokenOf(value: string): Promise<{ person: string; audience: string | undefined; scope: string } | undefined>
  /** Whether whoever is signed in refuses to let the client in. */
  denies: boolean
  /** Every refresh token that it gave is good no more; with `access` every access token, too. */
  forget(what?: { access?: boolean }): Promise<void>
  /** Answers everything at its token endpoint with this, until it is told otherwise. */
  break(answer: ((response: ServerResponse) => void) | undefined): void
}

const sets = (kind: AuthorityKind, { lives = {}, document, refreshes = true }: AuthorityOptions): Configuration => ({
  pkce: { required: () => true },
  scopes: ['openid', 'offline_access', SCOPE],
  rotateRefreshToken: kind === 'strict',
  issueRefreshToken: (_, _client, { scopes }) =>
    Promise.resolve(refreshes === 'offline' ? scopes.has('offline_access') : refreshes),
  ttl: {
    AccessToken: lives.access ?? 3600,
    RefreshToken: lives.refresh ?? 24 * 3600,
    Interaction: 600,
    Session: 3600,
    Grant: 24 * 3600,
  },
  fetch: (url) => {
    const found = document?.(String(url))
    return Promise.resolve(
      found === undefined
        ? new Response('', { status: 404 })
        : Response.json(found, { headers: { 'content-type': 'application/json' } }),
    )
  },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: kind === 'registers' || kind === 'strict' },
    revocation: { enabled: true },
    ...(kind === 'documents' ? { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } } : {}),
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({ scope: SCOPE, audience: resource, accessTokenFormat: 'opaque' }),
    },
  },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  cookies: { keys: ['a key for tests'] },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, email: `${sub}@example.com` }) }),
  async loadExistingGrant(ctx) {
    const { client, params, session } = ctx.oidc
    const { Grant } = ctx.oidc.provider
    const grant = new Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' })
    grant.addOIDCScope(`openid offline_access ${SCOPE}`)
    for (const resource of [params?.['resource'] ?? []].flat()) grant.addResourceScope(String(resource), SCOPE)
    await grant.save()
    return grant
  },
})

export async function startAuthority(kind: AuthorityKind, options: AuthorityOptions = {}): Promise<RunningAuthority> {
  const counts: Counts = { registrations: 0, codes: 0, refreshes: 0, refusedRefreshes: 0, revocations: 0 }
  let person = 'ada'
  let broken: ((response: ServerResponse) => void) | undefined
  let serve: (request: IncomingMessage, response: ServerResponse) => unknown = () => {}
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    ...sets(kind, options),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    clients:
      kind === 'given'
        ? [
            {
              client_id: GIVEN_CLIENT.id,
              client_secret: GIVEN_CLIENT.secret,
              redirect_uris: [...(options.redirectUris ?? [])],
              grant_types: ['authorization_code', 'refresh_token'],
            },
          ]
        : [],
  })
  const given = { access: new Set<string>(), refresh: new Set<string>() }
  provider.on('access_token.saved', ({ jti }: { jti: string }) => void given.access.add(jti))
  provider.on('refresh_token.saved', ({ jti }: { jti: string }) => void given.refresh.add(jti))
  const kindOf = (ctx: KoaContextWithOIDC) => ctx.oidc.params?.['grant_type']
  provider.on('registration_create.success', () => void counts.registrations++)
  provider.on('grant.success', (ctx) => {
    if (kindOf(ctx) === 'refresh_token') counts.refreshes++
    else counts.codes++
  })
  provider.on('grant.error', (ctx) => {
    if (kindOf(ctx) === 'refresh_token') counts.refusedRefreshes++
  })
  const callback = provider.callback()
  serve = (request, response) => {
    const path = request.url ?? '/'
    if (path.startsWith('/interaction/') && running.denies)
      return provider.interactionFinished(request, response, { error: 'access_denied' })
    if (path.startsWith('/interaction/'))
      return provider.interactionFinished(request, response, { login: { accountId: person }, consent: {} })
    if (path.startsWith('/token/revocation')) counts.revocations++
    else if (path.startsWith('/token') && broken !== undefined) return broken(response)
    return callback(request, response)
  }

  const running: RunningAuthority = {
    issuer,
    counts,
    denies: false,
    is: (next) => void (person = next),
    async tokenOf(value) {
      const token = await provider.AccessToken.find(value)
      if (token === undefined) return undefined
      return { person: token.accountId, audience: [token.aud ?? []].flat()[0], scope: token.scope ?? '' }
    },
    async forget({ access = false } = {}) {
      for (const value of given.refresh) await (await provider.RefreshToken.find(value))?.destroy()
      if (access) for (const value of given.access) await (await provider.AccessToken.find(value))?.destroy()
    },
    break: (answer) => void (broken = answer),
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
  return running
}
