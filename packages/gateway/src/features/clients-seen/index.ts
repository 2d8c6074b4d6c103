/** Clients that were seen: which client made which first step with which key, so that a person sees a new client arrive (ADR 0041). */
export { clientSeenOperations, type ClientSeenParts } from './clients-seen.operations.ts'
export { forgetClientsSeen, storeClientsSeen } from './clients-seen.rows.ts'
export { createKeepClientsSeen, type KeepClientsSeen } from './keep-clients-seen.job.ts'
