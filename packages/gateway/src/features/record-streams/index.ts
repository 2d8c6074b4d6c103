/**
 * Record streams: records and alerts of an organization, or of the whole installation, pushed to a destination in order and at least
 * once (ADR 0091). This is what the rest of the gateway may use of them; their commands are loaded by the command line alone.
 */
import { hostname } from 'node:os'
import type { BaseWithDatabase } from '../../base/base.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { connectTls } from '../../upstreams/http/guarded-tls.ts'
import { createDeliverStreams } from './deliver-streams.job.ts'
import { createSendBatch, PATIENCE_MS, type SendBatch, type SendBatchParts } from './send-batch.ts'

export { recordStreamOperations as operations } from './record-streams.operations.ts'
export type { SendBatch } from './send-batch.ts'

/** Sends from here to the destinations of record streams. */
export const createStreamSender = (parts: Pick<SendBatchParts, 'vault' | 'reveal'>): SendBatch =>
  createSendBatch({
    ...parts,
    connectTls,
    fetchFor: (reach) => createGuardedFetch(reach, { patience: PATIENCE_MS }),
    now: Date.now,
    host: hostname(),
  })

/** Delivers them from now on. */
export function startRecordStreams(
  { db, vault, log, opened }: BaseWithDatabase,
  { reveal }: Pick<SendBatchParts, 'reveal'>,
) {
  const sendBatch = createStreamSender({ vault, reveal })
  const deliveries = createDeliverStreams({ db, log, send: sendBatch, random: Math.random })
  opened.defer(() => deliveries.close())
  return { sendBatch, wakeStreams: deliveries.wake.bind(deliveries) }
}
