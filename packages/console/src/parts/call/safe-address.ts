/** Where a link that a server gave may lead: over http and https, nowhere that runs something, and with no name before the host, which could pass for it. */
export function safeAddress(text: unknown): URL | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined
}
