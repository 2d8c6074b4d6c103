/**
 * The way to a server as one ask takes it: with the headers of its credential, and with a mask that knows them, too.
 *
 * What is the connection's own stays as it is: nothing of a credential outlives those who hold it.
 */
import type { CredentialHeaders } from '@toolway/protocol/client'
import { transportOf, type HttpTransport, type Wire } from './post.ts'
import { bothMasks, createHeaderMask, createResultMask } from './reach-mask.ts'

/** The same transport for the same credential, for as long as somebody holds that. */
export type Presenting = (credential: CredentialHeaders | undefined) => HttpTransport

export function createPresenting(wire: Wire): Presenting {
  const made = new WeakMap<CredentialHeaders, HttpTransport>()
  const plain = transportOf(wire)
  return (credential) => {
    if (credential === undefined) return plain
    const transport = made.get(credential)
    if (transport !== undefined) return transport
    const own = transportOf(withHeaders(wire, credential))
    made.set(credential, own)
    return own
  }
}

function withHeaders(wire: Wire, credential: CredentialHeaders): Wire {
  const headers = headersOf(credential)
  let mask: ((text: string) => string) | undefined
  const hide = bothMasks(createResultMask(headers), wire.hide)
  return {
    ...wire,
    headers: { ...wire.headers, ...headers },
    hide,
    // Made when something is to be told, which is rare.
    mask: (text) => (mask ??= createHeaderMask(headers))(wire.mask(text)),
  }
}

/** Under the names that the wire knows them by, so that each is sent once. */
export const headersOf = ({ headers }: CredentialHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
