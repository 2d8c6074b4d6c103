/** An audit log that keeps nothing, for calls without a gateway around them. */
import { createAuditLog, type AuditLog, type AuditLogParts } from '../call/audit-entry.ts'

export const createTestAuditLog = (parts: Partial<AuditLogParts> = {}): AuditLog =>
  createAuditLog({
    log: { debug() {}, warn() {}, error() {} },
    logLine() {},
    count() {},
    refuse() {},
    intend: async () => ({ path: '', open: 0, waiting: 0, spilled: false }),
    write() {},
    refuseStranger() {},
    ...parts,
  })
