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
export type {
  ConnectionId,
  CredentialId,
  FamilyId,
  IdOf,
  IdPrefix,
  ImportId,
  KeyId,
  OAuthAppId,
  OrganizationId,
  RecordId,
  RuleId,
  ToolsetId,
  UserId,
} from './ids.ts'
export { Fault, FAULTS } from './faults.ts'
export type { FaultCode, FaultExtra, FaultFacts, FaultPhase, FaultWord } from './faults.ts'
export { REVISIONS } from './revisions.ts'
export type { Revision } from './revisions.ts'
export { EFFECTS, effectOf, lesserLimit, LIMITS, reaches } from './effects.ts'
export type { Effect, Limit } from './effects.ts'
export { RULE_ACTIONS } from './rules.ts'
export type { RuleAction, ToolRule } from './rules.ts'
export { lesserRole, MATRIX, PERMISSIONS, permits, ROLES } from './roles.ts'
export type { Permission, Role } from './roles.ts'
