/**
 * Connections: what an organization is connected to, at which address or by which program, what of it is switched on, and what the calls
 * of each person come to there (ADR 0130). Lists are kept by the feature `catalog`, accounts are those of `accounts`.
 */
import { probeOperations } from './probe.operations.ts'
import { connectionOperations } from './connections.operations.ts'
import { importOperations } from './imports.operations.ts'
import { toolOperations } from './tools.operations.ts'
import { lockOperations } from './locks.operations.ts'
import { endpointOperations } from './endpoints.operations.ts'
import { connectionLogOperations } from './log.operations.ts'

export {
  add as addConnection,
  change as changeConnection,
  get as getConnection,
  list as listConnections,
  proposedAlias,
  remove as removeConnection,
  secretsOf,
  shownConnection,
  statesFor,
} from './connections.operations.ts'
export { connectionOperations, lockOperations }
export type { ConnectionOperationParts, ShownConnectionParts } from './serve.operations.ts'
export { type Accounts, NO_ACCOUNTS } from './auth-type.ts'
export type { CallState } from './call-state.ts'
export { type CallStateParts, readCallStates } from './read-call-states.ts'
export { type CreatedConnection, createConnection } from './create-connection.ts'
export { permittedParts, type Speaker } from './permitted-parts.ts'
export { describe } from './describe-connection.ts'
export { proposedName } from './proposed-name.ts'
export { type DescribedTool, describeTools, textOf, titleOf } from './describe-tools.ts'
export { openedSecrets, unsafeAddresses } from './unsafe-addresses.ts'

export const operations = [
  ...probeOperations,
  ...connectionOperations,
  ...importOperations,
  ...toolOperations,
  ...lockOperations,
  ...endpointOperations,
  ...connectionLogOperations,
]
