/**
 * Where a server sends a request on to, as far as that is followed: to the same origin, with the same method, body and headers.
 *
 * Credentials go nowhere else. A POST is never turned into a GET, which would drop the message (RFC 9110, sections 15.4.2 and 15.4.3).
 */

/** Hops of one request. */
export const MOST_HOPS = 3
/** RFC 9110, sections 15.4.8 and 15.4.9: the method stays. */
const KEEPS_METHOD = new Set([307, 308])
const FOR_READING = new Set([301, 302, 303])
/** Characters of an address that are told. */
const LONGEST = 200

/** Path and query that a request is sent on to; undefined where it is not followed. */
export function redirectedPath(
  { origin, path }: { readonly origin: string; readonly path: string },
  method: string,
  status: number,
  location: string | undefined,
): string | undefined {
  if (location === undefined || !(KEEPS_METHOD.has(status) || (method === 'GET' && FOR_READING.has(status))))
    return undefined
  const target = URL.parse(location, origin + path)
  return target !== null && target.origin === new URL(origin).origin ? target.pathname + target.search : undefined
}

/** The address as a sentence may name it: without a query, which may contain a secret. */
export function wordsOfTarget(origin: string | undefined, location: string | undefined): string | undefined {
  const target = location === undefined ? null : URL.parse(location, origin)
  return target === null ? undefined : `${target.origin}${target.pathname}`.slice(0, LONGEST)
}
