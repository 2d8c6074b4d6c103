/** The door to the shapes of the admin interface, one line for each noun. */
export {
  anyone,
  inItsOrganization,
  inOrganization,
  inOwnOrganization,
  operation,
  ORDERS,
  listOf,
  pageOf,
  Paging,
  platform,
  signedIn,
  sortedBy,
} from './operation.ts'
export type { Method, Needs, Operation, Shape } from './operation.ts'
export {
  Account,
  AccountInPlace,
  AccountChange,
  AccountKey,
  addAccountKey,
  changeAccount,
  listAccounts,
  listAllAccounts,
  listOwnAccounts,
  listReliance,
  OWN_ACCOUNT_KINDS,
  OwnAccount,
  removeAccount,
} from '../features/accounts/accounts.ts'
export {
  AUTH_TYPES,
  addConnection,
  changeConnection,
  compareConnection,
  Connection,
  ConnectionChange,
  getConnection,
  listConnections,
  NewConnection,
  removeConnection,
  toggleConnection,
  probeAddress,
  Probed,
} from '../features/connections/connections.ts'
export { importConnections, ImportedConnection, undoImport } from '../features/connections/imports.ts'
export {
  addOpenApi,
  getOpenApiDocument,
  OpenApiDrift,
  OpenApiPreview,
  previewOpenApi,
  refreshOpenApi,
} from '../features/openapi/openapi.ts'
export { getOpenApi, readReference } from '../features/reference/reference.ts'
export {
  addScimToken,
  getProvisioning,
  Leaver,
  listLeavers,
  Provisioning,
  removeLeaver,
  removeScimToken,
  rotateScimToken,
  ScimToken,
} from '../features/scim/scim.ts'
export {
  addOrganization,
  changeEgress,
  changeOrganization,
  changeSettings,
  getEgress,
  getOrganization,
  getSettings,
  listOrganizations,
  NewOrganization,
  Organization,
  OrganizationChange,
  OrganizationSettings,
  OwnSettings,
  OwnSettingsChange,
  removeOrganization,
} from '../features/organizations/organizations.ts'
export {
  addRule,
  changeRule,
  listRules,
  NewRule,
  removeRule,
  Rule,
  RuleChange,
  RulePattern,
} from '../features/rules/policies.ts'
export {
  addOrganizationRule,
  addOrganizationRules,
  addPlatformRule,
  addPlatformRules,
  changeOrganizationRule,
  changePlatformRule,
  FullRuleChange,
  getOrganizationRule,
  getPlatformRule,
  INNER_SCOPES,
  KeptRule,
  listOrganizationRules,
  listPlatformRules,
  NewOrganizationRule,
  removeOrganizationRule,
  removePlatformRule,
} from '../features/rules/rules.ts'
export type { InnerScope } from '../features/rules/rules.ts'
export {
  disableAllTools,
  enableAllTools,
  listTools,
  listToolsOfConnection,
  switchTools,
  syncTools,
  toggleTool,
  Tool,
} from '../features/connections/tools.ts'
export {
  getToolInFull,
  listAllTools,
  MOST_TOOLS,
  OrganizationTool,
  switchAllTools,
  TOOL_PLIGHTS,
  TOOL_SORTS,
  ToolInFull,
} from '../features/tools/all-tools.ts'
export type { ToolMark } from '../features/tools/all-tools.ts'
export { changePick, pickConnections, pickTools, ToolPickFilter, ToolSelection } from '../features/tools/pick-tools.ts'
export { ListPreview, previewList } from '../features/tools/list-previews.ts'
export {
  acceptTool,
  getToolDifference,
  getToolLock,
  listLockedTools,
  listToolLocks,
  LockedTool,
  rejectTool,
  setToolLock,
  ToolDifference,
  ToolLock,
} from '../features/connections/locks.ts'
export { ApprovalForecast, getApprovalForecast } from '../features/connections/approval-forecasts.ts'
export { AccessCaller, AccessMap, getAccessMap } from '../features/rules/access.ts'
export { Group, joinGroup, leaveGroup, listGroups, putGroup, removeGroup } from '../features/organizations/groups.ts'
export {
  DraftRule,
  ExplainedRule,
  Explanation,
  checkDraftRule,
  DraftCheck,
  explainPolicy,
  listShadows,
  PolicyDraft,
  replayPolicy,
  ReplayReport,
} from '../features/rules/policy-trials.ts'
export { PolicyTests, PolicyTestReport, testPolicy } from '../features/rules/policy-tests.ts'
export type { Expected, Found, TestCase } from '../features/rules/policy-tests.ts'
export { getToolset, listToolsets, putToolset, removeToolset, Toolset } from '../features/toolsets/toolsets.ts'
export {
  changePassword,
  choosePassword,
  Email,
  findCodeOwner,
  endSignIn,
  endSignIns,
  listSignIns,
  login,
  logout,
  PersonName,
  refresh,
  register,
  showMe,
  SignInEntry,
  TokenPair,
  verifyAuth,
  Whoami,
} from '../features/people/auth.ts'
export { SecondStep } from '../features/people/second-step.ts'
export { NEEDS_PROOF } from './needs-proof.ts'
export {
  beginIdentityLink,
  listIdentityLinks,
  removeIdentityLink,
  type IdentityLink,
  type LinkProvider,
} from '../features/identity-providers/identity-links.ts'
export {
  addAuthenticatorApp,
  addPasskey,
  beginAuthenticatorApp,
  beginPasskey,
  beginProof,
  finishLogin,
  listSecondFactors,
  NewPasskey,
  newRecoveryCodes,
  PasskeyAnswer,
  proveAgain,
  removeSecondFactor,
  renameSecondFactor,
  resetMemberSecondFactor,
  resetSecondFactor,
  type SecondFactor,
} from '../features/second-factor/second-factor.ts'
export {
  exportMembers,
  IMPORT_PROBLEMS,
  IMPORT_ROWS,
  ImportedMember,
  importMembers,
  MEMBER_COLUMNS,
  MemberImport,
  previewMemberImport,
  type ImportProblem,
} from '../features/organizations/member-import.ts'
export {
  addMember,
  changeMember,
  ListedMember,
  listMembers,
  Member,
  MEMBER_FILTER,
  MEMBER_ROLES,
  MEMBER_SORTS,
  MemberRole,
  removeMember,
} from '../features/organizations/members.ts'
export {
  addPasswordCode,
  addSetUpCode,
  addUser,
  changeUser,
  ListedUser,
  listUsers,
  PasswordCode,
  removeUser,
  setPassword,
  User,
  USER_SORTS,
  USER_SOURCES,
} from '../features/people/users.ts'
export {
  addMyKey,
  addOrganizationKey,
  addPlatformKey,
  importKeys,
  Key,
  KEY_SORTS,
  KeyWish,
  listMyKeys,
  listOrganizationKeys,
  listPlatformKeys,
  regenerateMyKey,
  removeMyKey,
  removeOrganizationKey,
  removePlatformKey,
  revealMyKey,
  trustKey,
} from '../features/keys/keys.ts'
export {
  AddedOAuthClient,
  addOAuthClient,
  listOAuthClients,
  NewOAuthClient,
  OAuthClient,
  removeOAuthClient,
} from '../features/authorization/oauth-clients.ts'
export { endGrant, endOwnGrant, Grant, listGrants, listOwnGrants } from '../features/authorization/grants.ts'
export {
  hearBroker,
  beginOwnProviderAuth,
  beginProviderAuth,
  ConnectWords,
  linkConnection,
  listProviders,
  readConnectSession,
} from '../features/accounts/connect.ts'
export {
  Credential,
  listCredentials,
  listOAuthApps,
  OAuthApp,
  putOAuthApp,
  removeCredentials,
  removeOAuthApp,
} from '../features/accounts/oauth.ts'
export {
  AuditEvent,
  ChainVerdict,
  exportAudit,
  exportOrganizationAudit,
  listAudit,
  listOrganizationAudit,
  listRecordSigners,
  pruneRecords,
  REDACTABLE,
  redactRecord,
  verifyAudit,
  verifyOrganizationAudit,
  VerifyProgress,
} from '../features/records/audit.ts'
export type { Redactable } from '../features/records/audit.ts'
export { AUDIT_ACTIONS } from '../features/records/audit-actions.ts'
export type { AuditAction } from '../features/records/audit-actions.ts'
export {
  getPayloadSetting,
  PayloadSetting,
  RecordPayload,
  setPayloadSetting,
  showRecordPayload,
} from '../features/records/payloads.ts'
export { Endpoint, findEndpoint } from '../features/connections/endpoints.ts'
export { ConnectionLogLine, followConnectionLog, listConnectionLog } from '../features/connections/log.ts'
export { followLogs, LEVELS_OF_LOG, listRecentLogs, LogLine } from '../features/runtime/logs.ts'
export { endPooled, endPooledIdle, listPooled, Pooled, summarizePool } from '../features/runtime/pool.ts'
export {
  findProcess,
  findProcessOfConnection,
  Process,
  restartProcess,
  restartProcessOfConnection,
  stopProcess,
  stopProcessOfConnection,
} from '../features/runtime/processes.ts'
export { endSession, listSessions, OpenSession } from '../features/runtime/sessions.ts'
export { listGateways, RunningGateway } from '../features/runtime/gateways.ts'
export { listSettings } from '../features/runtime/settings.ts'
export { findPlatformStats, findStats, PlatformStats, Stats } from '../features/runtime/stats.ts'
export {
  AVAILABILITY_TARGET,
  findServiceLevels,
  LEVEL_WINDOWS,
  MOST_LEVELS,
  ServiceLevels,
  type LevelWindow,
  type ServiceLevel,
} from '../features/usage/service-levels.ts'
export { findUsage, listUsageCallers, MOST_USAGE_DAYS, Usage, UsageCaller } from '../features/usage/usage.ts'
export { CATALOG_ENTRY, NativeConnector } from '../features/integrations/catalog.ts'
export { Alert, ALERT_KINDS, listAlerts, type AlertKind } from '../features/alerts/alerts.ts'
export {
  CLIENT_STEPS,
  ClientSeen,
  followEvents,
  followOrganizationEvents,
  GatewayEvent,
  INTEGRATION_ACTIONS,
} from '../features/events/events.ts'
export { listClientsSeen, SeenClient } from '../features/clients-seen/clients-seen.ts'
export {
  FILLED,
  inputSchemaOf,
  pathParameters,
  PLATFORM_TOOLS,
  type PlatformTool,
} from '../features/tools/platform-tools.ts'
export {
  addIntegration,
  changeIntegration,
  connectIntegration,
  departForAccount,
  disconnectIntegration,
  finishOAuth,
  getIntegration,
  getOAuthUrl,
  Integration,
  IntegrationChange,
  getNativeConnector,
  listConnectorCatalog,
  listIntegrationRegistry,
  listIntegrations,
  listIntegrationTools,
  NewIntegration,
  RegistryEntry,
  removeIntegration,
  testIntegration,
} from '../features/integrations/integrations.ts'
export {
  AGENT_PROVIDERS,
  AGENT_STEPS,
  AGENT_URLS,
  AgentEvent,
  AgentModel,
  getAgentModel,
  removeAgentModel,
  runAgent,
  setAgentModel,
} from '../features/agent/agent.ts'
export {
  addWebhook,
  changeWebhook,
  listWebhooks,
  NewWebhook,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  Webhook,
  WebhookChange,
} from '../features/webhooks/webhooks.ts'
export {
  addInstallationRecordStream,
  addRecordStream,
  changeInstallationRecordStream,
  changeRecordStream,
  listAllRecordStreams,
  listRecordStreams,
  NewRecordStream,
  RecordStream,
  RecordStreamChange,
  removeInstallationRecordStream,
  removeRecordStream,
  testInstallationRecordStream,
  testRecordStream,
} from '../features/record-streams/record-streams.ts'
export {
  GroupMapping,
  IdentityProvider,
  IdentityProviderInput,
  listIdentityProviders,
  listInstallationIdentityProviders,
  OidcSettings,
  ProviderSettings,
  putIdentityProvider,
  putInstallationIdentityProvider,
  removeIdentityProvider,
  removeInstallationIdentityProvider,
  SamlMetadataSettings,
  SamlSettings,
  tryIdentityProvider,
  tryInstallationIdentityProvider,
} from '../features/identity-providers/identity-providers.ts'
export {
  IdentityDomain,
  listIdentityDomains,
  proveIdentityDomain,
  putIdentityDomain,
  removeIdentityDomain,
} from '../features/identity-providers/identity-domains.ts'
export { PROVIDER_PRESETS } from '../features/identity-providers/presets.ts'
export type { ProviderPreset } from '../features/identity-providers/presets.ts'
export {
  destinationKind,
  DESTINATIONS,
  StreamDestination,
  StreamSecrets,
} from '../features/record-streams/destinations.ts'
export type {
  DestinationField,
  DestinationKind,
  DestinationSecret,
} from '../features/record-streams/destinations/destination.ts'
export {
  answerApproval,
  ApprovalAnswer,
  answerApprovalSigned,
  Approval,
  ApprovalOutcome,
  ApprovalWithArguments,
  APPROVAL_STATES,
  getApproval,
  listApprovals,
  SignedAnswer,
  endLastingApproval,
  LastingApproval,
  listLastingApprovals,
} from '../features/approvals/approvals.ts'
export {
  addDownloadLink,
  addFile,
  addUploadLink,
  FILE_ORIGINS,
  FileEntry,
  FileLink,
  FileUsage,
  getFile,
  getFileUsage,
  listFiles,
  removeFile,
} from '../features/files/files.ts'
