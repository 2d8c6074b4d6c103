/** Second factors of people: passkeys, authenticator apps and recovery codes (ADR 0143). */
import type { Served } from '../../operations/serve.ts'
import { ownFactorOperations, type OwnFactorParts } from './own-factors.operations.ts'
import { resetOperations } from './reset.operations.ts'

export { createSecondFactors } from './second-factors.ts'
export const operations: readonly Served<OwnFactorParts>[] = [...ownFactorOperations, ...resetOperations]
