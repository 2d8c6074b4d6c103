/** Identifies the caller of the admin interface: by the Authorization header, else by the cookies of a browser. */
import { Fault } from '@toolway/contract'
import type { Principal } from '../../identity/principal.ts'
import type { WebSession } from '../sign-in/web-session.ts'

export interface CallerParts {
  /** Throws `key.missing` or `key.unknown`. */
  identify(authorization: string | undefined): Principal | Promise<Principal>
  readonly web: Pick<WebSession, 'identify' | 'checkCsrf'>
  /** The URL for which a token must have been issued. */
  publicUrl(): string
}

/** Of one request. */
export interface CallerHead {
  readonly method: string
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  readonly csrf: string | undefined
}

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns the principal of a request. A request with cookies that changes something also needs the CSRF token. */
export async function whoAsks({ identify, web, publicUrl }: CallerParts, head: CallerHead): Promise<Principal> {
  const { authorization, method } = head
  const browser = authorization === undefined ? await web.identify(head.cookie) : undefined
  if (browser !== undefined) {
    if (!HARMLESS.has(method)) web.checkCsrf(browser.signInId, head.csrf)
    return browser
  }
  const principal = await identify(authorization)
  // A token for one MCP endpoint is no token for this interface (RFC 8707).
  if (principal.resource !== undefined && principal.resource !== publicUrl()) throw new Fault('token.unknown')
  return principal
}
