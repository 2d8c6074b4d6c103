/**
 * An OpenID Connect provider that signs people in: the code flow with PKCE, state, nonce and issuer (OpenID Connect Core 1.0;
 * RFC 9207), and for Supabase also its own access tokens, checked by its published keys.
 *
 * It proves who somebody is over there, and nothing else: who that is here, and what they may, is decided elsewhere.
 */
import { Fault } from '@toolway/contract'
import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify, type JWTPayload } from 'jose'
import * as client from 'openid-client'
import { z } from 'zod'
import { isProven } from './email-proof.ts'
import { createReadLogout, type SignedOut } from './logout-token.ts'
import { hasSeveralFactors } from './several-factors.ts'
import { ALGORITHMS } from './issuer-tokens.ts'

export interface Proven {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  readonly emailVerified: boolean
  readonly name: string | undefined
  /** All that the provider says of the person. */
  readonly claims: Readonly<Record<string, unknown>>
  /** It has asked for more than one factor (RFC 8176; OpenID Connect Core 1.0, section 2). */
  readonly severalFactors?: boolean
  /** The provider's name for the session there (`sid`). */
  readonly session?: string | undefined
}

/** The values that must be stored between the redirect and the return. */
export interface OAuthRedirect {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface IdentityProvider {
  /** For people: `Sign in with …`. */
  readonly title: string
  /** Whether a browser can be sent there. */
  readonly browses: boolean
  /** Throws `login.provider`. */
  depart(redirectUri: string, loginHint?: string): Promise<OAuthRedirect & { readonly url: URL }>
  /** `current` is the address that the browser came back to, with `fields` where it posted a form there. Throws `login.provider`. */
  arrive(current: URL, oauthRedirect: OAuthRedirect, fields?: URLSearchParams): Promise<Proven>
  /** Throws `login.provider` for a token that is not good, and where none is taken. */
  prove(token: string): Promise<Proven>
  /** Absent where the provider has no such token. Throws `login.provider` for one that is not good. */
  readLogout?(token: string): Promise<SignedOut>
  /** Present where the response comes as a form that the provider's page posts (SAML): our metadata for that provider. */
  metadataFor?(redirectUri: string): string
}

type ProviderFetch = (
  url: string,
  options: { method?: string; headers?: Headers | Record<string, string> },
) => Promise<Response>

export interface IdentityProviderParts {
  readonly issuer: string
  readonly title: string
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** What is asked for; `openid` is among it. */
  readonly scopes?: readonly string[]
  /** Claims, by their paths, that are asked for at the user information endpoint where the ID token has none of them. */
  readonly groupClaims?: readonly string[]
  /** Its access tokens are taken as proof, too. */
  readonly supabase: boolean
  readonly fetch: ProviderFetch
  now(): number
}

const SCOPES = ['openid', 'email', 'profile']
/** The audience of a Supabase access token of a signed-in user. */
const SUPABASE_AUDIENCE = 'authenticated'
const SECONDS = 10

const Claims = z.object({
  sub: z.string().min(1),
  email: z.string().optional(),
  email_verified: z.unknown().optional(),
  name: z.string().optional(),
  amr: z.unknown().optional(),
  acr: z.unknown().optional(),
  sid: z.string().max(500).optional().catch(undefined),
})

const refuse = (problem: string, cause?: unknown): never => {
  throw new Fault('login.provider', { problem }, { cause })
}

export function createIdentityProvider(parts: IdentityProviderParts): IdentityProvider {
  const { issuer, title, clientId, supabase, fetch, scopes = SCOPES } = parts
  const configuration = createDiscovery(parts)
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    [joseFetch]: (url: string, options) => fetch(url, options),
    timeoutDuration: SECONDS * 1000,
  })

  return {
    title,
    browses: clientId !== undefined,
    async depart(redirectUri, loginHint) {
      const found = await configuration()
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
      const url = client.buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, state, nonce, verifier }
    },
    async arrive(current, { state, nonce, verifier }) {
      const found = await configuration()
      try {
        const answer = await client.authorizationCodeGrant(found, current, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const idToken: Readonly<Record<string, unknown>> = { ...answer.claims() }
        const { sub, name } = Claims.parse(idToken)
        const more =
          lacks(parts, idToken) && found.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(found, answer.access_token, sub)
            : {}
        // The address and whether it is verified come from the same answer.
        const source = Claims.parse(idToken['email'] === undefined ? { ...more, sub } : idToken)
        const { amr, acr, sid: session } = Claims.parse(idToken)
        const proven = provenBy(issuer, { ...source, sub, name: source.name ?? name, amr, acr })
        return { ...proven, session, claims: { ...more, ...idToken } }
      } catch (thrown) {
        return refuse('its response is not valid', thrown)
      }
    },
    readLogout: createReadLogout(parts, configuration),
    async prove(token) {
      if (!supabase) return refuse('its tokens are not accepted here')
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience: SUPABASE_AUDIENCE,
          algorithms: ALGORITHMS,
          requiredClaims: ['sub', 'exp'],
          currentDate: new Date(parts.now()),
        })
        return provenBySupabase(issuer, payload)
      } catch (thrown) {
        return refuse('its token is not valid', thrown)
      }
    },
  }
}

