/**
 * Registering us at an authorization server that knows nobody yet (RFC 7591; OpenID Connect Registration for `application_type`).
 *
 * A server that refuses what it was sent is asked again with less, at most twice: it registered nobody. A client without a secret is
 * protected by PKCE as any other.
 */
import { ClientAuthMethod, type Authority } from '@toolway/contract'
import { z } from 'zod'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { Egress, OutgoingOAuth } from '../ports.ts'
import { errorIn, wordError } from './server-words.ts'
import { tidyRegistration } from './tidy-answer.ts'
import {
  documentAt,
  malformedAuthority,
  refusedByAuthority,
  unreachable,
  wordFailure,
  type OnRead,
} from './word-failure.ts'

const KIND = 'registration response'

/** Servers leave out what they must say, above all when a secret ends; what is missing is as it was asked for. */
const Registered = z.looseObject({
  client_id: z.string().min(1).max(2_000),
  client_secret: z.string().max(4_096).optional(),
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: ClientAuthMethod.optional().catch(undefined),
})

export async function register(
  authority: Authority,
  { redirectUris, name, scopes }: Parameters<OutgoingOAuth['register']>[1],
  egress: Egress,
  onRead?: OnRead,
): ReturnType<OutgoingOAuth['register']> {
  const { registrationEndpoint } = authority
  if (registrationEndpoint === undefined) throw refusedByAuthority(egress, 'it does not register clients')
  const method = methodFor(authority)
  const members = {
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // Plain http is for programs on the person's own machine.
    application_type: redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  const document = documentAt(KIND, registrationEndpoint)
  const { answer, attempt } = await tryEach(registrationEndpoint, attemptsOf(members), { document, egress })
  const tidied = tidyRegistration(answer)
  const parsed = Registered.safeParse(tidied?.answer)
  if (!parsed.success) throw malformedAuthority(egress, `the ${document}: ${problemIn(tidied?.answer)}`)
  onRead?.({ egress, kind: KIND, document, repaired: [...attempt.notes, ...(tidied?.notes ?? [])] })
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: ends } = parsed.data
  const granted = parsed.data.token_endpoint_auth_method ?? attempt.members.token_endpoint_auth_method
  return {
    clientId,
    secret,
    method: secret === undefined ? 'none' : methodAs(granted),
    secretExpiresAt: ends === undefined || ends === 0 ? undefined : new Date(ends * 1000),
  }
}

function problemIn(answer: Readonly<Record<string, unknown>> | undefined): string {
  if (answer === undefined) return 'is not a JSON object'
  const { client_id: id } = answer
  if (id === undefined || id === null || id === '') return 'has no client_id'
  return typeof id === 'string' ? 'client_id or client_secret is too long' : 'client_id is not a text'
}

interface Members {
  readonly token_endpoint_auth_method: ClientAuthMethod
  readonly application_type?: string
  readonly scope?: string
}

interface Attempt {
  readonly members: Members
  readonly notes: readonly string[]
  /** The errors after which it is tried; undefined: the first one. */
  readonly after?: ReadonlySet<string>
}

/** What a refusal may be about a member (RFC 7591, section 3.2.2; RFC 6749, section 5.2); after any other one nothing is tried. */
const OF_MEMBERS: ReadonlySet<string> = new Set([
  'invalid_client_metadata',
  'invalid_request',
  'invalid_scope',
  'HTTP 400',
  'HTTP 422',
])
const OF_METADATA: ReadonlySet<string> = new Set(['invalid_client_metadata'])

/** As we are; without the members that are not OAuth's own or that a server knows better; and as a client without a secret. */
function attemptsOf(members: Members): [Attempt, ...Attempt[]] {
  const { application_type: _type, scope, ...fewer } = members
  const without = `application_type${scope === undefined ? '' : ' and scope'}`
  const notes = [`a registration with ${without} was refused; it was made without`]
  const open = { ...fewer, token_endpoint_auth_method: 'none' as const }
  return [
    { members, notes: [] },
    { members: fewer, notes, after: OF_MEMBERS },
    ...(members.token_endpoint_auth_method === 'none'
      ? []
      : [
          {
            members: open,
            notes: [...notes, 'a client with a secret was refused; it was registered without'],
            after: OF_METADATA,
          },
        ]),
  ]
}

/** A secret that a server gives is used, whatever else it says. */
const methodAs = (method: ClientAuthMethod): ClientAuthMethod => (method === 'none' ? 'client_secret_post' : method)

/** With a secret wherever it is taken: we can keep one. `client_secret_basic` is what a server takes that says nothing (RFC 8414). */
function methodFor({ tokenAuthMethods: taken }: Authority): ClientAuthMethod {
  if (taken.length === 0) return 'client_secret_basic'
  return (['client_secret_basic', 'client_secret_post'] as const).find((method) => taken.includes(method)) ?? 'none'
}

type At = { readonly document: string; readonly egress: Egress }

/** One after the other, while the server says that what it was sent is not valid: nobody was registered then. */
async function tryEach(url: string, [first, ...others]: [Attempt, ...Attempt[]], at: At) {
  const answered = await post(url, first.members, at)
  if (!('refusal' in answered)) return { answer: answered.answer, attempt: first }
  let last = answered
  for (const attempt of others) {
    if (attempt.after?.has(last.code) === false) break
    const next = await post(url, attempt.members, at)
    if (!('refusal' in next)) return { answer: next.answer, attempt }
    last = next
  }
  // What it said of the whole one: a later complaint is about what we would not have sent.
  throw refusedByAuthority(at.egress, `it refused to register this gateway (${answered.refusal})`)
}

type Answered = { readonly answer: unknown } | { readonly code: string; readonly refusal: string }

async function post(url: string, members: Members, { document, egress }: At): Promise<Answered> {
  const send = createGuardedFetch(egress)
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await send(url, { method: 'POST', headers, body: JSON.stringify(members) }).catch(
    (thrown: unknown) => {
      throw wordFailure(thrown, egress, { document })
    },
  )
  const { status, ok } = response
  if (status === 429 || status >= 500) throw unreachable(egress, `its registration responded with HTTP ${status}`)
  const answer: unknown = await response.json().catch(() => undefined)
  const error = errorIn(answer)
  if (status >= 400 || error !== undefined) {
    const code = error?.code ?? `HTTP ${status}`
    return { code, refusal: error === undefined ? code : wordError(error) }
  }
  if (!ok) throw malformedAuthority(egress, `the ${document}: it responded with HTTP ${status}`)
  return { answer }
}
