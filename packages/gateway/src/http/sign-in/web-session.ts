/**
 * The cookies of a browser: an access token that scripts cannot read, a refresh token that only sign-in's own addresses get,
 * and a CSRF token that is bound to the sign-in by HMAC (OWASP, signed double submit).
 *
 * Only the admin door, the gateway's own pages and the console's own way to the tools look at them; MCP endpoints never do.
 */
import { Fault, type FamilyId } from '@toolway/contract'
import type { WebCookies } from '../../features/people/index.ts'
import { TOKEN_FORM } from '../../identity/access-tokens.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Vault } from '../../vault/vault.ts'

export interface WebSessionParts {
  /** Throws for what is not known. */
  identify(authorization: string): Principal | Promise<Principal>
  readonly vault: Pick<Vault, 'sign' | 'verify'>
  /** Without a slash at its end; https makes the cookies Secure. */
  publicUrl(): string
}

export interface WebSession extends WebCookies {
  /** Returns the principal signed in by the cookies; undefined without a valid sign-in. */
  principalOf(cookies: string | undefined): Promise<Principal | undefined>
  /** The same, but it throws `token.expired` or `token.unknown` for cookies that are not good any more. */
  identify(cookies: string | undefined): Promise<Principal | undefined>
  /** The Authorization that the cookies stand for, whether it is good or not. Nothing of it may leave the gateway. */
  authorizationOf(cookies: string | undefined): string | undefined
  /** Returns the CSRF token that a form (field `csrf`) or a script (header `X-CSRF-Token`) must send with every change. */
  csrfOf(signInId: FamilyId): string
}

const REFRESH_PATH = '/api/v1/auth'
const CSRF = 'csrf'

export function createWebSession({ identify, vault, publicUrl }: WebSessionParts): WebSession {
  const isSecure = () => publicUrl().startsWith('https:')
  const names = () => {
    const secure = isSecure()
    return {
      access: secure ? '__Host-toolway_access' : 'toolway_access',
      // `__Host-` would open it to every path.
      refresh: secure ? '__Secure-toolway_refresh' : 'toolway_refresh',
      csrf: 'toolway_csrf',
    }
  }
  const line = (name: string, value: string, path: string, seconds: number, readable = false) =>
    `${name}=${value}; Path=${path}; Max-Age=${seconds}; SameSite=Strict${readable ? '' : '; HttpOnly'}${isSecure() ? '; Secure' : ''}`

  function authorizationOf(cookies: string | undefined): string | undefined {
    const token = cookieOf(cookies, names().access)
    return token === undefined || !TOKEN_FORM.test(token) ? undefined : `Bearer ${token}`
  }

  async function principalOf(cookies: string | undefined): Promise<Principal | undefined> {
    const authorization = authorizationOf(cookies)
    if (authorization === undefined) return undefined
    const principal = await identify(authorization)
    if (principal.resource !== publicUrl()) throw new Fault('token.unknown')
    return principal
  }

  return {
    identify: principalOf,
    authorizationOf,
    async principalOf(cookies) {
      try {
        return await principalOf(cookies)
      } catch (thrown) {
        if (Fault.of(thrown).row.http === 401) return undefined
        throw thrown
      }
    },
    csrfOf: (signInId) => vault.sign(signInId, CSRF),
    checkCsrf(signInId, input) {
      if (signInId === undefined || input === undefined || !vault.verify(signInId, input, CSRF))
        throw new Fault('request.csrf')
    },
    refreshTokenOf: (cookies) => cookieOf(cookies, names().refresh),
    cookiesFor({ accessToken, refreshToken, expiresIn, refreshExpiresIn, signInId }) {
      const { access, refresh, csrf } = names()
      return [
        line(access, accessToken, '/', expiresIn),
        line(refresh, refreshToken, REFRESH_PATH, refreshExpiresIn),
        line(csrf, vault.sign(signInId, CSRF), '/', refreshExpiresIn, true),
      ]
    },
    clearing() {
      const { access, refresh, csrf } = names()
      return [line(access, '', '/', 0), line(refresh, '', REFRESH_PATH, 0), line(csrf, '', '/', 0, true)]
    },
  }
}

/** The first of that name (RFC 6265, section 5.4: the most specific path comes first). */
export function cookieOf(cookies: string | undefined, name: string): string | undefined {
  for (const pair of cookies?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
