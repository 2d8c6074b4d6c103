/**
 * The challenge of an MCP endpoint to a client without access: where to find out how to get a token, and for which scopes (RFC
 * 6750, section 3; RFC 9728, section 5.1; MCP 2026-07-28, authorization).
 */
import type { IncomingMessage } from 'node:http'
import { EFFECTS, type Fault } from '@toolway/contract'
import type { Endpoints } from '../../oauth/endpoints.ts'
import { PROTECTED_RESOURCE } from '../../oauth/metadata.ts'
import { FIRST_SCOPES, limitFor, scopesOf } from '../../oauth/scopes.ts'
import { pathOf } from '../request-target.ts'

/** The value of WWW-Authenticate, for a fault that has one. */
export type Challenge = (fault: Fault, request: IncomingMessage) => string | undefined

export const createChallenge =
  ({ rootFor }: Pick<Endpoints, 'rootFor'>): Challenge =>
  (fault, request) => {
    // Below the same root as the address that was asked, so that whoever reached the one reaches the other.
    const path = pathOf(request.url ?? '/').replace(/\/$/, '')
    const where = `${rootFor(request.headers.host)}${PROTECTED_RESOURCE}${path}`
    if (fault.code === 'scope.insufficient') {
      const needed = EFFECTS.find((effect) => effect === fault.facts['needed']) ?? 'destructive'
      const scope = scopesOf(limitFor(needed))
      return line({ error: 'insufficient_scope', scope, resource_metadata: where, error_description: fault.message })
    }
    if (fault.row.http !== 401) return undefined
    const refused = fault.code === 'key.missing' ? {} : { error: 'invalid_token', error_description: fault.message }
    return line({ ...refused, resource_metadata: where, scope: FIRST_SCOPES })
  }

/** Quotes and backslashes would end a quoted text early (RFC 9110, section 5.6.4). */
const line = (facts: Readonly<Record<string, string | undefined>>): string =>
  `Bearer ${Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}="${value.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`)
    .join(', ')}`
