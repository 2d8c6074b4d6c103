/**
 * Whose account it is, where the authorization server tells it at its UserInfo endpoint (OpenID Connect Core 1.0, section 5.3): asked once,
 * with the new token, when that may read it and the token itself did not say.
 *
 * It names the account for people and grants nothing, so that no failure here fails a sign-in. An answer about another subject than the
 * identity token's is not believed (section 5.3.2).
 */
import type { Authority } from '@toolway/contract'
import { isObject } from '@toolway/protocol'
import { createGuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { Egress, Tokens } from '../ports.ts'

/** Milliseconds that a person waits for a name at most. */
const PATIENCE_MS = 5_000
const MOST_BYTES = 64 * 1024
const MOST_NAME = 255

export interface UserinfoRequest {
  readonly authority: Pick<Authority, 'userinfoEndpoint'>
  readonly tokens: Pick<Tokens, 'access' | 'scopes' | 'account'>
  /** The scopes that were requested; they are granted unless the answer names others (RFC 6749, section 5.1). */
  readonly requested: readonly string[]
}

/** The account of the token, with whatever more is told of it. It never rejects. */
export async function accountAt(
  { authority: { userinfoEndpoint: url }, tokens, requested }: UserinfoRequest,
  egress: Egress,
): Promise<Tokens['account']> {
  const { account, access, scopes = requested } = tokens
  if (url === undefined || account.name !== undefined || !scopes.includes('openid')) return account
  try {
    const get = createGuardedFetch(egress, { patience: PATIENCE_MS, mostBytes: MOST_BYTES })
    const response = await get(url, { headers: { accept: 'application/json', authorization: `Bearer ${access}` } })
    if (response.status !== 200) return account
    const claims: unknown = await response.json()
    if (!isObject(claims)) return account
    const id = textIn(claims['sub'])
    if (id === undefined || (account.id !== undefined && account.id !== id)) return account
    const name = ['preferred_username', 'email', 'name']
      .map((claim) => textIn(claims[claim]))
      .find((name) => name !== undefined)
    return { id, name }
  } catch {
    return account
  }
}

/** Longer ones are no names, and PostgreSQL keeps no zero byte. */
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MOST_NAME && !value.includes('\0') ? value : undefined
