/**
 * Behaviours of servers of the older revisions at `server/discover`, a method that they do not know, and the words of the error where they do
 * the same at every method. Each is greeted with `initialize`. Origins: frameworks for Java and Python, proxies in front of servers.
 */
import type { ServerResponse } from 'node:http'

/** The time limit of the connection in the tests, in seconds. */
export const GREETING_LIMIT = 2

export const GREETINGS: readonly (readonly [
  behaviour: string,
  does: (response: ServerResponse) => void,
  error: RegExp,
])[] = [
  ['500 and a text', (response) => void response.writeHead(500).end('Internal Server Error'), /HTTP 500/],
  [
    '500 and an error of JSON-RPC',
    (response) =>
      void response
        .writeHead(500, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}'),
    /HTTP 500/,
  ],
  ['501', (response) => void response.writeHead(501).end(), /HTTP 501/],
  ['503 and a time', (response) => void response.writeHead(503, { 'retry-after': '1' }).end(), /HTTP 503/],
  ['a hang-up', (response) => void response.destroy(), /broke|lost|connection/i],
  [
    'a body that breaks off',
    (response) =>
      void (response.writeHead(200, { 'content-length': 99 }).write('{'), setTimeout(() => response.destroy(), 50)),
    /lost|broke|connection/i,
  ],
  [
    'a stream that ends at once',
    (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    /lost|ended|connection/i,
  ],
  ['silence', () => {}, /within 2 s/],
  [
    'a stream that is silent',
    (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'),
    /within 2 s/,
  ],
]
