/**
 * A logout token, by which a provider says that somebody has been signed out there (OpenID Connect Back-Channel Logout 1.0, section 2.4 and
 * 2.6). Anybody can send one here: nothing is fetched for a token that does not name this provider and this client.
 */
import { Fault } from '@toolway/contract'
import { createRemoteJWKSet, customFetch, decodeJwt, jwtVerify, type JWTVerifyGetKey } from 'jose'
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import { ALGORITHMS, type Fetch } from './issuer-tokens.ts'

/** Whom a provider has signed out: in one session there, or in all of them. At least one of the two is there. */
export interface SignedOut {
  readonly subject: string | undefined
  readonly session: string | undefined
  /** The token's own name, which counts once. */
  readonly tokenId: string
}

export interface LogoutTokenParts {
  readonly issuer: string
  readonly clientId: string | undefined
  readonly fetch: Fetch
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const TIMEOUT_MS = 10_000
/** Clocks differ, and a provider may try again. */
const MOST_AGE = '10 minutes'
const SKEW_SECONDS = 60

const Claims = z
  .object({
    jti: z.string().min(1).max(500),
    sub: z.string().min(1).max(500).optional(),
    sid: z.string().min(1).max(500).optional(),
    events: z.looseObject({ [EVENT]: z.looseObject({}) }),
    // An ID token is none of these.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined)
const Named = z.object({ iss: z.string(), aud: z.union([z.string(), z.array(z.string())]) })

const refuse = (cause?: unknown): never => {
  throw new Fault('login.provider', { problem: 'its logout token is not valid' }, { cause })
}

function names(token: string, { issuer, clientId }: Pick<LogoutTokenParts, 'issuer' | 'clientId'>): boolean {
  try {
    const { iss, aud } = Named.parse(decodeJwt(token))
    return iss === issuer && [aud].flat().includes(clientId ?? '')
  } catch {
    return false
  }
}

export function createReadLogout(parts: LogoutTokenParts, configuration: () => Promise<Configuration>) {
  let keys: JWTVerifyGetKey | undefined

  async function keysOf(): Promise<JWTVerifyGetKey> {
    const { jwks_uri: uri } = (await configuration()).serverMetadata()
    if (uri === undefined) return refuse()
    // An unknown key is looked for twice a minute at most.
    keys ??= createRemoteJWKSet(new URL(uri), {
      [customFetch]: (url: string, options) => parts.fetch(url, options),
      timeoutDuration: TIMEOUT_MS,
    })
    return keys
  }

  return async (token: string): Promise<SignedOut> => {
    if (!names(token, parts)) return refuse()
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await keysOf(), {
        ...{ issuer: parts.issuer, audience: parts.clientId ?? '', algorithms: ALGORITHMS },
        ...{ requiredClaims: ['iat', 'jti', 'events'], maxTokenAge: MOST_AGE, clockTolerance: SKEW_SECONDS },
      })
      const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
      if (type !== undefined && type !== 'jwt' && type !== 'logout+jwt') return refuse()
      const { jti: tokenId, sub: subject, sid: session } = Claims.parse(payload)
      return { subject, session, tokenId }
    } catch (thrown) {
      return refuse(thrown)
    }
  }
}
