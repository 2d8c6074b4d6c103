/**
 * The scopes of an access token and how far each lets calls reach. They are a ladder: whoever may write may read.
 */
import { LIMITS, type Effect, type Limit } from '@toolway/contract'

const SCOPE: Readonly<Record<Limit, string>> = {
  read: 'tools:read',
  write: 'tools:write',
  execute: 'tools:execute',
}

/** The least first (MCP 2026-07-28, authorization: `scopes_supported` holds no more than is of use). */
export const SCOPES: readonly string[] = LIMITS.map((limit) => SCOPE[limit])

/** All that a limit comprises, which is what a challenge must name (MCP 2026-07-28, scope challenge handling). */
export const scopesOf = (limit: Limit): string => SCOPES.slice(0, LIMITS.indexOf(limit) + 1).join(' ')

/** How far a call of that effect needs to reach. */
export const limitFor = (effect: Effect): Limit => (effect === 'destructive' ? 'execute' : effect)

/** The farthest that a list of scopes asks for; undefined when it names none of ours. Others are left out of account. */
export function limitOf(scope: string | undefined): Limit | undefined {
  const requested = new Set(scope?.split(' '))
  return LIMITS.findLast((limit) => requested.has(SCOPE[limit]))
}

/**
 * The scopes suggested to a client without a token: enough to be useful, and none for destructive tools. The user decides in any
 * case.
 */
export const FIRST_SCOPES = scopesOf('write')
