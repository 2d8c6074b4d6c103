/** Every operation of the admin interface. The door serves these, and nothing else below /api/v1. */
import { agentOperations, type AgentParts } from '../features/agent/index.ts'
import { accountOperations, connectOperations, oauthOperations, type AccountParts } from '../features/accounts/index.ts'
import { answerApprovalSigned, hearBroker, finishOAuth, type Operation } from '@toolway/contract/admin'
import { approvalOperations, type ApprovalParts } from '../features/approvals/index.ts'
import { authOperations, userOperations, type AuthParts, type UserParts } from '../features/people/index.ts'
import {
  connectionOperations,
  type ConnectionOperationParts,
  importOperations,
  connectionLogOperations,
  probeOperations,
  endpointOperations,
  lockOperations,
  toolOperations,
} from '../features/connections/index.ts'
import { describedBy } from '../features/reference/index.ts'
import { keyOperations, myKeyOperations, type MyKeyParts } from '../features/keys/index.ts'
import {
  groupOperations,
  memberOperations,
  organizationEgressOperations,
  organizationOperations,
  organizationSettingOperations,
  type MemberParts,
  type OrganizationParts,
} from '../features/organizations/index.ts'
import { grantOperations, oauthClientOperations } from '../features/authorization/index.ts'
import { alertOperations } from '../features/alerts/index.ts'
import { eventOperations, type EventParts } from '../features/events/index.ts'
import { clientSeenOperations, type ClientSeenParts } from '../features/clients-seen/index.ts'
import { fileOperations, type FileOperationParts } from '../features/files/index.ts'
import { auditOperations, payloadOperations, type AuditParts, type PayloadParts } from '../features/records/index.ts'
import { recordStreamOperations, type RecordStreamParts } from '../features/record-streams/index.ts'
import { serviceLevelOperations, usageOperations } from '../features/usage/index.ts'
import { webhookOperations, type WebhookParts } from '../features/webhooks/index.ts'
import { integrationOperations, type IntegrationParts } from '../features/integrations/index.ts'
import { openApiOperations, type OpenApiParts } from '../features/openapi/index.ts'
import {
  logOperations,
  poolOperations,
  processOperations,
  gatewayOperations,
  sessionOperations,
  settingOperations,
  statsOperations,
  type RuntimeParts,
} from '../features/runtime/index.ts'
import {
  organizationRuleOperations,
  platformRuleOperations,
  policyTrialOperations,
  ruleOperations,
  type RuleParts,
} from '../features/rules/index.ts'
import type { Served } from '../operations/serve.ts'
import { organizationToolOperations, type ToolParts } from '../features/tools/index.ts'
import { toolsetOperations } from '../features/toolsets/index.ts'

/** The parts of the operations of all features. */
export type OperationParts = AccountParts &
  AuthParts &
  UserParts &
  MemberParts &
  OrganizationParts &
  MyKeyParts &
  AgentParts &
  ConnectionOperationParts &
  ApprovalParts &
  AuditParts &
  ClientSeenParts &
  EventParts &
  FileOperationParts &
  IntegrationParts &
  OpenApiParts &
  ToolParts &
  PayloadParts &
  RecordStreamParts &
  RuntimeParts &
  RuleParts &
  WebhookParts

const DESCRIBED: readonly Served<OperationParts>[] = [
  ...authOperations,
  ...groupOperations,
  ...memberOperations,
  ...userOperations,
  ...keyOperations,
  ...myKeyOperations,
  ...clientSeenOperations,
  ...organizationOperations,
  ...organizationSettingOperations,
  ...organizationEgressOperations,
  ...probeOperations,
  ...connectionOperations,
  ...importOperations,
  ...openApiOperations,
  ...accountOperations,
  ...toolOperations,
  ...organizationToolOperations,
  ...lockOperations,
  ...payloadOperations,
  ...toolsetOperations,
  ...ruleOperations,
  ...platformRuleOperations,
  ...organizationRuleOperations,
  ...policyTrialOperations,
  ...grantOperations,
  ...oauthClientOperations,
  ...oauthOperations,
  ...connectOperations,
  ...auditOperations,
  ...endpointOperations,
  ...processOperations,
  ...connectionLogOperations,
  ...logOperations,
  ...poolOperations,
  ...sessionOperations,
  ...gatewayOperations,
  ...settingOperations,
  ...statsOperations,
  ...usageOperations,
  ...serviceLevelOperations,
  ...integrationOperations,
  ...eventOperations,
  ...alertOperations,
  ...webhookOperations,
  ...recordStreamOperations,
  ...approvalOperations,
  ...agentOperations,
  ...fileOperations,
]

/** Where browsers come back to is served by a door of its own, and described here. */
export const BESIDE: readonly Operation[] = [finishOAuth, answerApprovalSigned, hearBroker]

export const OPERATIONS: readonly Served<OperationParts>[] = [...DESCRIBED, ...describedBy(DESCRIBED, BESIDE)]
