/** What remains of what was done: the writer of records, refusals gathered before they are written, signed checkpoints. */
import { join } from 'node:path'
import { createKeepCheckpoints } from '../jobs/keep-checkpoints.ts'
import { createTellUnstored } from '../jobs/tell-unstored.ts'
import { createRecordWriter } from '../records/outbox/writer.ts'
import { storeRecords } from '../records/records.ts'
import { createRefusals } from '../records/refusals.ts'
import type { Ground } from './ground.ts'

export function composeRecords({ config, db, vault, log, counters, opened }: Ground) {
  const told = createTellUnstored({
    db,
    store: (entries) => db.system((sql) => storeRecords(sql, entries)),
    log,
    now: Date.now,
  })
  const records = createRecordWriter({
    directory: join(config.TOOLWAY_DATA, 'outbox'),
    now: Date.now,
    store: told.store,
    log,
    onLoss: (count) => counters.loseRecords(count),
  })
  opened.defer(() => records.close())
  const refusals = createRefusals({ write: (entry) => records.write(entry), now: Date.now })
  opened.defer(() => refusals.close())
  const checkpoints = createKeepCheckpoints({
    db,
    vault,
    log,
    now: Date.now,
    minutes: config.TOOLWAY_CHECKPOINT_MINUTES,
    days: config.TOOLWAY_RECORDS_DAYS,
  })
  opened.defer(() => checkpoints.close())
  return { records, refusals, checkpoints, recordsProblem: told.problem }
}
