/**
 * Who asks something of the admin interface: by the Authorization header, else by the cookies of a browser. What a credential is for
 * is looked at here too, whatever its holder may.
 */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { Principal } from '../../identity/principal.ts'
import type { WebSession } from '../sign-in/web-session.ts'

export interface CallerParts {
  /** Throws `key.missing` or `key.unknown`. */
  identify(authorization: string | undefined): Principal | Promise<Principal>
  readonly web: Pick<WebSession, 'identify' | 'checkCsrf'>
  /** What a token must have been made for. */
  publicUrl(): string
}

/** Of one request. */
export interface Knock {
  readonly method: string
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  readonly csrf: string | undefined
}

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What changes something needs the CSRF token beside cookies. */
export async function whoAsks({ identify, web, publicUrl }: CallerParts, knock: Knock): Promise<Principal> {
  const { authorization, method } = knock
  const browser = authorization === undefined ? await web.identify(knock.cookie) : undefined
  if (browser !== undefined) {
    if (!HARMLESS.has(method)) web.checkCsrf(browser.signInId, knock.csrf)
    return browser
  }
  const principal = await identify(authorization)
  // A token for one MCP endpoint is no token for this interface (RFC 8707).
  if (principal.resource !== undefined && principal.resource !== publicUrl()) throw new Fault('token.unknown')
  return principal
}

/**
 * What a credential is for, whatever its holder may: one of a single toolset or for a single endpoint administers nothing, and
 * one that only reads changes nothing.
 */
export function refuseBeyond(
  principal: Principal | undefined,
  { method, needs, harmless }: Pick<Operation, 'method' | 'needs' | 'harmless'>,
): void {
  if (principal === undefined || harmless) return
  if (principal.toolset !== undefined) throw new Fault('key.limit', { limit: `the toolset ${principal.toolset}` })
  if (method !== 'GET' && principal.limit === 'read') throw new Fault('key.limit', { limit: 'reading' })
  // What is bound to one organization has no say over all of them.
  if (needs.of === 'platform' && principal.organizationId !== undefined)
    throw new Fault('role.forbidden', { role: 'one organization', permission: needs.permission })
}
