/** What remains of what was done: the writer of records, refusals gathered before they are written, signed checkpoints. */
import { join } from 'node:path'
import { CHECKPOINTS, createKeepCheckpoints } from '../jobs/keep-checkpoints.ts'
import { createKeptCheckpoints } from '../records/chain/kept-checkpoints.ts'
import { isAlive } from '../db/listener.ts'
import { createRecordWriter } from '../records/outbox/writer.ts'
import { storeRecords } from '../records/records.ts'
import { createRefusals } from '../records/refusals.ts'
import type { Ground } from './ground.ts'

export function composeRecords({ config, db, vault, log, counters, opened }: Ground) {
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
  const records = createRecordWriter({
    directory: config.TOOLWAY_OUTBOX ?? join(config.TOOLWAY_DATA, 'outbox'),
    holds: (owner) => db.system((sql) => isAlive(sql, owner)),
    now: Date.now,
    store: (entries) => db.system((sql) => storeRecords(sql, entries)),
    log,
    onLoss: (count) => counters.loseRecords(count),
  })
  opened.defer(() => records.close())
  const refusals = createRefusals({ write: (entry) => records.write(entry), now: Date.now })
  opened.defer(() => refusals.close())
  return { records, refusals, checkpoints }
}
