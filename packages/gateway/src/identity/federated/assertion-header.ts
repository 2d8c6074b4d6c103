/**
 * The assertion of a gateway in front of this one: a signed JWT in a header, by which it says who the person is whom it has let through.
 * Read only where an operator has named its issuer and audience; a header without a signature is never believed.
 *
 * Cloudflare Access: `Cf-Access-Jwt-Assertion` (developers.cloudflare.com, "Validate JWTs"). Google's Identity-Aware Proxy:
 * `x-goog-iap-jwt-assertion` (cloud.google.com/iap, "Securing your app with signed headers"). AWS Application Load Balancer:
 * `x-amzn-oidc-data`, whose keys are PEM by their name and whose Base64 has padding (docs.aws.amazon.com, "Authenticate users"). Any other:
 * a JWT with the keys of its issuer, such as the ID token that oauth2-proxy passes on as `Authorization`.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { isProven } from './email-proof.ts'
import type { Proven } from './identity-provider.ts'
import { ALGORITHMS, discoverKeys, type Fetch } from './issuer-tokens.ts'
import { hasSeveralFactors } from './several-factors.ts'

export type AssertionForm = 'cloudflare' | 'iap' | 'alb' | 'jwt'

export interface AssertionSettings {
  readonly form: AssertionForm
  /** In lower case. */
  readonly header: string
  readonly issuer: string
  /** `alb`: the ARN of the load balancer, which signs. */
  readonly audience: string
  /** `alb`: the address before `/{key}`. Undefined: found by the issuer's discovery document. */
  readonly keysUrl: string | undefined
}

export interface ReadAssertionParts {
  readonly settings: AssertionSettings
  readonly fetch: Fetch
  now(): number
}

/** Undefined where there is no such header. Throws `login.provider` for one that is not good. */
export type ReadAssertion = (header: (name: string) => string | undefined) => Promise<Proven | undefined>

/** One for each: what it signs with is published. */
const ALGORITHMS_OF = { cloudflare: ['RS256'], iap: ['ES256'], alb: ['ES256'], jwt: ALGORITHMS }
const TIMEOUT_MS = 5_000
const SKEW_SECONDS = 60
const MOST_BYTES = 16_384
const MOST_KEY_BYTES = 8_192
/** Names of keys in half a minute that the load balancer's publisher does not have. */
const MOST_UNKNOWN = 100
/** Google's own accounts; what an identity platform in front of it says of an address is that platform's word. */
const GOOGLE_SUBJECT = /^accounts\.google\.com:/

const Claims = z.looseObject({
  sub: z.string().min(1).max(512),
  email: z.string().max(320).optional(),
  email_verified: z.unknown().optional(),
  name: z.string().optional().catch(undefined),
  amr: z.unknown().optional(),
  acr: z.unknown().optional(),
})
type Claims = z.output<typeof Claims>

const refuse = (problem: string, cause?: unknown): never => {
  throw new Fault('login.provider', { problem }, { cause })
}

export function createReadAssertion({ settings, fetch, now }: ReadAssertionParts): ReadAssertion {
  const read =
    settings.form === 'alb'
      ? createReadAlb(settings, reaching(fetch), now)
      : createReadJwt(settings, reaching(fetch), now)
  return async (header) => {
    const token = tokenIn(settings.header, header(settings.header))
    if (token === undefined) return undefined
    if (token.length > MOST_BYTES) return refuse('the assertion of the gateway in front is too long')
    const claims = await read(token).catch((thrown: unknown) => refuse(problemOf(thrown), thrown))
    return provenBy(settings, claims)
  }
}

/** `Authorization` may carry a password (Basic), which is no assertion. */
function tokenIn(name: string, value: string | undefined): string | undefined {
  const token = name === 'authorization' ? /^Bearer +(\S+)$/i.exec(value ?? '')?.[1] : value
  return token === '' ? undefined : token
}

/** The published keys cannot be read now, which says nothing of the assertion. */
class KeysUnreachable extends Error {}

const reaching =
  (fetch: Fetch): Fetch =>
  (url, options) =>
    fetch(url, options).catch((cause: unknown) => {
      throw new KeysUnreachable(`${url} does not respond`, { cause })
    })

