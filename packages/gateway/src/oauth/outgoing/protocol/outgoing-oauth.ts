/**
 * Toolway as a client of an authorization server: each step of a person's way, and what is done with the tokens later (OAuth 2.1, RFC
 * 7009, 7591, 7636, 8414, 8707, 9207, 9728).
 *
 * It keeps nothing and knows no organization; whoever asks has the client, the verifier and the tokens. `resource` is sent wherever a
 * token is asked for, to the letter of the metadata. Nothing is sent twice.
 */
import type { Authority } from '@toolway/contract'
import * as library from 'oauth4webapi'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import {
  askTokens,
  clientOf,
  createLine,
  judgedBy,
  optionsOf,
  serverOf,
  type TokenAsking,
} from './ask-token-endpoint.ts'
import { proofOf } from './client-proof.ts'
import { discover } from './discover.ts'
import type { Egress, OutgoingOAuth, ProviderAdapter } from '../ports.ts'
import { accountAt } from './userinfo.ts'
import { register } from './register.ts'
import { codeIn, errorIn, wordError } from './server-words.ts'
import { documentAt, refusedByAuthority, unreachable, wordFailure, type OnRead } from './word-failure.ts'

export interface OutgoingOAuthParts {
  /** Milliseconds. */
  readonly now: () => number
  adapter(authority: Authority): ProviderAdapter
  /** An answer was read; it says what was repaired in it. */
  readonly onRead?: OnRead | undefined
}

const resourceOf = ({ resource }: Authority): Record<string, string> => (resource === undefined ? {} : { resource })

/** Vendors fail with status 200, too. */
async function failureOf(response: Response, { failureIn }: ProviderAdapter): Promise<string | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  return typeof answer === 'object' && answer !== null ? failureIn(answer as Record<string, unknown>) : undefined
}

/** Lasting access is given where a person is asked for it, and left out without a word elsewhere (OpenID Connect Core, section 11). */
const standingGrantOf = ({ provider }: Authority, scopes: readonly string[]): Record<string, string> =>
  provider === 'mcp' && scopes.includes('offline_access') ? { prompt: 'consent' } : {}

const revocationAt = ({ revocationEndpoint: url }: Authority): string => documentAt('revocation response', url ?? '')

/** Whatever a server says beside a success, the token is gone; so it is where the server no longer knows it (RFC 7009, section 2.2). */
async function judgeRevocation(response: Response, secrets: readonly string[], egress: Egress): Promise<void> {
  const { status, ok } = response
  if (status === 429 || status >= 500) throw unreachable(egress, `it responded with HTTP ${status}`)
  const error = errorIn(await response.json().catch(() => undefined))
  if (error?.code === 'invalid_token') return
  if (error !== undefined) throw refusedByAuthority(egress, wordError(error, secrets))
  if (!ok) throw refusedByAuthority(egress, `it did not revoke the token (HTTP ${status})`)
}

const codeOf = async (response: Response): Promise<string | undefined> =>
  response.ok
    ? undefined
    : errorIn(
        await response
          .clone()
          .json()
          .catch(() => undefined),
      )?.code

/** `error=` beside a code says that there was none. */
function withoutEmpty(answer: URLSearchParams): URLSearchParams {
  const clean = new URLSearchParams(answer)
  if (clean.has('code') && clean.getAll('error').every((error) => error === '')) clean.delete('error')
  return clean
}

