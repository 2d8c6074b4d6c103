/**
 * Records: how people read, export, verify and prune the audit log, and what signs its chains and tells that it cannot be stored. What a
 * record is, and how it is stored, is the noun `records/`, which a call writes.
 */
export { auditOperations, type AuditParts } from './audit.operations.ts'
export { payloadOperations, type PayloadParts } from './payloads.operations.ts'
export { CHECKPOINTS, createKeepCheckpoints } from './keep-checkpoints.job.ts'
export { createTellUnstored } from './tell-unstored.ts'