/** Many providers tell the email, and some tell groups, only as user information (OpenID Connect Core 1.0, section 5.4). */
const lacks = ({ groupClaims = [] }: IdentityProviderParts, claims: Readonly<Record<string, unknown>>): boolean =>
  claims['email'] === undefined ||
  (groupClaims.length > 0 && groupClaims.every((path) => valueAt(claims, path) === undefined))

/** The value of a claim by its name, or by a path of names with dots; a name that has dots itself comes first. */
export function valueAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  const [first = '', ...rest] = path.split('.')
  const found = Object.hasOwn(claims, first) ? claims[first] : undefined
  if (rest.length === 0) return found
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? valueAt(found as Record<string, unknown>, rest.join('.'))
    : undefined
}

function createDiscovery({ issuer, clientId, clientSecret, fetch }: IdentityProviderParts) {
  let discovered: Promise<client.Configuration> | undefined

  /** Asked when it is first needed, and again after a failure: a provider that is away does not keep the gateway from starting. */
  function configuration(): Promise<client.Configuration> {
    discovered ??= discover().catch((thrown: unknown) => {
      discovered = undefined
      return refuse('it cannot be reached, or its discovery document is not valid', thrown)
    })
    return discovered
  }

  async function discover(): Promise<client.Configuration> {
    if (clientId === undefined) return refuse('this gateway has no client ID there')
    const insecure = issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
    const found = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: SECONDS,
      execute: insecure,
      [client.customFetch]: (url, options) => fetch(url, options),
    })
    return found
  }

  return configuration
}

const provenBy = (
  issuer: string,
  { sub, email, email_verified: verified, name, amr, acr }: z.output<typeof Claims>,
): Omit<Proven, 'claims'> => ({
  issuer,
  subject: sub,
  email,
  emailVerified: isProven(verified),
  name,
  severalFactors: hasSeveralFactors(amr, acr),
})

const SupabaseClaims = z.object({
  sub: z.string().min(1),
  email: z.string().optional(),
  is_anonymous: z.boolean().optional(),
  user_metadata: z.object({ email_verified: z.boolean().optional(), name: z.string().optional() }).optional(),
})

/**
 * Supabase signs in only who has confirmed their address, unless a project turns that off, and then writes so into `user_metadata`. The
 * person can write there, too, so that a project that confirms no addresses proves none. A token that says nothing of it proves nothing.
 */
function provenBySupabase(issuer: string, payload: JWTPayload): Proven {
  const { sub, email, is_anonymous: anonymous, user_metadata: own } = SupabaseClaims.parse(payload)
  return {
    claims: payload,
    issuer,
    subject: sub,
    email: email === '' ? undefined : email,
    emailVerified: anonymous !== true && isProven(own?.email_verified),
    name: own?.name,
  }
}
