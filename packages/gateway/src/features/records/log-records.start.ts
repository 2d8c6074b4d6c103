/**
 * Where nothing is stored, what happened is on the log: one JSON line for each call, which `audit.ts` writes, and one for each kind
 * of refusal of callers whom nobody knows.
 */
import type { AuditLog, AuditLogParts } from '../../call/audit-entry.ts'
import { auditLogOf } from './audit-log.ts'
import { createRefusals } from '../../records/refusals.ts'
import type { Base } from '../../base/base.ts'

/** A placeholder that is never read. */
const NOWHERE = Promise.resolve({} as Awaited<ReturnType<AuditLogParts['intend']>>)

/** @param logLine writes the line of each call, as JSON */
export function startLogRecords(base: Base, logLine: AuditLogParts['logLine']): AuditLog {
  const { log, opened } = base
  const refusals = createRefusals({
    // The first of its kind is the line of its call already.
    write: (entry) => {
      if (entry.detail !== undefined) log.warn(entry, 'refused')
    },
    now: Date.now,
  })
  opened.defer(() => refusals.close())
  return auditLogOf(base, { logLine, intend: () => NOWHERE, write() {}, refuseStranger: refusals.take })
}
