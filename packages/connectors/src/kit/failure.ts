/** Failures of a vendor's answer, as the words of the fault table. A reader knows one vendor's manner; the status decides last. */
import type { FaultWord } from '@toolway/contract'
import { get, isJson } from './shape.ts'
import type { ApiRequest, VendorAnswer } from './tool.ts'
import { retryAfterOf } from './waits.ts'

/** Characters of a vendor's message. */
const MOST_WORDS = 500

export interface Failure {
  readonly word: FaultWord
  /** The vendor's own message, in one bounded line. The executor masks credentials in it. */
  readonly message: string
  readonly status: number
  readonly retryable: boolean
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
}

export class ToolFailure extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'ToolFailure'
    this.failure = failure
  }
}

/** A failure of our own making: nothing was sent, or an answer is not to be believed. */
export const refusal = (word: FaultWord, message: string): ToolFailure =>
  new ToolFailure({ word, message, status: 0, retryable: false, retryAfter: undefined, requestId: undefined })

/** The word of an answer that failed in this vendor's manner; undefined leaves it to the next reader. */
export type FailureReader = (answer: VendorAnswer) => FaultWord | undefined

const WORDS: Readonly<Record<number, FaultWord>> = {
  400: 'INVALID_ARGUMENT',
  401: 'NEEDS_AUTH',
  402: 'PERMISSION_DENIED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'NOT_SUPPORTED',
  408: 'TIMEOUT',
  410: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'INVALID_ARGUMENT',
  429: 'RATE_LIMITED',
  501: 'NOT_SUPPORTED',
  504: 'TIMEOUT',
}

/** Some vendors answer 403 for a rate limit; a time to come back says that it is one. */
const byStatus: FailureReader = ({ status, headers }) => {
  if (status === 0) return 'UNAVAILABLE'
  if (status < 300 || status === 304) return undefined
  if (status === 403 && headers['retry-after'] !== undefined) return 'RATE_LIMITED'
  return WORDS[status] ?? (status >= 500 ? 'UNAVAILABLE' : 'EXECUTION_ERROR')
}

/** A sign-in or error page where data should be. */
const aPage: FailureReader = ({ headers, body }) =>
  typeof body === 'string' && /^text\/html\b/.test(headers['content-type'] ?? '') ? 'EXECUTION_ERROR' : undefined

/**
 * The words by code of vendors that state failures in the body: `failsWhen` says that the answer is one, `at` is the path of its
 * code (the first of a list). A code that is not named is an EXECUTION_ERROR.
 */
export function byCode(
  at: string,
  failsWhen: (answer: VendorAnswer) => boolean,
  words: Readonly<Partial<Record<FaultWord, readonly string[]>>>,
): FailureReader {
  const wordOf = new Map(
    Object.entries(words).flatMap(([word, codes]) => codes.map((code) => [code, word as FaultWord] as const)),
  )
  return (answer) => {
    if (!failsWhen(answer)) return undefined
    const found = get(answer.body, at)
    const code: unknown = Array.isArray(found) ? found[0] : found
    return wordOf.get(String(code)) ?? 'EXECUTION_ERROR'
  }
}

/** Undefined where the answer is a success. */
export function failureOf(
  answer: VendorAnswer,
  { repeat }: Pick<ApiRequest, 'repeat'>,
  readers: readonly FailureReader[],
): Failure | undefined {
  let word: FaultWord | undefined
  for (const reader of [...readers, byStatus, aPage]) if ((word ??= reader(answer)) !== undefined) break
  if (word === undefined) return undefined
  const limited = word === 'RATE_LIMITED'
  // A request over the vendor's limit was refused before anything was done, so a write may be sent again, too; one that failed
  // halfway may have acted.
  const passing = (word === 'UNAVAILABLE' || word === 'TIMEOUT') && repeat !== 'never'
  return {
    word,
    message: messageOf(answer),
    status: answer.status,
    retryable: limited || passing,
    retryAfter: limited || passing ? retryAfterOf(answer) : undefined,
    requestId: REQUEST_IDS.map((name) => answer.headers[name]).find((id) => id !== undefined),
  }
}

const REQUEST_IDS = ['x-request-id', 'request-id', 'x-github-request-id', 'x-slack-req-id', 'x-amzn-requestid']

/** The paths at which vendors put a message, the most telling first. */
const MESSAGES = [
  'errors[].extensions.userPresentableMessage',
  'error.message',
  'message',
  'errorMessages[]',
  'errors[].message',
  'errors[].detail',
  'errors[].title',
  'error_description',
  'error',
  'error.detail',
  'detail',
]
/** Which member is wrong, where the message alone does not tell. */
const DETAILS = ['errors[].field', 'needed', 'error.param']

function messageOf({ status, body, headers }: VendorAnswer): string {
  const isPage = /^text\/html\b/.test(headers['content-type'] ?? '')
  const reported = typeof body === 'string' && !isPage ? body : firstOf(body, MESSAGES)
  const detail = firstOf(body, DETAILS) ?? ofMembers(body)
  const words = isPage
    ? 'the answer is a web page, not data'
    : (reported ?? (detail === undefined ? 'no message' : 'refused'))
  const line =
    `${status === 0 ? '' : `HTTP ${status}: `}${words}${detail === undefined ? '' : ` (${detail})`}`.replaceAll(
      /\s+/g,
      ' ',
    )
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS).toWellFormed()}…` : line
}

/** Atlassian names the wrong members as the names of a map. */
function ofMembers(body: unknown): string | undefined {
  const errors = get(body, 'errors')
  if (!isJson(errors)) return undefined
  const texts = Object.entries(errors).filter(([, text]) => typeof text === 'string')
  const first = texts.slice(0, 3).map(([name, text]) => `${name}: ${String(text)}`)
  return first.length === 0 ? undefined : first.join('; ')
}

function firstOf(body: unknown, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = get(body, path)
    const texts = (Array.isArray(found) ? found : [found]).filter((value) => typeof value === 'string' && value !== '')
    if (texts.length > 0) return texts.slice(0, 3).join('; ')
  }
  return undefined
}
