/**
 * One request to an MCP server and its answer, in neither era's words, and the limits that hold for every transport.
 *
 * Everything that belongs to a caller travels with its request: messages that a server sends while it answers go to that
 * request, never to "the last active" one.
 */
import type { Caller } from '../mcp-request.ts'
import type { Revision } from '../era.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ErrorBody, Id, Notification, Request } from '../message.ts'
import type { HeaderParameter } from '../eras/modern/headers.ts'

export type Answer = { readonly result: JsonObject } | { readonly error: ErrorBody }

/** The information that a server gives about itself at the handshake. */
export interface ServerInfo {
  readonly revision: Revision
  readonly server: JsonObject
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
}

/** Headers that let one request in at the server, besides the transport's own. */
export interface CredentialHeaders {
  /** Names the credential: what is held open with a server under one is used under no other. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

/** The handle that a request provides while it is under way, to match messages about it that arrive outside its own stream. */
export interface ProgressHandle {
  /** The progress token that its server uses. */
  token: string | undefined
  /** A person is asked meanwhile: the server is not late. */
  extend: () => void
}

export interface ClientRequest {
  readonly method: string
  readonly params: JsonObject
  readonly caller: Caller
  readonly headerParameters?: readonly HeaderParameter[]
  readonly signal: AbortSignal
  /** The request has no deadline but the signal. */
  readonly patient?: boolean
  readonly credential?: CredentialHeaders | undefined
  /** Progress (with the caller's own token) and log messages of this request. */
  onNotification?(notification: Notification): void
}

/** A request in a legacy server's session. */
export interface SessionRequest extends ClientRequest {
  /** The session is one client's own and has the log level that this client set; otherwise each request says its level. */
  readonly session: object | undefined
  /** Filled in by the session, where messages can come beside the request's own stream. */
  readonly hold?: ProgressHandle
  onNotification(notification: Notification): void
  /** A legacy server's request to the client of this request. */
  onQuestion(question: Request): Promise<Answer>
  /** A legacy server closed its stream before its answer, which is fetched later (2025-11-25, SEP-1699). */
  readonly onPause?: (() => void) | undefined
}

/** Told how requests ended, for the owner's circuit breaker. */
export interface CallObserver {
  /** Names the state in which a request began. */
  readonly turn: number
  answered(turn: number): void
  failed(turn: number, thrown: unknown): void
}

/** Seconds that a person may take to answer one question of a server, and that one exchange may last in all. */
export const HUMAN = { question: 600, all: 3_600 }

/** Seconds that one exchange may last whose server reports progress; each report begins the time limit anew. */
export const PROGRESS = { all: 600 }

/** Methods that may be sent again after a session turned out to be gone: they change nothing, or nothing by being said twice. */
export const REPEATABLE: ReadonlySet<string> = new Set([
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
])

/** Questions of one session that wait for an answer, at most. */
export const MOST_QUESTIONS = 100

export type ListKind = 'tools' | 'prompts' | 'resources'
const LIST_CHANGED: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
}
export const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']
/** The list that a notification says has changed. */
export const changedList = (method: string): ListKind | undefined =>
  Object.hasOwn(LIST_CHANGED, method) ? LIST_CHANGED[method] : undefined

/** The progress token of a request of ours. */
export const tokenOf = (id: Id): string => `p${id}`

/** Whether reported progress is progress: its value must increase with each report (2025-11-25 and 2026-07-28, progress). */
export const isMore = (progress: Json | undefined, before: number): progress is number =>
  typeof progress === 'number' && progress > before

/**
 * A notification as the caller hears it: progress under our token comes back under the caller's; progress under any other
 * token is nobody's.
 */
export function forCaller(
  notification: Notification,
  ours: string | undefined,
  token: Id | undefined,
): Notification | undefined {
  if (notification.method !== 'notifications/progress') return notification
  if (token === undefined || ours === undefined || notification.params?.['progressToken'] !== ours) return undefined
  return { ...notification, params: { ...notification.params, progressToken: token } }
}
