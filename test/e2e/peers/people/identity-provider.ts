/**
 * A real OpenID Connect provider (`oidc-provider`) on this machine, whose people sign in without being asked: who it is, the test
 * says. And a project of Supabase as far as its keys go: what signs access tokens, and where its public keys are.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { Provider } from 'oidc-provider'

export interface Person {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: readonly unknown[]
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${port}`, close }
}

export const CLIENT = { id: 'toolway', secret: 'a secret of sixteen or more' }

export async function startIdentityProvider(redirectUris: readonly string[]) {
  let person: Person = { sub: 'nobody' }
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => {}
  const { address, close } = await listen((request, response) => handle(request, response))
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(address, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [...redirectUris] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a key for tests'] },
    async loadExistingGrant(ctx) {
      const { Grant } = ctx.oidc.provider
      const grant = new Grant({ clientId: CLIENT.id, accountId: ctx.oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const allowed = new Set(redirectUris)
  provider.Client.prototype.redirectUriAllowed = (uri) => allowed.has(uri)
  const callback = provider.callback()
  handle = (request, response) =>
    request.url?.startsWith('/interaction/') === true
      ? provider.interactionFinished(request, response, { login: { accountId: person.sub } })
      : callback(request, response)
  return {
    address,
    is: (next: Person) => void (person = next),
    /** The gateway tells its redirect address only when the provider is entered there. */
    allow: (uri: string) => void allowed.add(uri),
    /** Signed as its ID tokens are. */
    sign: (claims: JWTPayload, typ = 'logout+jwt') =>
      new SignJWT({ iss: address, aud: CLIENT.id, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ })
        .sign(privateKey),
    publicKey,
    [Symbol.asyncDispose]: close,
  }
}

/** Follow a browser's way through the provider until it leads back to `home`; that address. */
export async function walkThrough(start: string, home: string): Promise<string> {
  const jar = new Map<string, string>()
  let at = start
  for (let step = 0; step < 10; step++) {
    if (at.startsWith(home)) return at
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`the provider answers ${response.status}: ${await response.text()}`)
    at = new URL(location, at).href
  }
  throw new Error('the provider leads nowhere')
}

/** Keys at `/auth/v1/.well-known/jwks.json`, and tokens as a Supabase project makes them. */
export async function startSupabase() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const stranger = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }]
  const { address, close } = await listen((request, response) => {
    const found = request.url === '/auth/v1/.well-known/jwks.json'
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
  })
  const token = (
    claims: JWTPayload,
    more: { issuer?: string; audience?: string; by?: 'stranger'; age?: number } = {},
  ) => {
    const now = Math.floor(Date.now() / 1000) - (more.age ?? 0)
    return new SignJWT({ role: 'authenticated', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT' })
      .setIssuer(more.issuer ?? `${address}/auth/v1`)
      .setAudience(more.audience ?? 'authenticated')
      .setIssuedAt(now)
      .setExpirationTime(now + 3600)
      .sign(more.by === 'stranger' ? stranger.privateKey : privateKey)
  }
  return { address, token, [Symbol.asyncDispose]: close }
}
