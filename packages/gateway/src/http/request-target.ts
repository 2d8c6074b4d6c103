/**
 * Parses the target of a request. In the absolute form an authority precedes the path (RFC 9112, section 3.2.2), which every
 * server must accept, from any client.
 */
export interface Target {
  /** The target as it is without an authority. */
  readonly origin: string
  readonly authority: string | undefined
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i

export function targetOf(url: string): Target {
  const [whole = '', authority] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? [])
  if (authority === undefined) return { origin: url, authority }
  const rest = url.slice(whole.length)
  return { origin: rest.startsWith('/') ? rest : `/${rest}`, authority }
}

export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url
