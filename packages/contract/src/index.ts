export { newId } from './ids.ts'
export type { ConnectionId, IdOf, IdPrefix, ImportId, KeyId, OrganizationId, RecordId, ToolsetId } from './ids.ts'
export { Fault, FAULTS } from './faults.ts'
export type { FaultCode, FaultExtra, FaultFacts, FaultPhase, FaultWord } from './faults.ts'