function problemOf(thrown: unknown): string {
  const isAway =
    thrown instanceof KeysUnreachable ||
    thrown instanceof errors.JWKSTimeout ||
    (thrown instanceof errors.JOSEError && thrown.code === 'ERR_JOSE_GENERIC')
  return isAway
    ? 'the keys of the gateway in front cannot be read now: try again later'
    : 'the assertion of the gateway in front is not valid'
}

function provenBy({ form, issuer }: AssertionSettings, claims: Claims): Proven {
  const { sub, email, email_verified: verified, name, amr, acr } = claims
  const isItsOwn = form === 'cloudflare' || (form === 'iap' && GOOGLE_SUBJECT.test(sub))
  return {
    ...{ issuer, subject: sub, email, name, claims },
    emailVerified: isItsOwn || isProven(verified),
    severalFactors: hasSeveralFactors(amr, acr),
  }
}

function createReadJwt({ form, issuer, audience, keysUrl }: AssertionSettings, fetch: Fetch, now: () => number) {
  let keys: Promise<JWTVerifyGetKey> | undefined
  // An unknown key is looked for twice a minute at most.
  const findKeys = async () =>
    createRemoteJWKSet(new URL(keysUrl ?? (await discoverKeys(issuer, fetch))), {
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: fetch,
    })
  const keysOf = () =>
    (keys ??= findKeys().catch((thrown: unknown) => {
      keys = undefined
      throw thrown
    }))
  return async (token: string): Promise<Claims> => {
    const { payload } = await jwtVerify(token, await keysOf(), {
      ...{ issuer, audience, algorithms: [...ALGORITHMS_OF[form]], requiredClaims: ['sub', 'exp'] },
      ...{ clockTolerance: SKEW_SECONDS, currentDate: new Date(now()) },
    })
    return Claims.parse(payload)
  }
}

const AlbHeader = z.looseObject({
  alg: z.literal('ES256'),
  kid: z.string().regex(/^[\w-]{1,64}$/),
  signer: z.string(),
  iss: z.string(),
  exp: z.number(),
})
const PART = /^[\w-]+={0,2}$/

/** Its signature is over parts with padding, which a reader of JWTs (RFC 7515) refuses. */
function createReadAlb({ issuer, audience, keysUrl }: AssertionSettings, fetch: Fetch, now: () => number) {
  const keys = new LRUCache<string, Promise<KeyObject>>({ max: 20, ttl: 24 * 3600 * 1000 })
  /** So that made-up names of keys are not asked for without end. */
  const unknown = new LRUCache<string, true>({ max: MOST_UNKNOWN, ttl: 30_000 })

  async function fetchKey(kid: string): Promise<KeyObject> {
    const response = await fetch(`${keysUrl ?? ''}/${kid}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await response.text()
    if (!response.ok || text.length > MOST_KEY_BYTES) throw new Error(`the key ${kid} is answered ${response.status}`)
    return createPublicKey(text)
  }
  function keyOf(kid: string): Promise<KeyObject> {
    const found = keys.get(kid)
    if (found !== undefined) return found
    unknown.purgeStale()
    if (unknown.has(kid) || unknown.size >= MOST_UNKNOWN) throw new Error(`the key ${kid} is not known`)
    const fetched = fetchKey(kid).catch((thrown: unknown) => {
      keys.delete(kid)
      if (!(thrown instanceof KeysUnreachable)) unknown.set(kid, true)
      throw thrown
    })
    keys.set(kid, fetched)
    return fetched
  }

  return async (token: string): Promise<Claims> => {
    const parts = token.split('.')
    const [head = '', body = '', signature = ''] = parts
    if (parts.length !== 3 || !parts.every((part) => PART.test(part))) throw new Error('it is no JWT')
    const header = AlbHeader.parse(jsonOf(head))
    // Anybody may have a load balancer: its own name is what tells it from others.
    if (header.signer !== audience || header.iss !== issuer) throw new Error('it is of another signer or issuer')
    if (header.exp + SKEW_SECONDS < now() / 1000) throw new Error('it has expired')
    const key = { key: await keyOf(header.kid), dsaEncoding: 'ieee-p1363' } as const
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
      throw new Error('its signature is not that of the load balancer')
    return Claims.parse(jsonOf(body))
  }
}

const jsonOf = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