export function createOutgoingOAuth({ now, adapter, onRead }: OutgoingOAuthParts): OutgoingOAuth {
  const askingOf = (at: Pick<TokenAsking, 'authority' | 'client'>, egress: TokenAsking['egress']): TokenAsking => ({
    ...at,
    adapter: adapter(at.authority),
    egress,
    now,
    onRead,
  })

  return {
    discover: (server) => discover({ ...server, onRead }),
    register: (authority, words, egress) => register(authority, words, egress, onRead),

    async authorizationUrl({ authority, client, redirectUri, state, verifier, scopes }) {
      const { scopeParameter, scopeSeparator, authorizationParameters } = adapter(authority)
      const url = new URL(authority.authorizationEndpoint)
      const words = {
        ...authorizationParameters,
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(scopes.length === 0 ? {} : { [scopeParameter]: scopes.join(scopeSeparator) }),
        ...standingGrantOf(authority, scopes),
        ...resourceOf(authority),
      }
      for (const [name, value] of Object.entries(words)) url.searchParams.set(name, value)
      return url
    },

    async exchange({ authority, client, redirectUri, verifier, answer, scopes: requested = [] }, egress) {
      const [server, known] = [serverOf(authority), clientOf(client)]
      const tokens = await askTokens(askingOf({ authority, client }, egress), async ({ ask, heard }) => {
        // The state has been judged by whoever keeps it; `iss` is judged before an error is believed (RFC 9207, section 2.4).
        const judged = library.validateAuthResponse(server, known, withoutEmpty(answer), library.skipStateCheck)
        const response = await library.authorizationCodeGrantRequest(
          server,
          known,
          proofOf(client),
          judged,
          redirectUri,
          verifier,
          { ...optionsOf(ask), additionalParameters: resourceOf(authority) },
        )
        return library.processAuthorizationCodeResponse(...judgedBy(server, known, heard()), response)
      })
      return { ...tokens, account: await accountAt({ authority, tokens, requested }, egress) }
    },

    refresh({ authority, client, refreshToken }, egress) {
      const [server, known] = [serverOf(authority), clientOf(client)]
      return askTokens(askingOf({ authority, client }, egress), async ({ ask, heard }) => {
        const options = { ...optionsOf(ask), additionalParameters: resourceOf(authority) }
        const response = await library.refreshTokenGrantRequest(server, known, proofOf(client), refreshToken, options)
        return library.processRefreshTokenResponse(...judgedBy(server, known, heard()), response)
      })
    },

    async revoke({ authority, client, token, hint }, egress) {
      const vendor = adapter(authority)
      if (vendor.revokes?.includes(hint) === false) return
      const own = vendor.revocation?.(client, token)
      if (own === undefined && authority.revocationEndpoint === undefined) return
      try {
        if (own !== undefined) await revokeAtVendor(own, vendor, egress)
        else await revokeByStandard({ authority, client, token, hint }, vendor, egress)
      } catch (thrown) {
        throw wordFailure(thrown, egress, { document: revocationAt(authority) })
      }
    },
  }
}

/** As a vendor has it in place of RFC 7009. */
async function revokeAtVendor(
  { url, ...request }: NonNullable<ReturnType<NonNullable<ProviderAdapter['revocation']>>>,
  vendor: ProviderAdapter,
  egress: Egress,
): Promise<void> {
  const response = await createGuardedFetch(egress)(url, request)
  const { status } = response
  if (status === 429 || status >= 500) throw unreachable(egress, `it responded with HTTP ${status}`)
  const failure = await failureOf(response, vendor)
  if (status >= 400 || failure !== undefined)
    throw refusedByAuthority(egress, `it did not revoke the token (${codeIn(failure ?? `HTTP ${status}`)})`)
}

/** RFC 7009. */
async function revokeByStandard(
  { authority, client, token, hint }: Parameters<OutgoingOAuth['revoke']>[0],
  vendor: ProviderAdapter,
  egress: Egress,
): Promise<void> {
  const { ask, heard } = createLine({ adapter: vendor, egress, authority })
  const revokeWith = (more: Record<string, string>) =>
    library.revocationRequest(serverOf(authority), clientOf(client), proofOf(client), token, {
      ...optionsOf(ask),
      additionalParameters: { token_type_hint: hint, ...more },
    })
  const response = await revokeWith({})
  // Servers on the Python SDK want the member there, whatever it is; others refuse it beside a header, so it is not sent first.
  const isRefused = client.method !== 'client_secret_post' && (await codeOf(response)) === 'invalid_request'
  await judgeRevocation(isRefused ? await revokeWith({ client_secret: '' }) : response, heard().secrets, egress)
}
