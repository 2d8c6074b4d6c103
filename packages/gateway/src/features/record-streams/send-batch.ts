/** The destination of a stream, with its secrets opened for one delivery, and read where they are kept if they are references. */
import { Fault } from '@toolway/contract'
import type { RecordStreamId } from '@toolway/contract'
import { destinationOf } from './record-streams.rows.ts'
import type { StreamBatch } from './stream-items.rows.ts'
import { REFUSED_ADDRESS } from '../../upstreams/http/agent.ts'
import type { GuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import type { ConnectTls } from '../../upstreams/http/guarded-tls.ts'
import type { PrivateOrigins } from '../../upstreams/http/permits.ts'
import { recordStreamSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import { DeliveryProblem, type DestinationParts, type Secrets } from './destinations/destination.ts'
import { deliverTo } from './destinations/destinations.ts'

export interface SendBatchParts {
  readonly vault: Pick<Vault, 'open'>
  /** Puts the values in place of references to secrets. Throws `secret.unresolved`. @param owner of the stream */
  reveal(owner: string, text: string): Promise<string>
  fetchFor(reach: { alias: string; privateOrigins: PrivateOrigins }): GuardedFetch
  readonly connectTls: ConnectTls
  readonly now: () => number
  readonly host: string
}

export interface StreamTarget {
  readonly id: RecordStreamId
  readonly organization_id: string
  readonly destination: unknown
  readonly sealed_secrets: Buffer
  readonly private: boolean
}

/** Undefined: the destination has it. Never throws; what it says names no secret and quotes nobody. */
export type SendBatch = (
  stream: StreamTarget,
  batch: StreamBatch,
  signal: AbortSignal,
) => Promise<{ readonly problem: string; readonly retryAfter: number | undefined } | undefined>

/** Milliseconds for one batch. */
export const PATIENCE_MS = 20_000
const ALIAS = 'of a record stream'

export function createSendBatch({ vault, reveal, fetchFor, connectTls, now, host }: SendBatchParts): SendBatch {
  return async (stream, batch, signal) => {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      const stored = JSON.parse(vault.open(stream.sealed_secrets, recordStreamSealContext(stream.id))) as Secrets
      const secrets = await revealSecrets(stored, (text) => reveal(stream.organization_id, text))
      const connect: DestinationParts['connect'] = (target) =>
        connectTls({ ...target, alias: ALIAS, allowPrivate: stream.private })
      // No address is asked here that the destination's settings do not make up (an S3 bucket may be part of the host).
      const fetch = fetchFor({ alias: ALIAS, privateOrigins: stream.private ? 'any' : [] })
      const parts: DestinationParts = { fetch, connect, now, host }
      await deliverTo(parts, destinationOf(stream), secrets)(batch, bounded)
      return undefined
    } catch (thrown) {
      const retryAfter = thrown instanceof DeliveryProblem ? thrown.retryAfter : undefined
      return { problem: problemOf(thrown, bounded), retryAfter }
    }
  }
}

/** The same secrets with the values of their references, which are in memory for this delivery alone. */
async function revealSecrets(
  { headers = {}, webhook, ...single }: Secrets,
  valueOf: (text: string) => Promise<string>,
): Promise<Secrets> {
  const valuesOf = async (texts: Readonly<Record<string, string | undefined>>) => {
    const named = Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
    return Object.fromEntries(
      await Promise.all(named.map(async ([name, text]) => [name, await valueOf(text)] as const)),
    )
  }
  // The secret of a webhook is the gateway's own.
  return { ...(await valuesOf(single)), headers: await valuesOf(headers), webhook }
}

const CODE = /^[A-Z][A-Z0-9_]{2,60}$/

function problemOf(thrown: unknown, signal: AbortSignal): string {
  if (thrown instanceof DeliveryProblem) return thrown.message
  if (signal.aborted) return `it did not respond within ${PATIENCE_MS / 1000} s`
  for (let cause: unknown = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Fault && cause.code === 'egress.refused') return REFUSED_ADDRESS
    if (cause instanceof Fault && cause.code === 'secret.unresolved')
      return `its secret cannot be read: ${cause.facts['problem']}`
    if (cause instanceof Fault && cause.code === 'result.too-large') return 'its response was too long'
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && CODE.test(code)) return `it could not be reached (${code})`
  }
  return 'it could not be reached'
}
