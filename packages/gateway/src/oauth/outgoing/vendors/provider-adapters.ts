/**
 * How a vendor's answers are read and its tokens taken back, by its row in the provider table; what has no row keeps to the standard.
 *
 * What comes out has the words of RFC 6749: whoever asks knows of no vendor. Nothing is sent from here.
 */
import { providerAt, type Authority, type ClaimPath, type Provider, type Revocation } from '@toolway/contract'
import { isObject } from '@toolway/protocol'
import { basicOf } from '../protocol/client-proof.ts'
import type { ClientIdentity, Tokens, ProviderAdapter } from '../ports.ts'

type Answer = Readonly<Record<string, unknown>>

const NOBODY: Tokens['account'] = { id: undefined, name: undefined }

const STANDARD: ProviderAdapter = {
  scopeParameter: 'scope',
  scopeSeparator: ' ',
  authorizationParameters: {},
  tokenBody: 'form',
  tokensIn: (answer) => answer,
  failureIn: () => undefined,
  accountIn: () => NOBODY,
}

/** `mcp`, and every name that no vendor has, differs in nothing. A server that somebody runs themselves is asked at its own addresses. */
export function adapterOf(authority: AdaptedAuthority): ProviderAdapter {
  const row = providerAt(authority)
  if (row === undefined) return STANDARD
  const { scopeParameter, scopeSeparator, authorizationParameters, tokenBody, revocation, revokes } = row
  return {
    scopeParameter,
    scopeSeparator,
    authorizationParameters,
    tokenBody,
    tokensIn: (answer) => tokensIn(row, answer),
    failureIn: (answer) => failureIn(row, answer),
    accountIn: (answer) => ({ id: firstOf(row.account.id, answer), name: firstOf(row.account.name, answer) }),
    ...(revocation === undefined
      ? {}
      : { revocation: (client, token) => revocationOf(revocationAt(revocation, authority), client, token) }),
    ...(revokes === undefined ? {} : { revokes }),
  }
}

type AdaptedAuthority = Pick<Authority, 'provider' | 'authorizationEndpoint' | 'tokenEndpoint' | 'revocationEndpoint'>

const revocationAt = (revocation: Revocation, { revocationEndpoint: url }: AdaptedAuthority): Revocation =>
  url === undefined ? revocation : { ...revocation, url }

/** Members as RFC 6749, section 5.1, names and writes them: vendors separate scopes by commas, or call what they give `user`. */
function tokensIn({ tokensAt, accessLives }: Provider, answer: Answer): Answer {
  const inner = tokensAt === undefined ? undefined : answer[tokensAt]
  const tokens = isObject(inner) && typeof inner['access_token'] === 'string' ? inner : answer
  const scopes = tokens['scope'] ?? tokens['scopes']
  const scope = Array.isArray(scopes) ? scopes.join(' ') : scopes
  return {
    ...tokens,
    token_type: 'bearer',
    ...(typeof scope === 'string'
      ? {
          scope: scope
            .split(/[\s,]+/)
            .join(' ')
            .trim(),
        }
      : {}),
    ...(tokens['expires_in'] === undefined && accessLives !== undefined ? { expires_in: accessLives } : {}),
  }
}

function failureIn({ failsWith, failureMember, failures }: Provider, answer: Answer): string | undefined {
  if (failsWith === 'ok-false' && answer['ok'] !== false) return undefined
  const code = answer[failureMember] ?? answer['error']
  if (typeof code !== 'string') return failsWith === 'ok-false' ? 'server_error' : undefined
  return Object.hasOwn(failures, code) ? failures[code] : code
}

function revocationOf(
  { url, method, proof, body, parameter, headers }: Revocation,
  client: ClientIdentity,
  token: string,
) {
  const authorization =
    proof === 'bearer' ? `Bearer ${token}` : proof === 'basic' ? `Basic ${basicOf(client)}` : undefined
  const type = body === 'json' ? 'application/json' : body === 'form' ? 'application/x-www-form-urlencoded' : undefined
  const text =
    body === 'json'
      ? JSON.stringify({ [parameter]: token })
      : body === 'form'
        ? new URLSearchParams({ [parameter]: token }).toString()
        : undefined
  return {
    url: url.replace('{clientId}', encodeURIComponent(client.clientId)),
    method,
    headers: {
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    body: text,
  }
}

function firstOf(places: readonly ClaimPath[], answer: Answer): string | undefined {
  for (const claimPath of places) {
    const from = claimPath.in === 'answer' ? answer : claimsOf(answer['id_token'])
    const found = claimPath.path.split('.').reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), from)
    if (typeof found === 'string' && found !== '') return found
  }
  return undefined
}

/**
 * Returns the claims of the identity token. It came straight from the token endpoint over TLS, which vouches for it in place of
 * its signature (OpenID Connect Core 1.0, section 3.1.3.7, item 6); it names an account for users, and grants no access.
 */
function claimsOf(token: unknown): unknown {
  if (typeof token !== 'string') return undefined
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
