/** The log of calls, as every gateway has it: counted and traced, wherever the records of it go. */
import { createAuditLog, type AuditLog, type AuditLogParts } from '../../call/audit-entry.ts'
import { createKnownAttributes } from '../../call/trace-attributes.ts'
import type { Base } from '../../base/base.ts'

export const auditLogOf = (
  { log, counters, telemetry }: Base,
  parts: Omit<AuditLogParts, 'log' | 'count' | 'countTool' | 'refuse' | 'traces'>,
): AuditLog =>
  createAuditLog({
    ...parts,
    log,
    count: counters.call,
    countTool: counters.tool,
    refuse: counters.refuse,
    traces: telemetry && { tracer: telemetry.tracer, observe: telemetry.observe, known: createKnownAttributes() },
  })
