/**
 * A cookie of one way through another site and back: SameSite=Lax, because that site's link leads back here (RFC 6265bis, section 5.2).
 * Cookies of a session are Strict, and none of these.
 */
export interface LaxCookie {
  readonly path: string
  /** 0 takes it away. */
  readonly seconds: number
  readonly secure: boolean
}

export const laxCookie = (name: string, value: string, { path, seconds, secure }: LaxCookie): string =>
  `${name}=${value}; Path=${path}; Max-Age=${seconds}; SameSite=Lax; HttpOnly${secure ? '; Secure' : ''}`
