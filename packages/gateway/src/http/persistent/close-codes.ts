/**
 * Why a WebSocket is closed, in the codes of RFC 6455 (section 7.4) and in codes of our own, which say by their last three
 * digits what HTTP would have said. One table, which the guide shows and the door sends.
 */
import type { Fault, FaultCode } from '@toolway/contract'

export interface CloseCode {
  readonly code: number
  /** When it is sent, and what the client does next. */
  readonly means: string
}

const row = (code: number, means: string): CloseCode => ({ code, means })

export const CLOSE_CODES = {
  leaving: row(1001, 'The gateway is shutting down; calls in progress were finished. Connect again in a moment.'),
  protocol: row(1002, 'The client broke the WebSocket protocol.'),
  binary: row(1003, 'A binary frame was received; every message must be a text frame.'),
  encoding: row(1007, 'A text frame was not UTF-8.'),
  tooLarge: row(1009, 'A message was larger than 1 MiB, which is also the limit for HTTP bodies.'),
  broken: row(1011, 'An internal error occurred in the gateway.'),
  later: row(
    1013,
    'The gateway cannot accept this connection at the moment, because too many are open or its database does not respond. Try again later.',
  ),
  passThrough: row(
    4400,
    'The token in X-User-OAuth-Token is not valid, or belongs to this gateway. Connect without a token, or with a token for the server.',
  ),
  unauthorised: row(4401, 'The key or token is missing, unknown, removed or expired. Connect with a valid one.'),
  bound: row(
    4403,
    'The token belongs to another organization, or does not allow this. Sign in again with the access that you need.',
  ),
  unknown: row(4404, 'The endpoint does not exist, or this key has no access to it.'),
  limited: row(
    4429,
    'Too many requests came from this address, or too many of them referred to something that does not exist. Connect again in a minute.',
  ),
  sessionGone: row(4410, 'This connection’s session was ended. Connect again to open a new one.'),
} as const satisfies Record<string, CloseCode>

const OF_FAULTS: Partial<Record<FaultCode, CloseCode>> = {
  'gateway.draining': CLOSE_CODES.leaving,
  'request.binary': CLOSE_CODES.binary,
  'gateway.not-ready': CLOSE_CODES.later,
  'database.unavailable': CLOSE_CODES.later,
  'database.interrupted': CLOSE_CODES.later,
  'channel.limit': CLOSE_CODES.later,
  'credential.brought-shape': CLOSE_CODES.passThrough,
  'key.missing': CLOSE_CODES.unauthorised,
  'key.unknown': CLOSE_CODES.unauthorised,
  'token.unknown': CLOSE_CODES.unauthorised,
  'token.expired': CLOSE_CODES.unauthorised,
  'place.bound': CLOSE_CODES.bound,
  'role.forbidden': CLOSE_CODES.bound,
  'key.limit': CLOSE_CODES.bound,
  'request.origin': CLOSE_CODES.bound,
  'place.unknown': CLOSE_CODES.unknown,
  'session.unknown': CLOSE_CODES.sessionGone,
  'limit.address': CLOSE_CODES.limited,
  'limit.unknown': CLOSE_CODES.limited,
}

export const closeCodeOf = ({ code }: Fault): number => (OF_FAULTS[code] ?? CLOSE_CODES.broken).code

/** Bytes of a reason (RFC 6455, section 5.5: a control frame has 125, of which the code takes two). */
const MOST_BYTES = 123

/** The sentence, as far as it fits; ours are ASCII, so that a byte is a character. */
export const closeReasonOf = ({ message }: Fault): string => message.replace(/[^ -~]/g, '?').slice(0, MOST_BYTES)
