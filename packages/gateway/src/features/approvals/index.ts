/**
 * Approvals: how people see, answer and end questions whether a call may be made (ADR 0032), and what closes those that nobody answered.
 * Asking, and what an answer means for a call, is `call/approvals/`; the rule action that asks, with its defaults (who may answer, how many,
 * how long), is `rule-actions/approve.ts` of the contract.
 */
export { approvalOperations as operations } from './approvals.operations.ts'
export { approverIn, type AdminApprovals } from './admin-approvals.ts'
export { argumentsOf, describeApproval, maySee, type Viewer } from './describe-approval.ts'
export { startApprovals } from './approvals.start.ts'
