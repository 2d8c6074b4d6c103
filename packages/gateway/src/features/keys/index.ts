/** Keys: those of the platform, of organizations and of people, how they are made and taken over, and when they were last used. */
export { keyChange } from './make-key.ts'
export { createTakeOver } from './old-keys.ts'
export { createKeepUses, type KeepUses } from './keep-uses.job.ts'
export { keyOperations } from './keys.operations.ts'
export { myKeyOperations, type MyKeyParts } from './my-keys.operations.ts'
export { createOnBehalfOfAnybody } from './on-behalf-of-anybody.ts'
