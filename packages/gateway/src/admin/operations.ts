/** Every operation of the admin interface. The door serves these, and nothing else below /api/v1. */
import { authOperations } from './auth.ts'
import { connectionOperations } from './connections.ts'
import { describedBy } from './documents.ts'
import { keyOperations } from './keys.ts'
import { memberOperations } from './members.ts'
import { myKeyOperations } from './my-keys.ts'
import { grantOperations } from './grants.ts'
import { oauthClientOperations } from './oauth-clients.ts'
import { oauthOperations } from './oauth.ts'
import { auditOperations } from './audit.ts'
import { endpointOperations } from './endpoints.ts'
import { logOperations } from './logs.ts'
import { organizationOperations } from './organizations.ts'
import { organizationSettingOperations } from './organization-settings.ts'
import { poolOperations } from './pool.ts'
import { processOperations } from './processes.ts'
import { ruleOperations } from './rules.ts'
import type { Served } from './serve.ts'
import { sessionOperations } from './sessions.ts'
import { settingOperations } from './settings.ts'
import { statsOperations } from './stats.ts'
import { toolOperations } from './tools.ts'
import { toolsetOperations } from './toolsets.ts'
import { userOperations } from './users.ts'

const DESCRIBED: readonly Served[] = [
  ...authOperations,
  ...memberOperations,
  ...userOperations,
  ...keyOperations,
  ...myKeyOperations,
  ...organizationOperations,
  ...organizationSettingOperations,
  ...connectionOperations,
  ...toolOperations,
  ...toolsetOperations,
  ...ruleOperations,
  ...grantOperations,
  ...oauthClientOperations,
  ...oauthOperations,
  ...auditOperations,
  ...endpointOperations,
  ...processOperations,
  ...logOperations,
  ...poolOperations,
  ...sessionOperations,
  ...settingOperations,
  ...statsOperations,
]

export const OPERATIONS: readonly Served[] = [...DESCRIBED, ...describedBy(DESCRIBED)]
