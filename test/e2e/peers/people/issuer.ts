/** An issuer of tokens and a backend that knows whom they belong to, on a loopback port, both as they are in the wild. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

export interface Issuer extends AsyncDisposable {
  readonly address: string
  /** Where the backend answers. */
  readonly identityUrl: string
  /** Paths that were asked for, and the bearers that the backend was shown. */
  readonly asked: string[]
  readonly shown: string[]
  /** The backend's answer to a bearer token: a status, or a user. */
  readonly people: Map<string, number | object>
  /** Whether it answers at all. */
  away: boolean
  mint(
    claims: JWTPayload,
    how?: { audience?: string; issuer?: string; expires?: string; stranger?: boolean },
  ): Promise<string>
}

export const AUDIENCE = 'toolway'

export async function startIssuer(): Promise<Issuer> {
  const [own, other] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')]
  const keys = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] }
  const [asked, shown]: [string[], string[]] = [[], []]
  const people = new Map<string, number | object>()
  const state = { away: false }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    if (state.away) return void response.destroy()
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path === '/.well-known/openid-configuration') return say(200, { issuer: address, jwks_uri: `${address}/keys` })
    if (path === '/keys') return say(200, keys)
    if (path !== '/me') return say(404, {})
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? ''
    shown.push(bearer)
    const found = people.get(bearer) ?? 401
    return typeof found === 'number' ? say(found, { detail: 'no' }) : say(200, found)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address,
    identityUrl: `${address}/me`,
    asked,
    shown,
    people,
    get away() {
      return state.away
    },
    set away(value) {
      state.away = value
    },
    mint: (claims, { audience = AUDIENCE, issuer = address, expires = '5 minutes', stranger = false } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(stranger ? other.privateKey : own.privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
