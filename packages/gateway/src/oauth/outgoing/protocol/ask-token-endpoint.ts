/**
 * Asking a token endpoint: the library speaks and judges the protocol, a vendor's ways are put in between, so that both see what they
 * know. Tokens come out; nothing is kept.
 */
import type { Authority } from '@toolway/contract'
import * as library from 'oauth4webapi'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { ClientIdentity, Egress, Tokens, ProviderAdapter } from '../ports.ts'
import { malformed, wordFailure } from './word-failure.ts'

export interface TokenAsking {
  readonly authority: Authority
  readonly client: ClientIdentity
  readonly adapter: ProviderAdapter
  readonly egress: Egress
  readonly now: () => number
}

/** Characters; what a header can carry to any server ends long before. */
const MOST_TOKEN = 64 * 1024
/** Clocks differ; identity tokens live for minutes. Seconds. */
const TOLERANCE = 180
/** A year: what is longer is no time that anybody meant. Seconds. */
const MOST_LIFE = 365 * 24 * 3600
/** RFC 6749, section 3.3, and no longer or more than anybody means: what cannot be kept would be tried to be stored for ever. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/
const MOST_SCOPES = 1_000
/** Characters of a name that a row has room for. */
const MOST_NAME = 255

export const serverOf = ({ issuer, tokenEndpoint, revocationEndpoint, issInResponse }: Authority) => ({
  issuer,
  token_endpoint: tokenEndpoint,
  ...(revocationEndpoint === undefined ? {} : { revocation_endpoint: revocationEndpoint }),
  authorization_response_iss_parameter_supported: issInResponse,
})
export const clientOf = ({ clientId }: ClientIdentity): library.Client => ({
  client_id: clientId,
  [library.clockTolerance]: TOLERANCE,
})

type Send = (
  url: string,
  options: { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal | undefined },
) => Promise<Response>

/**
 * Creates the fetch function for the library. It also keeps the vendor's answer as it was before the provider adapter translated
 * it.
 */
export function createLine({ adapter, egress, authority }: Pick<TokenAsking, 'adapter' | 'egress' | 'authority'>) {
  const send = createGuardedFetch(egress)
  let heard: Readonly<Record<string, unknown>> = {}
  const ask: Send = async (url, { method, headers, body, signal }) => {
    const json = adapter.tokenBody === 'json' && body instanceof URLSearchParams
    const response = await send(url, {
      method,
      headers: json ? { ...headers, 'content-type': 'application/json' } : headers,
      body: json ? JSON.stringify(Object.fromEntries(body)) : body,
      signal,
    })
    return authority.provider === 'mcp' ? response : translated(response)
  }

  async function translated(response: Response): Promise<Response> {
    const answer: unknown = await response
      .clone()
      .json()
      .catch(() => undefined)
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return response
    heard = answer as Record<string, unknown>
    const failure = adapter.failureIn(heard)
    if (failure !== undefined) {
      const { status } = response
      return Response.json({ error: failure }, { status: status < 400 ? 400 : status })
    }
    if (!response.ok) return response
    // An identity token of a vendor only names the account; it opens nothing, so nobody judges it.
    const { id_token: _, ...tokens } = adapter.tokensIn(heard)
    return Response.json(tokens)
  }

  return { ask, heard: () => heard }
}

export const optionsOf = (ask: Send) => ({ [library.customFetch]: ask, [library.allowInsecureRequests]: true })

/** Throws `authority.*`. */
export async function askTokens(
  asking: TokenAsking,
  work: (line: ReturnType<typeof createLine>) => Promise<library.TokenEndpointResponse>,
): Promise<Tokens> {
  const line = createLine(asking)
  const answer = await work(line).catch((thrown: unknown) => {
    throw wordFailure(thrown, asking.egress)
  })
  return tokensOf(answer, asking, line.heard())
}

function tokensOf(
  answer: library.TokenEndpointResponse,
  { adapter, egress, now, authority }: TokenAsking,
  heard: Readonly<Record<string, unknown>>,
): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: lives, scope, token_type: type } = answer
  if (type !== 'bearer') throw malformed(egress, `it returns tokens of the type ${type} instead of Bearer`)
  for (const token of [access, refresh ?? ''])
    if (token.length > MOST_TOKEN) throw malformed(egress, 'it returned a token that is too large to be sent')
  if (!/^[\x21-\x7e]+$/.test(access)) throw malformed(egress, 'it returned a token that is not valid in a header')
  const claims = authority.provider === 'mcp' ? library.getValidatedIdTokenClaims(answer) : undefined
  const account = claims === undefined ? adapter.accountIn(heard) : { id: claims.sub, name: nameIn(claims) }
  return {
    access,
    refresh,
    tokenType: 'Bearer',
    expiresAt: lives === undefined ? undefined : new Date(now() + Math.min(lives, MOST_LIFE) * 1000),
    scopes: scope
      ?.split(' ')
      .filter((one) => SCOPE.test(one))
      .slice(0, MOST_SCOPES),
    account: { id: keepable(account.id), name: keepable(account.name) },
    more: {},
  }
}

const keepable = (text: string | undefined): string | undefined =>
  text === undefined || text.length > MOST_NAME || text.includes('\0') ? undefined : text

function nameIn(claims: library.IDToken): string | undefined {
  for (const name of ['preferred_username', 'email', 'name']) {
    const said = claims[name]
    if (typeof said === 'string' && said !== '') return said.slice(0, 255)
  }
  return undefined
}
