/**
 * Converts a failure at an authorization server to a fault: temporary failures (`authority.unreachable`), failures that only a
 * user can fix (`authority.refused`), and invalid answers (`authority.malformed`).
 *
 * Only error codes of the server's answer are passed on: a description may repeat the code or the token that was sent.
 */
import { Fault } from '@toolway/contract'
import * as library from 'oauth4webapi'
import { wordFailure as wordNetwork } from '../../../upstreams/http/post.ts'
import type { Egress } from '../ports.ts'

type EgressAlias = Pick<Egress, 'alias'>

export const unreachable = ({ alias }: EgressAlias, problem: string, cause?: unknown): Fault =>
  new Fault('authority.unreachable', { connection: alias, problem }, { cause })
export const malformed = ({ alias }: EgressAlias, problem: string, cause?: unknown): Fault =>
  new Fault('authority.malformed', { connection: alias, problem }, { cause })
export const refused = ({ alias }: EgressAlias, problem: string): Fault =>
  new Fault('authority.refused', { connection: alias, problem })

/** RFC 6749, sections 4.1.2.1 and 5.2: what the same request may be answered otherwise in a moment. */
const PASSING = new Set(['temporarily_unavailable', 'server_error', 'slow_down', 'rate_limited', 'ratelimited'])
const CODE = /^[\w .:/-]{1,60}$/
const SECONDS = 10

/** An error code, as far as it is one. */
export const codeIn = (said: string): string => (CODE.test(said) ? said : 'an error without a name')

function ofStatus(egress: EgressAlias, status: number, code: string): Fault {
  if (status === 429 || status >= 500 || PASSING.has(code))
    return unreachable(egress, `it responds with ${code} (HTTP ${status})`)
  return refused(egress, codeIn(code))
}

const SENTENCES: Readonly<Record<string, string>> = {
  [library.RESPONSE_IS_NOT_JSON]: 'its response is not JSON',
  [library.PARSE_ERROR]: 'its response is not valid JSON',
  [library.JWT_TIMESTAMP_CHECK]: 'the identity token is not valid at this time: check the clocks',
  [library.JWT_CLAIM_COMPARISON]: 'the identity token is for another client',
}

/** Never throws; what nobody foresaw is `internal`, with its cause. */
export function wordFailure(thrown: unknown, egress: EgressAlias): Fault {
  if (thrown instanceof Fault)
    return thrown.code === 'result.too-large' ? malformed(egress, 'its response is too large') : thrown
  if (thrown instanceof library.ResponseBodyError) return ofStatus(egress, thrown.status, codeIn(thrown.error))
  if (thrown instanceof library.AuthorizationResponseError) return refused(egress, codeIn(thrown.error))
  if (thrown instanceof library.WWWAuthenticateChallengeError) return ofStatus(egress, thrown.status, 'invalid_client')
  if (thrown instanceof library.OperationProcessingError) return ofAnswer(thrown, egress)
  if (thrown instanceof library.UnsupportedOperationError) return malformed(egress, thrown.message)
  if (thrown instanceof Error && thrown.name === 'TimeoutError')
    return unreachable(egress, `no answer within ${SECONDS} s`, thrown)
  const network = wordNetwork({ alias: egress.alias, timeout: SECONDS }, thrown)
  if (network.code === 'egress.refused') return network
  const {
    problem = network.code === 'upstream.timeout' ? `no answer within ${SECONDS} s` : 'the connection was lost',
  } = network.facts
  return unreachable(egress, String(problem), thrown)
}

function ofAnswer({ code = '', cause, message }: library.OperationProcessingError, egress: EgressAlias): Fault {
  if (cause instanceof Response && (cause.status === 429 || cause.status >= 500))
    return unreachable(egress, `it responded with HTTP ${cause.status}`)
  const said = SENTENCES[code]
  if (said !== undefined) return malformed(egress, said)
  if (code === library.RESPONSE_IS_NOT_CONFORM && cause instanceof Response)
    return malformed(egress, `it responded with HTTP ${cause.status} without an OAuth error`)
  // The library names members and what is wrong with them, never their values.
  return malformed(egress, message.slice(0, 200))
}
