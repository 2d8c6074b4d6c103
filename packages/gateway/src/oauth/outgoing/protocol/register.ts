/**
 * Registering us at an authorization server that knows nobody yet (RFC 7591; OpenID Connect Registration for `application_type`).
 */
import { ClientAuthMethod, type Authority } from '@toolway/contract'
import { z } from 'zod'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { Egress, OutgoingOAuth } from '../ports.ts'
import { codeIn, malformed, refused, unreachable, wordFailure } from './word-failure.ts'

/** Servers leave out what they must say, above all when a secret ends; what is missing is as it was asked for. */
const Registered = z.looseObject({
  client_id: z.string().min(1).max(2_000),
  client_secret: z.string().max(4_096).optional(),
  client_secret_expires_at: z.number().optional().catch(undefined),
  token_endpoint_auth_method: ClientAuthMethod.optional().catch(undefined),
})
const Refusal = z.looseObject({ error: z.string() })

export const register: OutgoingOAuth['register'] = async (authority, { redirectUris, name, scopes }, egress) => {
  const { registrationEndpoint } = authority
  if (registrationEndpoint === undefined) throw refused(egress, 'it does not register clients')
  const method = methodFor(authority)
  const words = {
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // Plain http is for programs on the person's own machine.
    application_type: redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  const registered = await post(registrationEndpoint, words, egress)
  const ends = registered.client_secret_expires_at
  return {
    clientId: registered.client_id,
    secret: registered.client_secret,
    method: registered.client_secret === undefined ? 'none' : methodAs(registered.token_endpoint_auth_method ?? method),
    secretExpiresAt: ends === undefined || ends === 0 ? undefined : new Date(ends * 1000),
  }
}

/** A secret that a server gives is used, whatever else it says. */
const methodAs = (method: ClientAuthMethod): ClientAuthMethod => (method === 'none' ? 'client_secret_post' : method)

/** With a secret wherever it is taken: we can keep one. `client_secret_basic` is what a server takes that says nothing (RFC 8414). */
function methodFor({ tokenAuthMethods: taken }: Authority): ClientAuthMethod {
  if (taken.length === 0) return 'client_secret_basic'
  return (['client_secret_basic', 'client_secret_post'] as const).find((method) => taken.includes(method)) ?? 'none'
}

async function post(url: string, words: object, egress: Egress) {
  const send = createGuardedFetch(egress)
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await send(url, { method: 'POST', headers, body: JSON.stringify(words) }).catch(
    (thrown: unknown) => {
      throw wordFailure(thrown, egress)
    },
  )
  const { status } = response
  if (status === 429 || status >= 500) throw unreachable(egress, `its registration responded with HTTP ${status}`)
  const answer: unknown = await response.json().catch(() => undefined)
  if (status >= 400) {
    const said = Refusal.safeParse(answer)
    throw refused(
      egress,
      `it refused to register this gateway (${said.success ? codeIn(said.data.error) : `HTTP ${status}`})`,
    )
  }
  const parsed = Registered.safeParse(answer)
  if (!parsed.success) throw malformed(egress, 'its registration response has no client ID')
  return parsed.data
}
