/** Every operation of the admin interface. The door serves these, and nothing else below /api/v1. */
import { authOperations } from './people/auth.ts'
import { connectionOperations } from './connections/connections.ts'
import { describedBy } from './reference/documents.ts'
import { keyOperations } from './keys/keys.ts'
import { memberOperations } from './organizations/members.ts'
import { myKeyOperations } from './keys/my-keys.ts'
import { grantOperations } from './oauth/grants.ts'
import { oauthClientOperations } from './oauth/oauth-clients.ts'
import { oauthOperations } from './oauth/oauth.ts'
import { auditOperations } from './audit.ts'
import { endpointOperations } from './connections/endpoints.ts'
import { logOperations } from './runtime/logs.ts'
import { organizationOperations } from './organizations/organizations.ts'
import { organizationSettingOperations } from './organizations/organization-settings.ts'
import { poolOperations } from './runtime/pool.ts'
import { processOperations } from './runtime/processes.ts'
import { ruleOperations } from './rules.ts'
import type { Served } from './serve.ts'
import { sessionOperations } from './runtime/sessions.ts'
import { settingOperations } from './runtime/settings.ts'
import { statsOperations } from './runtime/stats.ts'
import { toolOperations } from './connections/tools.ts'
import { toolsetOperations } from './toolsets.ts'
import { userOperations } from './people/users.ts'

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
