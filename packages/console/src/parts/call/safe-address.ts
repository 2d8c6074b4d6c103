/** Where a link that a server gave may lead: over http and https, and nowhere that runs something. */
export function safeAddress(text: unknown): URL | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined
}
