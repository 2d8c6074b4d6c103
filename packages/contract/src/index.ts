export { ALIAS_LENGTH, aliasOf } from './alias-of.ts'
export { Alias, ConnectionSecrets, Origin, Slug, ToolsetSettings } from './connections.ts'
export { CHECKS } from './kinds/kind.ts'
export type { FieldSource, SettingField, SettingsForm } from './form.ts'
export {
  ConnectionSettings,
  CONNECTORS,
  DEFAULT_CONNECTOR,
  firstLockOf,
  kindOf,
  KINDS,
  authOf,
  BACKENDS,
  backendWordsOf,
  hasAddress,
  mayHaveAccounts,
  runsHere,
  SERVICE_CONNECTORS,
  SERVICES,
  TIMEOUTS,
  usualAddressOf,
} from './kinds/kinds.ts'
export type { Backend, BackendWords, Connector, ServiceConnector } from './kinds/kinds.ts'
export { NO_OWN, ownMemberOf } from './kinds/own-members.ts'
export type { OwnMember } from './kinds/own-members.ts'
export { HttpSettings } from './kinds/http.ts'
export {
  isPathHint,
  namedHomePaths,
  namedPaths,
  notAllowed,
  notAllowedWords,
  pathsInText,
  shellWord,
  type ClosedPath,
} from './kinds/named-paths.ts'
export { CHILD_NETWORKS, ChildAccess, ProcessSettings, programLine, ProgramNames } from './kinds/stdio.ts'
export { NativeSettings, VendorName } from './kinds/native.ts'
export { PlatformSettings } from './kinds/platform.ts'
export { ContractSettings, ContractWords } from './kinds/contract.ts'
export {
  ALL_TOOLS,
  changesAlone,
  dropConnection,
  dropTools,
  NO_TOOLS,
  selects,
  takeConnection,
  takeTools,
} from './tool-selection.ts'
export type { PickableTool, SelectedTools } from './tool-selection.ts'
export { Audience, DISCOVERY_MODES, NAMINGS, OWN_TOOLS, SMALL_PAGE, ToolWords } from './toolset-words.ts'
export type { DiscoveryMode, Naming } from './toolset-words.ts'
export {
  DOCUMENT_LIMIT,
  isOpenApi,
  KeyPlace,
  openapi,
  OpenApiSettings,
  OperationEffects,
  OperationPattern,
  OperationSelection,
} from './kinds/openapi.ts'
export { Authority, ClientAuthMethod } from './authority.ts'
export { AccountName, ConnectionAuth, ConnectionAuthChange, ProviderName } from './connection-auth.ts'
export {
  appNamesOf,
  authorityAt,
  authorityOf,
  findProvider,
  isAtVendor,
  placeAt,
  PlaceProblem,
  providerAt,
  PROVIDERS,
} from './providers.ts'
export type { ClaimPath, Provider, ProviderPlace, Revocation } from './providers.ts'
export { EgressExceptions } from './egress.ts'
export { csvLine } from './csv.ts'
export { csvRows, csvTextOf, type CsvRow } from './csv-rows.ts'
export { isPlaceholder } from './placeholder.ts'
export { hasHidden, visible, visibleJson, visibleText } from './visible.ts'
export { CATALOG_CATEGORIES, CONNECTOR_CATALOG } from './catalog.ts'
export type { CatalogCategory, CatalogEntry } from './catalog.ts'
export { newId } from './ids.ts'
export type {
  AlertId,
  ApprovalId,
  ConnectionId,
  CredentialId,
  DeliveryId,
  FamilyId,
  FlowId,
  StoredResultId,
  FileId,
  PasskeyId,
  AuthenticatorAppId,
  IdOf,
  IdPrefix,
  ImportId,
  KeyId,
  StandingGrantId,
  OAuthAppId,
  IdentityProviderId,
  RecordStreamId,
  ScimGroupId,
  ScimTokenId,
  OrganizationId,
  RecordId,
  RuleId,
  ToolsetId,
  UserId,
  WebhookId,
} from './ids.ts'
export { Fault, FAULTS } from './faults.ts'
export type { FaultCode, FaultExtra, FaultFacts, FaultPhase, FaultWord } from './faults.ts'
export { REVISIONS } from './revisions.ts'
export type { Revision } from './revisions.ts'
export {
  EFFECT_SOURCES,
  EFFECTS,
  effectOf,
  lesserLimit,
  LIMITS,
  reaches,
  SHOWN_EFFECTS,
  shownEffectOf,
  statesEffect,
} from './effects.ts'
export { changesEffect, resolveEffect } from './resolve-effect.ts'
export type { EffectSpeakers } from './resolve-effect.ts'
export { TOOL_EFFECT, toolEffectIn, WANTS_EFFECTS, type ToolEffect } from './shown-effects.ts'
export type { Effect, EffectSource, Limit, ResolvedEffect, ShownEffect } from './effects.ts'
export { ACTIONS, outcomeOf, RULE_ACTIONS, ruleActionOf, VERDICT_ACTIONS } from './rule-actions/actions.ts'
export type { RuleAction, VerdictAction } from './rule-actions/actions.ts'
export type { DraftParameters } from './rule-actions/action.ts'
export { Approvers } from './rule-actions/approve.ts'
export { ParameterPath, recordIn, RuleName, valueOf } from './rule-actions/parameters.ts'
export { NAME_ACTIONS, RULE_SCOPES, RULE_STATES, RuleMatch, RuleWords, ruleWordsWith } from './rules.ts'
export type {
  ContextFacts,
  GivenFile,
  NameAction,
  PrincipalFacts,
  Rule,
  RuleRef,
  RuleScope,
  RuleState,
  RuleWordsOf,
  OtherNames,
  ToolFacts,
  ToolRule,
} from './rules.ts'
export { lesserRole, MATRIX, PERMISSIONS, permits, ROLES } from './roles.ts'
export type { Permission, Role } from './roles.ts'
export { APPROVAL_PRESETS, approvalOf, APPROVALS, LOCK_MODES } from './tool-lock.ts'
export type { Approval, ApprovalPreset, Hold, LockMode } from './tool-lock.ts'
export { ANYBODY } from './verdict.ts'
export type { Change, Facts, Shadow, ToolPolicy, Verdict } from './verdict.ts'
export type { LimitedTools } from './client-settings/tool-limits.ts'
export { endpointOf, gatewayBaseOf } from './gateway-address.ts'
export { CONSOLE_PAGES, CONSOLE_PATHS, CONSOLE_PREFIX } from './console.ts'
