/**
 * Converts a failure at an authorization server to a fault: temporary failures (`authority.unreachable`), failures that only a
 * user can fix (`authority.refused`), and invalid answers (`authority.malformed`).
 *
 * Of the server's own words, its error code and its description are passed on, without anything secret (`server-words.ts`). What is
 * wrong with an answer names that answer and its address: there are five kinds of them, often at three hosts.
 */
import { Fault } from '@toolway/contract'
import * as library from 'oauth4webapi'
import { wordFailure as wordNetwork } from '../../../upstreams/http/post.ts'
import { maskUrl } from '@toolway/contract/secret-marks'
import type { Egress } from '../ports.ts'
import { codeIn, wordError, type ServerError } from './server-words.ts'

type EgressAlias = Pick<Egress, 'alias'>

export const unreachable = ({ alias }: EgressAlias, problem: string, cause?: unknown): Fault =>
  new Fault('authority.unreachable', { connection: alias, problem }, { cause })
export const malformedAuthority = ({ alias }: EgressAlias, problem: string, cause?: unknown): Fault =>
  new Fault('authority.malformed', { connection: alias, problem }, { cause })
export const refusedByAuthority = ({ alias }: EgressAlias, problem: string): Fault =>
  new Fault('authority.refused', { connection: alias, problem })

/** RFC 6749, sections 4.1.2.1 and 5.2: what the same request may be answered otherwise in a moment. */
const PASSING = new Set(['temporarily_unavailable', 'server_error', 'slow_down', 'rate_limited', 'ratelimited'])
const SECONDS = 10

/** An answer that was read: as it is, or in spite of something. */
export interface ReadAnswer {
  readonly egress: Egress
  readonly kind: string
  /** Its kind and its address, without what may be secret. */
  readonly document: string
  /** What was repaired, without values; empty where nothing was. */
  readonly repaired: readonly string[]
}
export type OnRead = (answer: ReadAnswer) => void

/** A document, and where it was: its address without what may be secret. */
export const documentAt = (kind: string, url: string): string => `${kind} of ${maskUrl(url)}`

export interface About {
  /** Of which it was an answer; see `documentAt`. */
  readonly document?: string
  /** What was sent, and must not be read in an error. */
  readonly secrets?: readonly string[]
}

function ofStatus(egress: EgressAlias, status: number, error: ServerError, secrets: readonly string[] = []): Fault {
  const words = wordError(error, secrets)
  if (status === 429 || status >= 500 || PASSING.has(error.code))
    return unreachable(egress, `it responds with ${words} (HTTP ${status})`)
  return refusedByAuthority(egress, words)
}

const errorOf = (code: string, description: string | undefined): ServerError => ({ code: codeIn(code), description })

const SENTENCES: Readonly<Record<string, string>> = {
  [library.RESPONSE_IS_NOT_JSON]: 'its response is not JSON',
  [library.PARSE_ERROR]: 'its response is not valid JSON',
  [library.JWT_TIMESTAMP_CHECK]: 'the identity token is not valid at this time: check the clocks',
  [library.JWT_CLAIM_COMPARISON]: 'the identity token is for another client',
}

/** Never throws; what nobody foresaw is `internal`, with its cause. */
export function wordFailure(thrown: unknown, egress: EgressAlias, about: About = {}): Fault {
  const { secrets } = about
  const bad = (problem: string) =>
    malformedAuthority(egress, about.document === undefined ? problem : `the ${about.document}: ${problem}`)
  if (thrown instanceof Fault) return thrown.code === 'result.too-large' ? bad('its response is too large') : thrown
  if (thrown instanceof library.ResponseBodyError)
    return ofStatus(egress, thrown.status, errorOf(thrown.error, thrown.error_description), secrets)
  if (thrown instanceof library.AuthorizationResponseError)
    return refusedByAuthority(egress, wordError(errorOf(thrown.error, thrown.error_description), secrets))
  if (thrown instanceof library.WWWAuthenticateChallengeError)
    return ofStatus(egress, thrown.status, errorOf('invalid_client', undefined), secrets)
  if (thrown instanceof library.OperationProcessingError) return ofAnswer(thrown, egress, bad)
  if (thrown instanceof library.UnsupportedOperationError) return bad(thrown.message)
  if (thrown instanceof Error && thrown.name === 'TimeoutError')
    return unreachable(egress, `no answer within ${SECONDS} s`, thrown)
  const network = wordNetwork({ alias: egress.alias, timeout: SECONDS }, thrown)
  if (network.code === 'egress.refused') return network
  const {
    problem = network.code === 'upstream.timeout' ? `no answer within ${SECONDS} s` : 'the connection was lost',
  } = network.facts
  return unreachable(egress, String(problem), thrown)
}

function ofAnswer(
  { code = '', cause, message }: library.OperationProcessingError,
  egress: EgressAlias,
  bad: (problem: string) => Fault,
): Fault {
  if (cause instanceof Response && (cause.status === 429 || cause.status >= 500))
    return unreachable(egress, `it responded with HTTP ${cause.status}`)
  const sentence = SENTENCES[code]
  if (sentence !== undefined) return bad(sentence)
  if (code === library.RESPONSE_IS_NOT_CONFORM && cause instanceof Response)
    return bad(`it responded with HTTP ${cause.status} without an OAuth error`)
  // The library names members and what is wrong with them, never their values.
  return bad(message.slice(0, 200))
}
