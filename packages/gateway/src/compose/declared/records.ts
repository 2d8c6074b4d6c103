/**
 * Where nothing is stored, what happened is on the log: one JSON line for each call, which `audit.ts` writes, and one for each kind
 * of refusal of callers whom nobody knows.
 */
import type { AuditLogParts } from '../../call/audit-entry.ts'
import { createRefusals } from '../../records/refusals.ts'
import type { Base } from '../../base/base.ts'

/** A placeholder that is never read. */
const NOWHERE = Promise.resolve({} as Awaited<ReturnType<AuditLogParts['intend']>>)

export function composeLogRecords({ log, opened }: Base): Pick<AuditLogParts, 'intend' | 'write' | 'refuseStranger'> {
  const refusals = createRefusals({
    // The first of its kind is the line of its call already.
    write: (entry) => {
      if (entry.detail !== undefined) log.warn(entry, 'refused')
    },
    now: Date.now,
  })
  opened.defer(() => refusals.close())
  return { intend: () => NOWHERE, write() {}, refuseStranger: refusals.take }
}
