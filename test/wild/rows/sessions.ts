/**
 * The ways in which servers say that they have lost a session, what a call in it comes to, and what only looks like one. Origins: the
 * official SDKs after a restart, their examples, proxies in front of several processes.
 */
import type { ServerResponse } from 'node:http'
import { sayJson, type Heard } from '../../fault/scripted-upstream.ts'

export type SaysLost = (heard: Heard, response: ServerResponse) => void
export const errorTo = (heard: Heard, code: number, message: string, id = heard.id) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
export const plain =
  (status: number, text = ''): SaysLost =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
export const failing =
  (status: number, code: number, message: string, id?: null): SaysLost =>
  (heard, response) =>
    sayJson(response, errorTo(heard, code, message, id === undefined ? heard.id : id), status)

/** The answer of the server, and what a call comes to: `ok`, or the code of a fault, where nobody can know whether it has run. */
export const LOST_SESSIONS: readonly (readonly [behaviour: string, says: SaysLost, outcome: 'ok' | 'upstream.lost'])[] =
  [
    ['404 without a body', plain(404), 'ok'],
    ['404 with a text', plain(404, 'no such session'), 'ok'],
    ['404 with the id of the request', failing(404, -32001, 'Session not found'), 'ok'],
    ['404 with id null', failing(404, -32600, 'Session terminated', null), 'ok'],
    ['404 with JSON that is no message', (_, response) => sayJson(response, { detail: 'Not Found' }, 404), 'ok'],
    ['400 with id null', failing(400, -32000, 'Bad Request: No valid session ID provided', null), 'ok'],
    ['400 with the id of the request', failing(400, -32000, 'Bad Request: Server not initialized'), 'ok'],
    ['400 with a text', plain(400, 'Invalid session ID'), 'ok'],
    ['400 with nothing', plain(400), 'ok'],
    ['401 without a challenge', plain(401, 'unauthorized'), 'ok'],
    ['410 with nothing', plain(410), 'ok'],
    ['403 that speaks of the session', plain(403, 'session expired'), 'ok'],
    ['409 that speaks of the session', failing(409, -32602, 'Unknown session'), 'ok'],
    ['500 that speaks of the session', failing(500, -32603, 'session abc not found'), 'ok'],
    ['503 that speaks of the session', plain(503, 'Session is no longer available on this node'), 'ok'],
    ['500 that says nothing', plain(500, 'Internal Server Error'), 'upstream.lost'],
    ['200 with -32001', failing(200, -32001, 'Session not found'), 'ok'],
    ['200 with -32000 that speaks of the session', failing(200, -32000, 'Invalid or missing session ID'), 'ok'],
    ['200 with -32000 that says nothing', failing(200, -32000, 'Server error'), 'upstream.lost'],
    ['200 with another code that speaks of the session', failing(200, -32602, 'The session has expired'), 'ok'],
    ['200 with a text', plain(200, 'Session expired, please initialize again'), 'ok'],
    [
      '200 with an event stream',
      (heard, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`data: ${JSON.stringify(errorTo(heard, -32001, 'Session not found'))}\n\n`)
      },
      'ok',
    ],
  ]

/** Answers to a call in a session that lives, as a ping shows; what the call comes to. */
export const KEPT_SESSIONS: readonly (readonly [behaviour: string, says: SaysLost, outcome: string])[] = [
  ['400 to a call', failing(400, -32000, 'the budget is spent'), '-32000 the budget is spent'],
  ['404 to a call', failing(404, -32001, 'no such note'), '-32001 no such note'],
  ['500 to a call', plain(500, 'oops'), 'upstream.unreachable'],
  [
    'a word about a session',
    failing(200, -32603, 'the session of the user has expired'),
    '-32603 the session of the user has expired',
  ],
]

/** Over HTTP+SSE, to the POST of a message; each is opened anew. */
export const LOST_PAIRS: readonly (readonly [behaviour: string, status: number, text: string])[] = [
  ['404', 404, ''],
  ['400', 400, 'Could not find session'],
  ['410', 410, ''],
  ['500 that speaks of the session', 500, 'Session not found'],
]
/** Over WebSocket, as an error of JSON-RPC; each is opened anew. */
export const LOST_SOCKETS: readonly (readonly [behaviour: string, error: object])[] = [
  ['-32001', { code: -32001, message: 'Session not found' }],
]
