/** Every operation of the admin interface. The door serves these, and nothing else below /api/v1. */
import { agentOperations } from './agent/agent.ts'
import { accountOperations } from './accounts/accounts.ts'
import { answerApprovalSigned, hearBroker, finishOAuth, type Operation } from '@toolway/contract/admin'
import { approvalOperations } from './approvals/approvals.ts'
import { authOperations } from './people/auth.ts'
import { connectionOperations } from './connections/connections.ts'
import { importOperations } from './connections/imports.ts'
import { describedBy } from './reference/documents.ts'
import { keyOperations } from './keys/keys.ts'
import { memberOperations } from './organizations/members.ts'
import { clientSeenOperations } from './keys/clients-seen.ts'
import { myKeyOperations } from './keys/my-keys.ts'
import { grantOperations } from './oauth/grants.ts'
import { oauthClientOperations } from './oauth/oauth-clients.ts'
import { connectOperations } from './oauth/connect.ts'
import { oauthOperations } from './oauth/oauth.ts'
import { auditOperations } from './audit.ts'
import { connectionLogOperations } from './connections/connection-log.ts'
import { probeOperations } from './connections/probe.ts'
import { endpointOperations } from './connections/endpoints.ts'
import { alertOperations } from './events/alerts.ts'
import { eventOperations } from './events/events.ts'
import { recordStreamOperations } from './events/record-streams.ts'
import { webhookOperations } from './events/webhooks.ts'
import { integrationOperations } from './integrations/integrations.ts'
import { logOperations } from './runtime/logs.ts'
import { openApiOperations } from './openapi/openapi.ts'
import { organizationEgressOperations } from './organizations/organization-egress.ts'
import { organizationOperations } from './organizations/organizations.ts'
import { organizationSettingOperations } from './organizations/organization-settings.ts'
import { poolOperations } from './runtime/pool.ts'
import { processOperations } from './runtime/processes.ts'
import { organizationRuleOperations } from './policy/organization-rules.ts'
import { platformRuleOperations } from './policy/platform-rules.ts'
import { policyTrialOperations } from './policy/trials.ts'
import { ruleOperations } from './rules.ts'
import type { Served } from './serve.ts'
import { gatewayOperations } from './runtime/gateways.ts'
import { sessionOperations } from './runtime/sessions.ts'
import { settingOperations } from './runtime/settings.ts'
import { statsOperations } from './runtime/stats.ts'
import { serviceLevelOperations } from './runtime/service-levels.ts'
import { usageOperations } from './runtime/usage.ts'
import { lockOperations } from './connections/locks.ts'
import { payloadOperations } from './payloads.ts'
import { toolOperations } from './connections/tools.ts'
import { organizationToolOperations } from './tools/tools.ts'
import { groupOperations } from './organizations/groups.ts'
import { toolsetOperations } from './toolsets.ts'
import { userOperations } from './people/users.ts'
import { fileOperations } from './files/files.ts'

const DESCRIBED: readonly Served[] = [
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

export const OPERATIONS: readonly Served[] = [...DESCRIBED, ...describedBy(DESCRIBED, BESIDE)]
