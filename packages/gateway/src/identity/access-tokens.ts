/**
 * Access tokens: JWTs (RFC 7519, RFC 9068) that this gateway signs with Ed25519 and checks without a database.
 *
 * A token says who (`sub`), in which organization (`org`), for what (`aud`), how far (`limit`), since which sign-in (`sid`) and
 * of which epoch of its account. Whether account and sign-in still stand is asked at each use, of memory; that is not said here.
 */
import { randomUUID, type KeyObject } from 'node:crypto'
import { Fault, LIMITS, type FamilyId, type OrganizationId, type UserId } from '@toolway/contract'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { METHODS } from './sign-ins.ts'

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const Claims = z.object({
  sub: z.string().transform((id) => id as UserId),
  org: z
    .string()
    .transform((id) => id as OrganizationId)
    .optional(),
  sid: z.string().transform((id) => id as FamilyId),
  epoch: z.int(),
  limit: z.enum(LIMITS),
  client_id: z.string(),
  aud: z.string(),
  exp: z.int(),
  iat: z.int().optional(),
  /** When the sign-in began (OpenID Connect Core 1.0, section 2). */
  auth_time: z.int().optional(),
  /** How it was proven (RFC 8176). */
  amr: z.array(z.enum(METHODS)).optional(),
  /** The longest time in seconds that it was not used, so far. */
  idle: z.int().optional(),
})
/**
 * `aud` is what the token was made for (RFC 8707): the address of this gateway, for its own console and command line, which
 * may use all of it; or that of one MCP endpoint, for OAuth clients.
 */
export type AccessClaims = z.output<typeof Claims>

export interface AccessTokens {
  mint(claims: Omit<AccessClaims, 'exp' | 'iat'>): Promise<string>
  /** Throws `token.unknown` for what is not ours and `token.expired` for what was. */
  read(token: string): Promise<AccessClaims>
  /** Seconds that a token lives. */
  readonly lifetime: number
}

export interface AccessTokenParts {
  /** The public address of this gateway, without a slash at its end. */
  issuer(): string
  /** The newest first: it signs, all of them verify. Asked at each use, so that they may change. */
  readonly keys: readonly SigningKey[]
  /** Seconds. */
  readonly lifetime: number
  now(): number
}

export const TOKEN_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/
const ALGORITHM = 'EdDSA'
const TYPE = 'at+jwt'

export function createAccessTokens(parts: AccessTokenParts): AccessTokens {
  const { issuer, lifetime, now } = parts
  const newestKey = (): SigningKey => {
    const [newest] = parts.keys
    if (newest === undefined) throw new Error('there is no key to sign tokens with')
    return newest
  }
  const seconds = () => Math.floor(now() / 1000)
  return {
    lifetime,
    mint({ sub, aud, ...claims }) {
      const newest = newestKey()
      return new SignJWT({ ...claims, jti: randomUUID() })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: newest.id })
        .setIssuer(issuer())
        .setSubject(sub)
        .setAudience(aud)
        .setIssuedAt(seconds())
        .setExpirationTime(seconds() + lifetime)
        .sign(newest.privateKey)
    },
    async read(token) {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const key = parts.keys.find(({ id }) => id === kid)
            if (key === undefined) throw new errors.JWKSNoMatchingKey()
            return key.publicKey
          },
          { algorithms: [ALGORITHM], typ: TYPE, issuer: issuer(), currentDate: new Date(now()) },
        )
        return Claims.parse(payload)
      } catch (thrown) {
        throw new Fault(thrown instanceof errors.JWTExpired ? 'token.expired' : 'token.unknown', {}, { cause: thrown })
      }
    },
  }
}
