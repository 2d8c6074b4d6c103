/**
 * Records: how people read, export, verify and prune the audit log, and what signs its chains and tells that it cannot be stored. What a
 * record is, and how it is stored, is the noun `records/`, which a call writes.
 */
import type { Served } from '../../operations/serve.ts'
import { payloadOperations, type PayloadParts } from './payloads.operations.ts'
import { auditOperations, type AuditParts } from './audit.operations.ts'

export { localRecords, startRecords } from './records.start.ts'
export { startLogRecords } from './log-records.start.ts'

export const operations: readonly Served<AuditParts & PayloadParts>[] = [...payloadOperations, ...auditOperations]
