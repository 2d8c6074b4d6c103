export {
  Alias,
  ConnectionSecrets,
  ConnectionSettings,
  HttpSettings,
  Origin,
  ProcessSettings,
  Slug,
  TIMEOUTS,
  ToolsetSettings,
} from './connections.ts'
export { newId } from './ids.ts'
export type { ConnectionId, IdOf, IdPrefix, ImportId, KeyId, OrganizationId, RecordId, ToolsetId } from './ids.ts'
export { Fault, FAULTS } from './faults.ts'
export type { FaultCode, FaultExtra, FaultFacts, FaultPhase, FaultWord } from './faults.ts'
export { REVISIONS } from './revisions.ts'
export type { Revision } from './revisions.ts'
