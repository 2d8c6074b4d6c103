/**
 * Where a browser may be sent after sign-in: a path of this gateway, or nowhere.
 *
 * An address that a stranger chose must not lead away from here under our name (CWE-601).
 */
const HERE = 'http://here.invalid'
/** Signing in leads to no sign-in: a link of a stranger would begin it at a provider of their choice under our name. */
const SIGN_IN = /^\/+sign-in(?:\/|$)/i

/** The path with its query, as browsers read it; undefined for whatever leads elsewhere or says nothing. */
export function nextOf(input: string | undefined): string | undefined {
  if (input === undefined || !input.startsWith('/') || input.length > 4096) return undefined
  // Browsers drop line breaks and tabs, and take a backslash for a slash: the same reader decides here.
  if (!URL.canParse(input, HERE)) return undefined
  const { origin, pathname, search, hash } = new URL(input, HERE)
  const path = pathname + search + hash
  return origin === HERE && !path.startsWith('//') && !SIGN_IN.test(decoded(pathname)) ? path : undefined
}

/** As a router reads it; what nobody can decode is below no sign-in. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}
