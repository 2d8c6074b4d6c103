/** Audit records: the writer of records, refusals gathered before they are written, signed checkpoints. */
import { join } from 'node:path'
import type { AuditLogParts } from '../../call/audit-entry.ts'
import { createKeepPayload } from '../../call/payload.ts'
import { createCleanOld } from '../../lib/clean-old.ts'
import { auditLogOf } from './audit-log.ts'
import { CHECKPOINTS, createKeepCheckpoints } from './keep-checkpoints.job.ts'
import { createTellUnstored } from './tell-unstored.ts'
import { createKeepUsage } from '../usage/index.ts'
import { createKeptCheckpoints } from '../../records/chain/kept-checkpoints.ts'
import { isOwnerAlive } from '../../records/outbox/is-owner-alive.ts'
import { createRecordWriter } from '../../records/outbox/writer.ts'
import { removeOldPayloads } from '../../records/payloads.ts'
import { createRefusals } from '../../records/refusals.ts'
import { payloadSealContext } from '../../vault/sealed-columns.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

/** Between two looks for payloads whose time is over. Milliseconds. */
const CLEAN_EVERY = 10 * 60_000

/** @param logLine writes the line of each call, as JSON */
export function startRecords(core: BaseWithDatabase, logLine: AuditLogParts['logLine']) {
  const { config, db, log, counters, opened } = core
  const unstored = createTellUnstored({ db, log, now: Date.now })
  const checkpoints = checkpointsOf(core, config.TOOLWAY_RECORDS_DAYS)
  checkpoints.begin()
  // Closed after the writer of records, so that the last ones are signed, too.
  opened.defer(() => checkpoints.close())
  const usage = createKeepUsage({ db, log, now: Date.now })
  opened.defer(() => usage.close())
  const records = createRecordWriter({
    directory: config.TOOLWAY_OUTBOX ?? join(config.TOOLWAY_DATA, 'outbox'),
    holds: (owner) => db.system((sql) => isOwnerAlive(sql, owner)),
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
  const { payloads, keepPayload } = startPayloads(core, records)
  const auditLog = auditLogOf(core, {
    logLine,
    shadow: counters.shadow,
    intend: records.intend.bind(records),
    write: records.write.bind(records),
    refuseStranger: refusals.take,
    ...(keepPayload === undefined ? {} : { keepPayload }),
  })
  return { records, refusals, checkpoints, payloads, auditLog, recordsProblem: unstored.problem }
}

/** Arguments and results of calls, where an organization keeps them. */
function startPayloads(
  { config, db, vault, log, opened }: BaseWithDatabase,
  records: Pick<ReturnType<typeof createRecordWriter>, 'waiting'>,
) {
  const days = config.TOOLWAY_PAYLOAD_DAYS
  const keepPayload = createKeepPayload({
    seal: (text, id) => vault.seal(text, payloadSealContext(id)),
    waiting: () => records.waiting,
    onTrouble: (thrown) => log.warn({ err: thrown }, 'the payload of a record could not be stored'),
  })
  const removeOld = () => db.system((sql) => removeOldPayloads(sql, days))
  const cleaning = createCleanOld({ removeOld, what: 'payloads of records', log, every: CLEAN_EVERY })
  opened.defer(() => cleaning.close())
  return { payloads: payloadsOf({ config, vault }), keepPayload: days === 0 ? undefined : keepPayload }
}

const payloadsOf = ({ config, vault }: Pick<BaseWithDatabase, 'config' | 'vault'>) => ({
  days: config.TOOLWAY_PAYLOAD_DAYS,
  open: (sealed: Buffer, id: string) => vault.open(sealed, payloadSealContext(id)),
})

const checkpointsOf = ({ config, db, vault, log }: BaseWithDatabase, days: number | undefined) =>
  createKeepCheckpoints({
    ...{ db, vault, log, now: Date.now },
    kept: createKeptCheckpoints(join(config.TOOLWAY_DATA, CHECKPOINTS)),
    minutes: config.TOOLWAY_CHECKPOINT_MINUTES,
    days,
  })

/** For the command line beside the gateway, which begins no job. */
export const localRecords = (base: BaseWithDatabase) => ({
  checkpoints: checkpointsOf(base, undefined),
  payloads: payloadsOf(base),
})
