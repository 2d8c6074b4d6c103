/** The port of a destination: it takes a batch or says why not. Only an answer that says that it has everything counts as taken. */
import type { StreamDestination, StreamSecrets } from '@toolway/contract/admin'
import { retryAfter as parseRetryAfter } from '@toolway/protocol/retry'
import type { StreamBatch } from '../stream-items.rows.ts'
import type { GuardedFetch } from '../../../upstreams/http/guarded-fetch.ts'
import type { ConnectTls } from '../../../upstreams/http/guarded-tls.ts'

/** The known facts of a failure; it names no secret and quotes nobody. */
export class DeliveryProblem extends Error {
  /** Seconds that the destination asked to be left alone. */
  readonly retryAfter: number | undefined

  constructor(problem: string, retryAfter?: number) {
    super(problem)
    this.retryAfter = retryAfter
  }
}

/** Throws DeliveryProblem, and what the network does. */
export type Deliver = (batch: StreamBatch, signal: AbortSignal) => Promise<void>

export interface DestinationParts {
  readonly fetch: GuardedFetch
  readonly connect: (target: Omit<Parameters<ConnectTls>[0], 'alias' | 'allowPrivate'>) => ReturnType<ConnectTls>
  readonly now: () => number
  /** The name of this gateway, for destinations that ask who sends. */
  readonly host: string
}

export type OfKind<Kind extends StreamDestination['kind']> = Extract<StreamDestination, { kind: Kind }>
export interface Secrets extends StreamSecrets {
  /** Of a webhook: made by the gateway. */
  readonly webhook?: string | undefined
}

const DAY = 86_400

/** Anything from 200 to 299 takes it. */
export function checkAnswer({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
  if (status >= 200 && status < 300) return
  const wait = parseRetryAfter(headers.get('retry-after'), Date.now())
  const retryAfter = wait === undefined ? undefined : Math.min(Math.ceil(wait / 1000), DAY)
  throw new DeliveryProblem(`it responded with HTTP ${status}`, retryAfter)
}
