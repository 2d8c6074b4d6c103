/**
 * How a client proves itself (RFC 6749, section 2.3.1). Id and secret are form-encoded before they are put together, as forms are encoded
 * everywhere (WHATWG URL, application/x-www-form-urlencoded): many servers never decode what a stricter reading would escape.
 */
import type { Authority, ClientAuthMethod } from '@toolway/contract'
import * as library from 'oauth4webapi'
import type { ClientIdentity } from '../ports.ts'

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** Returns the value that follows `Basic `. */
export const basicOf = ({ clientId, secret = '' }: Pick<ClientIdentity, 'clientId' | 'secret'>): string =>
  Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')

export function proofOf(client: ClientIdentity): library.ClientAuth {
  const { secret, method } = client
  if (secret === undefined || method === 'none') return library.None()
  if (method === 'client_secret_post') return library.ClientSecretPost(secret)
  return (_server, { client_id: clientId }, body, headers) => {
    // Servers on the Python SDK find the client by the form alone, whatever the header says; RFC 6749, section 3.2.1, allows it there.
    body.set('client_id', clientId)
    headers.set('authorization', `Basic ${basicOf(client)}`)
  }
}

/** How one with this secret does it: without a word of the server's, in the header (RFC 6749, section 2.3.1; RFC 8414, section 2). */
export function methodFor({ tokenAuthMethods }: Authority, secret: string | undefined): ClientAuthMethod {
  if (secret === undefined) return 'none'
  const basic = tokenAuthMethods.length === 0 || tokenAuthMethods.includes('client_secret_basic')
  return !basic && tokenAuthMethods.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic'
}
