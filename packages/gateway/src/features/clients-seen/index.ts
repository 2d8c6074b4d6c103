/** Clients that were seen: which client made which first step with which key, so that a person sees a new client arrive (ADR 0041). */
export { clientSeenOperations as operations } from './clients-seen.operations.ts'
export { startClientsSeen } from './clients-seen.start.ts'
