/**
 * Asking a token endpoint: the library speaks and judges the protocol, a vendor's ways are put in between, so that both see what they
 * know. Tokens come out; nothing is kept.
 */
import type { Authority } from '@toolway/contract'
import { isObject } from '@toolway/protocol'
import * as library from 'oauth4webapi'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { ClientIdentity, Egress, Tokens, ProviderAdapter } from '../ports.ts'
import { readIdentityToken } from './identity-token.ts'
import { isSameIssuer } from './same-issuer.ts'
import { errorIn, secretsOf } from './server-words.ts'
import { tidyTokens } from './tidy-answer.ts'
import { documentAt, malformedAuthority, wordFailure, type OnRead } from './word-failure.ts'

export interface TokenAsking {
  readonly authority: Authority
  readonly client: ClientIdentity
  readonly adapter: ProviderAdapter
  readonly egress: Egress
  readonly now: () => number
  readonly onRead?: OnRead | undefined
}

const KIND = 'token response'
/** Characters; what a header can carry to any server ends long before. */
const MOST_TOKEN_CHARACTERS = 64 * 1024
/** Clocks differ; identity tokens live for minutes. Seconds. */
const TOLERANCE = 180
/** A year: what is longer is no time that anybody meant. Seconds. */
const MOST_LIFE_SECONDS = 365 * 24 * 3600
/** RFC 6749, section 3.3, and no longer or more than anybody means: what cannot be kept would be tried to be stored for ever. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/
const MOST_SCOPES = 1_000
/** Characters of a name that a row has room for. */
const MOST_NAME_CHARACTERS = 255

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

/** What the library has to know about an answer before it judges that. */
interface Heard {
  /** As it came, before anything translated it. */
  readonly answer: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
  /** What its request contained that nobody may read in an error. */
  readonly secrets: readonly string[]
}

/** Creates the fetch function for the library: answers of every provider are tidied before it reads them. */
export function createLine({ adapter, egress, authority }: Pick<TokenAsking, 'adapter' | 'egress' | 'authority'>) {
  const send = createGuardedFetch(egress)
  let exchange: Heard = { answer: {}, notes: [], secrets: [] }
  const ask: Send = async (url, { method, headers, body, signal }) => {
    const json = adapter.tokenBody === 'json' && body instanceof URLSearchParams
    exchange = { ...exchange, secrets: secretsOf(headers, body) }
    const response = await send(url, {
      method,
      headers: json ? { ...headers, 'content-type': 'application/json' } : headers,
      body: json ? JSON.stringify(Object.fromEntries(jsonMembers(headers, body))) : body,
      signal,
    })
    return tidyAnswer(response)
  }

  async function tidyAnswer(response: Response): Promise<Response> {
    const answer = await answerIn(response)
    if (answer === undefined) return response
    exchange = { ...exchange, answer }
    const { status } = response
    const failure = failureIn(answer)
    if (failure !== undefined) return Response.json(failure, { status: status < 400 ? 400 : status })
    if (!response.ok) return response
    const tokens = authority.provider === 'mcp' ? answer : adapter.tokensIn(answer)
    const { answer: clean, notes } = tidyTokens(tokens) ?? { answer: tokens, notes: [] }
    exchange = { ...exchange, notes }
    if (authority.provider === 'mcp') return Response.json(clean)
    // An identity token of a vendor only names the account; it opens nothing, so nobody judges it.
    const { id_token: _, ...others } = clean
    return Response.json(others)
  }

  /** An error with status 200 is an error. Of a vendor, its code is what the vendor's row makes of it. */
  function failureIn(answer: Readonly<Record<string, unknown>>): object | undefined {
    const own = adapter.failureIn(answer)
    const error = errorIn(answer)
    if (own === undefined && error === undefined) return undefined
    const { description } = error ?? {}
    return { error: own ?? error?.code, ...(description === undefined ? {} : { error_description: description }) }
  }

  return { ask, heard: () => exchange }
}

