/**
 * Where a browser may be sent after sign-in: a path of this gateway, or nowhere.
 *
 * An address that a stranger chose must not lead away from here under our name (CWE-601).
 */
const HERE = 'http://here.invalid'

/** The path with its query, as browsers read it; undefined for whatever leads elsewhere or says nothing. */
export function nextOf(input: string | undefined): string | undefined {
  if (input === undefined || !input.startsWith('/') || input.length > 4096) return undefined
  // Browsers drop line breaks and tabs, and take a backslash for a slash: the same reader decides here.
  if (!URL.canParse(input, HERE)) return undefined
  const { origin, pathname, search, hash } = new URL(input, HERE)
  const path = pathname + search + hash
  return origin === HERE && !path.startsWith('//') ? path : undefined
}
