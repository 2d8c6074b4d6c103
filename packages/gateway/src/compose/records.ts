/** Audit records: the writer of records, refusals gathered before they are written, signed checkpoints. */
import { join } from 'node:path'
import { createKeepPayload } from '../call/payload.ts'
import { createCleanOld } from '../lib/clean-old.ts'
import { CHECKPOINTS, createKeepCheckpoints, createTellUnstored } from '../features/records/index.ts'
import { createKeepUsage } from '../features/usage/index.ts'
import { createKeptCheckpoints } from '../records/chain/kept-checkpoints.ts'
import { isAlive } from '../db/live-listeners.ts'
import { createRecordWriter } from '../records/outbox/writer.ts'
import { removeOldPayloads } from '../records/payloads.ts'
import { createRefusals } from '../records/refusals.ts'
import { payloadRow } from '../vault/sealed-columns.ts'
import type { BaseWithDatabase } from '../base/base.ts'

/** Between two looks for payloads whose time is over. Milliseconds. */
const CLEAN_EVERY = 10 * 60_000

export function composeRecords(core: BaseWithDatabase) {
  const { config, db, vault, log, counters, opened } = core
  const unstored = createTellUnstored({ db, log, now: Date.now })
  const checkpoints = createKeepCheckpoints({
    db,
    vault,
    kept: createKeptCheckpoints(join(config.TOOLWAY_DATA, CHECKPOINTS)),
    log,
    now: Date.now,
    minutes: config.TOOLWAY_CHECKPOINT_MINUTES,
    days: config.TOOLWAY_RECORDS_DAYS,
  })
  checkpoints.begin()
  // Closed after the writer of records, so that the last ones are signed, too.
  opened.defer(() => checkpoints.close())
  const usage = createKeepUsage({ db, log, now: Date.now })
  opened.defer(() => usage.close())
  const records = createRecordWriter({
    directory: config.TOOLWAY_OUTBOX ?? join(config.TOOLWAY_DATA, 'outbox'),
    holds: (owner) => db.system((sql) => isAlive(sql, owner)),
    onBack: (listener) => db.presence.onBack(listener),
    now: Date.now,
    store: unstored.store,
    log,
    onStored: counters.storeBatch,
    onLoss: (count) => counters.loseRecords(count),
  })
  opened.defer(() => records.close())
  const refusals = createRefusals({ write: (entry) => records.write(entry), now: Date.now })
  opened.defer(() => refusals.close())
  return { records, refusals, checkpoints, recordsProblem: unstored.problem, ...composePayloads(core, records) }
}

/** Arguments and results of calls, where an organization keeps them. */
function composePayloads(
  { config, db, vault, log, opened }: BaseWithDatabase,
  records: Pick<ReturnType<typeof createRecordWriter>, 'waiting'>,
) {
  const days = config.TOOLWAY_PAYLOAD_DAYS
  const keepPayload = createKeepPayload({
    seal: (text, id) => vault.seal(text, payloadRow(id)),
    waiting: () => records.waiting,
    onTrouble: (thrown) => log.warn({ err: thrown }, 'the payload of a record could not be stored'),
  })
  const removeOld = () => db.system((sql) => removeOldPayloads(sql, days))
  const cleaning = createCleanOld({ removeOld, what: 'payloads of records', log, every: CLEAN_EVERY })
  opened.defer(() => cleaning.close())
  const payloads = { days, open: (sealed: Buffer, id: string) => vault.open(sealed, payloadRow(id)) }
  return { payloads, ...(days === 0 ? {} : { keepPayload }) }
}