/** A vendor that wants JSON checks its members: the client is named in the header only. */
const jsonMembers = (headers: Readonly<Record<string, string>> | Headers, body: URLSearchParams) =>
  [...body].filter(([name]) => name !== 'client_id' || !new Headers(headers).has('authorization'))

/** JSON of whatever type it calls itself, else a form, as some servers of before RFC 6749 answer; undefined for anything else. */
async function answerIn(response: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await response.clone().text()
  try {
    const answer: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isObject(answer) ? answer : undefined
  } catch {
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(response.headers.get('content-type') ?? '')
    return isForm ? Object.fromEntries(new URLSearchParams(text.trim())) : undefined
  }
}

export const optionsOf = (ask: Send) => ({ [library.customFetch]: ask, [library.allowInsecureRequests]: true })

/** Throws `authority.*`. */
export async function askTokens(
  asking: TokenAsking,
  work: (line: ReturnType<typeof createLine>) => Promise<library.TokenEndpointResponse>,
): Promise<Tokens> {
  const line = createLine(asking)
  const { authority, egress, onRead } = asking
  const document = documentAt(KIND, authority.tokenEndpoint)
  try {
    const answer = await work(line)
    const { notes, answer: received } = line.heard()
    const tokens = tokensOf(answer, asking, received)
    onRead?.({ egress, kind: KIND, document, repaired: notes })
    return tokens
  } catch (thrown) {
    throw wordFailure(thrown, egress, { document, secrets: line.heard().secrets })
  }
}

/** The server and the client as the library is to judge this answer by: one issuer has two spellings, and any algorithm will do. */
export function judgedBy(
  server: ReturnType<typeof serverOf>,
  client: library.Client,
  { answer }: Heard,
): [ReturnType<typeof serverOf>, library.Client] {
  const read = readIdentityToken(answer['id_token'])
  if (read === undefined) return [server, client]
  const { header, claims } = read
  const issuer = isSameIssuer(claims['iss'], server.issuer) ? claims['iss'] : server.issuer
  return [
    { ...server, issuer },
    { ...client, id_token_signed_response_alg: String(header['alg']) },
  ]
}

function tokensOf(
  answer: library.TokenEndpointResponse,
  { adapter, egress, now, authority }: TokenAsking,
  received: Readonly<Record<string, unknown>>,
): Tokens {
  const bad = (problem: string) =>
    malformedAuthority(egress, `the ${documentAt(KIND, authority.tokenEndpoint)}: ${problem}`)
  const { access_token: access, refresh_token: refresh, expires_in: lives, scope, token_type: type } = answer
  if (type !== 'bearer') throw bad(`it returns tokens of the type ${type} instead of Bearer`)
  for (const token of [access, refresh ?? ''])
    if (token.length > MOST_TOKEN_CHARACTERS) throw bad('it returned a token that is too large to be sent')
  if (!/^[\x21-\x7e]+$/.test(access)) throw bad('it returned a token that is not valid in a header')
  const claims = authority.provider === 'mcp' ? library.getValidatedIdTokenClaims(answer) : undefined
  const account = claims === undefined ? adapter.accountIn(received) : { id: claims.sub, name: nameIn(claims) }
  return {
    access,
    refresh,
    tokenType: 'Bearer',
    expiresAt: lives === undefined ? undefined : new Date(now() + Math.min(lives, MOST_LIFE_SECONDS) * 1000),
    scopes: scope
      ?.split(' ')
      .filter((value) => SCOPE.test(value))
      .slice(0, MOST_SCOPES),
    account: { id: keepable(account.id), name: keepable(account.name) },
    more: {},
  }
}

const keepable = (text: string | undefined): string | undefined =>
  text === undefined || text.length > MOST_NAME_CHARACTERS || text.includes('\0') ? undefined : text

function nameIn(claims: library.IDToken): string | undefined {
  for (const name of ['preferred_username', 'email', 'name']) {
    const claim = claims[name]
    if (typeof claim === 'string' && claim !== '') return claim.slice(0, 255)
  }
  return undefined
}
