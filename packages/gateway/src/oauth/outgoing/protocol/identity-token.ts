/**
 * Reads an identity token as far as it must be known before the library judges it (OpenID Connect Core 1.0, section 2).
 *
 * It came straight from the token endpoint, names the account for people, and grants nothing. So one that cannot be read, or lacks a
 * claim, is left out, and the account has no name; one that contradicts what was asked (another issuer, another client, another time)
 * is judged by the library and refused: the whole answer may be meant for somebody else.
 */
import { isObject, type JsonObject } from '@toolway/protocol'

const ALGORITHM = /^(?:(?:RS|PS|ES|HS)(?:256|384|512)|ES256K|EdDSA|Ed25519|Ed448)$/

interface IdentityToken {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** What is wrong with it; undefined: the library may judge it. */
export function tidyIdentityToken(token: unknown): string | undefined {
  if (typeof token !== 'string') return 'is no text'
  const read = readIdentityToken(token)
  if (read === undefined) return 'cannot be read'
  const { header, claims } = read
  if (!ALGORITHM.test(String(header['alg']))) return 'is not signed in a known way'
  if (header['crit'] !== undefined) return 'has a critical extension'
  const { aud } = claims
  if (typeof claims['iss'] !== 'string' || typeof claims['sub'] !== 'string' || claims['sub'] === '')
    return 'lacks iss or sub'
  if (typeof aud !== 'string' && !(Array.isArray(aud) && aud.every((item) => typeof item === 'string')))
    return 'lacks aud'
  if (Array.isArray(aud) && aud.length !== 1 && claims['azp'] === undefined) return 'lacks azp'
  if (typeof claims['exp'] !== 'number' || typeof claims['iat'] !== 'number') return 'lacks exp or iat'
  // Absent where none was sent; `null` and `""` say as much.
  if (claims['nonce'] === null || claims['nonce'] === '') return 'has an empty nonce'
  const times = ['nbf', 'auth_time'].filter((name) => claims[name] !== undefined && typeof claims[name] !== 'number')
  return times.length === 0 ? undefined : `has no time in ${times[0]}`
}

/** Undefined where it is none, or encrypted. */
export function readIdentityToken(token: unknown): IdentityToken | undefined {
  const parts = typeof token === 'string' ? token.split('.') : []
  if (parts.length !== 3) return undefined
  try {
    const [header, claims] = [partOf(parts[0]), partOf(parts[1])]
    return isObject(header) && isObject(claims) ? { header, claims } : undefined
  } catch {
    return undefined
  }
}

const partOf = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
