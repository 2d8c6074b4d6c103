/**
 * Carries messages to a remote server for the upstream above it: single exchanges with a modern server, sessions with a legacy
 * one. It makes no decisions about eras, sessions or callers, and never retries.
 */
import type {
  Answer,
  ClientRequest,
  LegacySession,
  ListenOptions,
  OpenOptions,
  ServerInfo,
} from '@toolway/protocol/client'
import type { Breaker } from './breaker.ts'
import type { Exceptions } from './http/exceptions.ts'
import type { OpenedCredential } from './upstream.ts'

export interface CarrierParts {
  readonly alias: string
  /** Seconds for one request. */
  readonly timeout: number
  readonly url: URL
  readonly allowPrivate: boolean
  readonly exceptions: Exceptions
  /** Headers of every request: the connection's own ones, secrets among them. */
  readonly headers: Readonly<Record<string, string>>
  readonly ids: () => number
  /** Told how each request ended. */
  readonly breaker: Breaker
  /** Told of what was passed over because it is no message. */
  onOdd(problem: string): void
}

export interface Carrier {
  /** Whether the server is modern, asked with `server/discover`; throws what says nothing about its era. */
  isModern(signal: AbortSignal, credential?: OpenedCredential): Promise<boolean>
  discover(signal: AbortSignal, credential?: OpenedCredential): Promise<ServerInfo>
  /** One request of a modern client. */
  exchange(request: ClientRequest): Promise<Answer>
  /** One listen stream of a modern server; returns when it ends. */
  listen(options: ListenOptions): Promise<Answer>
  /** A new session with a legacy server. */
  open(options: OpenOptions): Promise<LegacySession>
  /** Marks the detected era as possibly wrong. */
  doubt(): void
  /** Let exchanges finish, for so many milliseconds, and end. Sessions are ended by whoever opened them. */
  close(grace: number): Promise<void>
}

/** How long calls that are under way may go on once their upstream is to end, in milliseconds. */
export const GRACE = 10_000
