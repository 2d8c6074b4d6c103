/**
 * The way to a server as one ask takes it: with the headers of its credential, and with a mask that knows them, too.
 *
 * What is the connection's own stays as it is: nothing of a credential outlives those who hold it.
 */
import type { Presented } from '../upstream.ts'
import type { Wire } from './post.ts'
import { createHeaderMask } from './reach-mask.ts'

/** The same wire for the same credential, for as long as somebody holds that. */
export type Presenting = (credential: Presented | undefined) => Wire

export function createPresenting(wire: Wire): Presenting {
  const made = new WeakMap<Presented, Wire>()
  return (credential) => {
    if (credential === undefined) return wire
    const held = made.get(credential)
    if (held !== undefined) return held
    const own = presentedOn(wire, credential)
    made.set(credential, own)
    return own
  }
}

function presentedOn(wire: Wire, credential: Presented): Wire {
  const headers = headersOf(credential)
  let mask: ((text: string) => string) | undefined
  return {
    ...wire,
    headers: { ...wire.headers, ...headers },
    // Made when something is to be told, which is rare.
    mask: (text) => (mask ??= createHeaderMask(headers))(wire.mask(text)),
  }
}

/** Under the names that the wire knows them by, so that each is sent once. */
export const headersOf = ({ headers }: Presented): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
