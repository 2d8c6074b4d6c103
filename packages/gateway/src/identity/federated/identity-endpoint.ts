/**
 * A backend that is asked who a bearer is (ledger S1-ORG-05): a GET with the caller's own token, answered by
 * `{ user_id, email, org_id, role }`. Its addresses count as proven, unless it says of one that it is not (`email_verified`).
 *
 * Only what is no key and no token of ours is shown to it. No answer, or another one, lets nobody in.
 */
import { Fault } from '@toolway/contract'
import { z } from 'zod'
import { counts } from './email-proof.ts'
import type { Source } from './external-principals.ts'
import type { Fetch } from './issuer-tokens.ts'

export interface IdentityEndpointParts {
  readonly url: string
  readonly fetch: Fetch
  /** Whether a token is one of this gateway's, which nobody else is shown. */
  isOwn(bearer: string): boolean
  now(): number
}

/** Milliseconds: how long an answer is believed, and waited for. */
const BELIEVED_MS = 30_000
const TIMEOUT_MS = 5_000

const text = (most: number) => z.union([z.string().min(1).max(most), z.number().transform(String)])
const Answer = z.object({
  user_id: text(512),
  email: z.string().max(320).nullish(),
  email_verified: z.unknown().optional(),
  org_id: text(64).nullish(),
  role: z.string().max(64).nullish(),
})

export function createIdentityEndpoint({ url, fetch, isOwn, now }: IdentityEndpointParts): Source {
  const away = (cause: unknown) =>
    new Fault('gateway.not-ready', { problem: 'the owner of this token cannot be determined at the moment' }, { cause })

  async function get(bearer: string): Promise<Response> {
    const headers = { authorization: `Bearer ${bearer}`, accept: 'application/json' }
    return fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((thrown: unknown) => {
      throw away(thrown)
    })
  }

  return {
    takes: (bearer) => !isOwn(bearer),
    async ask(bearer) {
      const response = await get(bearer)
      if (response.status === 401 || response.status === 403 || response.status === 404)
        throw new Fault('token.unknown')
      if (response.status !== 200) throw away(new Error(`it responded with HTTP ${response.status}`))
      const answer = Answer.safeParse(await response.json().catch(() => undefined))
      if (!answer.success) throw away(answer.error)
      const { user_id: subject, email, email_verified: verified, org_id: organization, role } = answer.data
      return {
        source: 'identity',
        subject,
        email: counts(verified, 'issuer') ? (email ?? undefined) : undefined,
        organization: organization ?? undefined,
        role: role ?? undefined,
        until: now() + BELIEVED_MS,
      }
    },
  }
}
