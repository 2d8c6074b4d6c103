/**
 * Requests to addresses that the user of this machine has set (Composio, a gateway, a workbench of one's own). Redirects are not followed,
 * because a key goes to the address that it was set for; answers are bounded; failures are sentences without the key.
 */
import { retryAfter } from '@toolway/protocol/retry'
import type { RefusalCode } from '../../refusal.ts'
import { RemoteFailure, type FailureKind } from '../remote-failure.ts'
import { wordsOf } from './normal-form.ts'

export interface Remote {
  /** As it is called in sentences. */
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** Texts that are left out of every sentence. */
  readonly secret: string
  /** The variable in which the key is set. */
  readonly keyVariable: string
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly body?: unknown
  readonly signal: AbortSignal
  /** Whether a 404 means that a session has ended. */
  readonly inSession?: boolean
}

/** Milliseconds for one request with its answer: a script may run for long. */
const PATIENCE_MS = 180_000
/** Bytes of one answer. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024
const MOST_WORDS = 2_000

export async function askJson(remote: Remote, { method, url, body, signal, inSession }: JsonRequest): Promise<unknown> {
  const response = await requestRemote(remote, url, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  })
  const text = await textOf(remote, response, signal)
  const value = jsonIn(text)
  if (response.status < 200 || response.status >= 300) throw refusalOf(remote, response, value, inSession === true)
  if (value === undefined) throw new RemoteFailure(`${remote.name} responded with something that is not JSON.`)
  return value
}

/** A response of any status but a redirect, with a body of bounded size. */
export async function requestRemote(remote: Remote, url: string, init: RequestInit): Promise<Response> {
  const signals = [
    AbortSignal.timeout(PATIENCE_MS),
    ...(init.signal === null || init.signal === undefined ? [] : [init.signal]),
  ]
  const headers = { ...(init.headers as Record<string, string>), ...remote.headers }
  let response
  try {
    response = await fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.any(signals) })
  } catch (thrown) {
    init.signal?.throwIfAborted()
    throw unreachable(remote, url, thrown)
  }
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new RemoteFailure(
      `${remote.name} redirects to another address (HTTP ${response.status}), which is not followed.`,
    )
  }
  return new Response(response.body?.pipeThrough(limitSize(remote)) ?? null, response)
}

function limitSize({ name }: Remote): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > MOST_ANSWER_BYTES)
        controller.error(
          new RemoteFailure(`The response from ${name} is larger than ${MOST_ANSWER_BYTES} bytes.`, {
            kind: 'too-large',
          }),
        )
      else controller.enqueue(chunk)
    },
  })
}

async function textOf(remote: Remote, response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown instanceof RemoteFailure ? thrown : unreachable(remote, response.url, thrown)
  }
}

function unreachable({ name }: Remote, url: string, thrown: unknown): RemoteFailure {
  const { origin } = new URL(url)
  const late = thrown instanceof Error && thrown.name === 'TimeoutError'
  const cause = thrown instanceof Error ? (thrown.cause as NodeJS.ErrnoException | undefined) : undefined
  const why = late ? `no answer within ${PATIENCE_MS / 1000} seconds` : (cause?.code ?? 'the connection was cut')
  return new RemoteFailure(`${name} cannot be reached at ${origin}: ${why}. Try again later.`, {
    kind: 'passing',
    ...(late ? { code: 'TIMEOUT' } : {}),
  })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The meaning of a status and the next step, after the words of the other side. */
const STATUSES: Readonly<Record<number, readonly [meaning: string, FailureKind]>> = {
  400: ['does not accept the request', 'lasting'],
  401: ['does not accept the key', 'lasting'],
  402: ['requires a paid plan', 'lasting'],
  403: ['does not permit this with this key', 'lasting'],
  404: ['cannot find this', 'lasting'],
  408: ['waited too long for the request', 'passing'],
  409: ['refuses this because of its current state', 'lasting'],
  410: ['no longer has this', 'lasting'],
  413: ['refuses the request as too large', 'too-large'],
  429: ['is receiving too many requests', 'passing'],
}

const CODES: Readonly<Record<number, RefusalCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  408: 'TIMEOUT',
  429: 'RATE_LIMITED',
  504: 'TIMEOUT',
}

export function refusalOf(
  remote: Remote,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  inSession = false,
): RemoteFailure {
  const [meaning, kind] =
    STATUSES[status] ?? (status >= 500 ? ['has an internal error', 'passing'] : ['refuses', 'lasting'])
  const message = typeof body === 'object' && body !== null ? wordsOf((body as { error?: unknown }).error) : undefined
  const words =
    message === undefined ? '' : `: ${cutText(message.replaceAll(remote.secret, '***')).replace(/[.\s]+$/, '')}`
  const next =
    status === 401 || status === 403 ? ` Check ${remote.keyVariable}.` : status === 429 ? ' Try again later.' : ''
  return new RemoteFailure(`${remote.name} ${meaning} (HTTP ${status}${words}).${next}`, {
    kind: inSession && (status === 404 || status === 410) ? 'session' : kind,
    code: CODES[status],
    details: { status },
    retryAfter: retryAfter(headers.get('retry-after'), Date.now()),
  })
}

const cutText = (text: string): string => (text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)}…` : text)
