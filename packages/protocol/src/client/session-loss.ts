/**
 * Whether a failed answer may mean that its server has lost the session: servers say so by several statuses, by error codes and in
 * words (2025-11-25, transports, session management, asks for 404).
 *
 * None of these signs is proof, since each of them is also the answer to a request that failed by itself. Whoever holds a session asks
 * it for a ping: a session is in doubt only when the ping fails in the same way.
 */
import { isFailure } from '../message.ts'
import type { Answer } from './request.ts'
import type { Incoming } from './transport.ts'

/** The session is gone at the server: whoever holds it opens a new one. Without a doubt, the request was not processed. */
export class SessionLost extends Error {
  readonly doubt: SessionDoubt | undefined

  constructor(doubt?: SessionDoubt) {
    super()
    this.doubt = doubt
  }
}

/** A request and a ping after it failed in the same way: a new session in which a ping succeeds proves that the session is lost. */
export interface SessionDoubt {
  /** How both of them failed. */
  readonly sign: string
  /** False where the server refused the request because of its session, before it did anything. */
  readonly mayHaveRun: boolean
  /** The result of the request, if the session turns out not to be lost: an answer, or what is thrown. */
  readonly outcome: { readonly answer: Answer } | { readonly thrown: unknown }
}

export interface LossSign {
  readonly status: number
  /** Equal for two answers that fail in the same way. */
  readonly key: string
  /** The answer says that the request was refused because of its session. */
  readonly refuses: boolean
  /** The answer contains the word "session". */
  readonly speaks: boolean
}

/** Statuses that servers in the field give to a session that they do not know. A 401 with a challenge is about a credential. */
const STATUSES = new Set([400, 401, 404, 410, 500])
/** Of these, those that are given before anything is done. */
const BEFORE = new Set([400, 401, 404, 410])
/** Their bodies differ between a call and a ping. */
const PLAIN = new Set([404, 410])
/** Codes that the SDKs use for an unknown session, and servers for anything. */
const CODES = new Set([-32000, -32001])
const SPEAKS = /session/i
const REFUSES =
  /not found|unknown|not valid|no valid|invalid|expired|missing|no such|not exist|n't exist|not initiali[sz]ed|terminated|required|no longer|no active|recogni[sz]ed|has ended|been ended|been closed|was closed|gone/i
/** Characters of an answer that are looked at. */
const LOOKED_AT_CHARACTERS = 2_000

/** Undefined for an answer that says nothing of the session. */
export function lossSignOf(incoming: Pick<Incoming, 'status' | 'headers' | 'text' | 'response'>): LossSign | undefined {
  const { status, headers, text, response } = incoming
  const error = response === undefined ? errorIn(text) : isFailure(response) ? response.error : undefined
  if (status < 400 && error === undefined) return status < 300 && response === undefined ? wordsOf(text) : undefined
  const isAboutCredential = status === 401 && headers['www-authenticate'] !== undefined
  return isAboutCredential ? undefined : signOf(status, error, error?.message ?? text)
}

/** The sign in an error of a server, whatever brought it. */
export const lossSignOfError = (error: LooseError, status = 200): LossSign | undefined =>
  signOf(status, error, error.message ?? '')

function signOf(status: number, { code }: LooseError = {}, message: string): LossSign | undefined {
  const words = message.slice(0, LOOKED_AT_CHARACTERS)
  const speaks = SPEAKS.test(words)
  if (!speaks && !STATUSES.has(status) && !CODES.has(code ?? 0)) return undefined
  return {
    status,
    key: PLAIN.has(status) ? String(status) : `${status} ${code ?? ''}`,
    refuses: BEFORE.has(status) || (speaks && REFUSES.test(words)),
    speaks,
  }
}

/** A body of a status below 300 that is no JSON, and says so. */
const wordsOf = (text: string): LossSign | undefined =>
  text !== '' && !/^\s*[[{]/.test(text) && SPEAKS.test(text.slice(0, LOOKED_AT_CHARACTERS))
    ? signOf(200, undefined, text)
    : undefined

interface LooseError {
  readonly code?: number | undefined
  readonly message?: string | undefined
}

/** The error in a body, as far as it can be read: its id may be null, and its content type anything. */
function errorIn(text: string): LooseError | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    if (typeof error === 'string') return { message: error }
    if (typeof error !== 'object' || error === null) return undefined
    const { code, message } = error as Record<string, unknown>
    return {
      code: typeof code === 'number' ? code : undefined,
      message: typeof message === 'string' ? message : text,
    }
  } catch {
    return undefined
  }
}

const signs = new WeakMap<object, LossSign>()

/** Notes on a fault the sign that was in the answer that it was made of. */
export function withLossSign<T extends object>(fault: T, incoming: Incoming): T {
  const sign = lossSignOf(incoming)
  if (sign !== undefined) signs.set(fault, sign)
  return fault
}

export const lossSignIn = (thrown: unknown): LossSign | undefined =>
  typeof thrown === 'object' && thrown !== null ? signs.get(thrown) : undefined
