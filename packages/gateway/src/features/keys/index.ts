/** Keys: those of the platform, of organizations and of people, how they are made and taken over, and when they were last used. */
import type { Served } from '../../operations/serve.ts'
import { keyOperations, type KeyParts } from './keys.operations.ts'
import { myKeyOperations, type MyKeyParts } from './my-keys.operations.ts'

export { keyChange } from './make-key.ts'
export { startDeclaredIdentity } from './declared-identity.start.ts'
export { refuseNoPlace } from './external-principals.ts'
export { startIdentity } from './identity.start.ts'
export { createKeepUses, type KeepUses } from './keep-uses.job.ts'
export { createOnBehalfOfAnybody } from './on-behalf-of-anybody.ts'

export const operations: readonly Served<KeyParts & MyKeyParts>[] = [...keyOperations, ...myKeyOperations]
