/**
 * Parses the Bearer challenge of a `WWW-Authenticate` header, which may contain several challenges (RFC 9110, section 11.6.1; RFC
 * 6750, section 3; RFC 9728, section 5.1).
 *
 * The header is untrusted: malformed parts are ignored, and nothing is thrown.
 */
import type { Challenge } from '../ports.ts'

/** Characters; a header that is longer is read no further. */
const MOST = 16 * 1024
const WORD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+/
const SPACE = /^[\s,]*/
const PAIR = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/

interface Read {
  readonly scheme: string
  readonly parameters: Map<string, string>
}

/** Undefined where no challenge in it is a Bearer's. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const found = header === undefined ? undefined : challengesIn(header.slice(0, MOST)).find(isBearer)
  if (found === undefined) return undefined
  const { parameters } = found
  return {
    resourceMetadata: parameters.get('resource_metadata'),
    scope: parameters.get('scope'),
    error: parameters.get('error'),
  }
}

const isBearer = ({ scheme }: Read): boolean => scheme === 'bearer'

function challengesIn(header: string): Read[] {
  const all: Read[] = []
  let rest = header.replace(SPACE, '')
  while (rest !== '') {
    const pair = PAIR.exec(rest)
    const last = all.at(-1)
    if (pair !== null && last !== undefined) {
      const [whole, name = '', quoted, plain = ''] = pair
      // The first of several parameters with the same name counts.
      const key = name.toLowerCase()
      if (!last.parameters.has(key)) last.parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain)
      rest = rest.slice(whole.length).replace(SPACE, '')
      continue
    }
    const word = WORD.exec(rest)?.[0]
    // A character that belongs to nothing.
    if (word === undefined) {
      rest = rest.slice(1).replace(SPACE, '')
      continue
    }
    all.push({ scheme: word.toLowerCase(), parameters: new Map() })
    rest = rest.slice(word.length).replace(SPACE, '')
  }
  return all
}
