/**
 * Tokens of a configured issuer (ledger S1-ORG-04): JWTs (RFC 7519) whose signature, issuer, audience and time are checked by the
 * issuer's own keys (RFC 7517), which are fetched when they are needed and kept.
 *
 * Only asymmetric algorithms count, so that nobody can sign with what is published.
 */
import { Fault } from '@toolway/contract'
import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { TOKEN_FORM } from '../access-tokens.ts'
import { counts, type EmailProof } from './email-proof.ts'
import type { Source } from './external-principals.ts'

export type Fetch = (
  url: string,
  options: { method?: string; headers?: Record<string, string> | Headers; signal?: AbortSignal },
) => Promise<Response>

export interface IssuerTokensParts {
  readonly issuer: string
  readonly audience: string
  /** Where its keys are; found by its discovery document where it is not said (OpenID Connect Discovery 1.0, section 4). */
  readonly keysUrl: string | undefined
  /** The claim that names the organization. */
  readonly organizationClaim: string
  /** Whose word it is that the address in a token is its owner's. */
  readonly emailProof: EmailProof
  readonly fetch: Fetch
  now(): number
}

/** Signatures that only the issuer can make: none by a shared secret. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const TIMEOUT = 5_000

const Claims = z.object({
  sub: z.string().min(1).max(512),
  exp: z.number(),
  email: z.string().max(320).optional(),
  email_verified: z.unknown().optional(),
  role: z.unknown().optional(),
})
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

export function createIssuerTokens(parts: IssuerTokensParts): Source {
  const { issuer, audience, keysUrl, organizationClaim, emailProof, fetch, now } = parts
  let keys: Promise<JWTVerifyGetKey> | undefined

  async function findKeys(): Promise<JWTVerifyGetKey> {
    const url = keysUrl ?? (await discoverKeys(issuer, fetch))
    return createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT, [customFetch]: fetch })
  }

  function getKeys(): Promise<JWTVerifyGetKey> {
    // A failure is not kept: the next token asks again.
    keys ??= findKeys().catch((thrown: unknown) => {
      keys = undefined
      throw thrown
    })
    return keys
  }

  async function read(token: string): Promise<Record<string, unknown>> {
    try {
      const currentDate = new Date(now())
      const requiredClaims = ['sub', 'exp']
      const options = { issuer, audience, algorithms: ALGORITHMS, requiredClaims, currentDate }
      return (await jwtVerify(token, await getKeys(), options)).payload
    } catch (thrown) {
      throw wordRefusal(thrown)
    }
  }

  return {
    takes: (bearer) => TOKEN_FORM.test(bearer) && issuerOf(bearer) === issuer,
    async ask(bearer) {
      const payload = await read(bearer)
      const claims = Claims.safeParse(payload)
      if (!claims.success) throw new Fault('token.unknown')
      const { sub, exp, email, email_verified: verified, role } = claims.data
      const organization = payload[organizationClaim]
      return {
        source: 'jwt',
        subject: sub,
        // An unverified address may belong to another user.
        email: counts(verified, emailProof) ? email : undefined,
        organization: typeof organization === 'string' && organization !== '' ? organization : undefined,
        role: typeof role === 'string' ? role : undefined,
        until: exp * 1000,
      }
    },
  }
}

/** Undefined for what is no JWT. Nothing is checked by it: it only says whom to ask. */
export function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** The address of an issuer's keys. Throws where its discovery document is not there, or is another issuer's. */
export async function discoverKeys(issuer: string, fetch: Fetch): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const init = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT) }
  const found = Discovery.parse(await (await fetch(url, init)).json())
  if (found.issuer !== issuer) throw new Error(`the discovery document at ${url} belongs to a different issuer`)
  return found.jwks_uri
}

/** An invalid token is refused; an issuer that cannot be reached is not the token's fault. */
function wordRefusal(thrown: unknown): Fault {
  if (thrown instanceof errors.JWTExpired) return new Fault('token.expired', {}, { cause: thrown })
  const away =
    !(thrown instanceof errors.JOSEError) || thrown instanceof errors.JWKSTimeout || thrown.code === 'ERR_JOSE_GENERIC'
  return away
    ? new Fault('gateway.not-ready', { problem: 'the issuer of this token does not respond' }, { cause: thrown })
    : new Fault('token.unknown', {}, { cause: thrown })
}
