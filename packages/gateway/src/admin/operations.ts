/** Every operation of the admin interface. The door serves these, and nothing else below /api/v1. */
import { connectionOperations } from './connections.ts'
import { describedBy } from './documents.ts'
import { oauthOperations } from './oauth.ts'
import { organizationOperations } from './organizations.ts'
import { organizationSettingOperations } from './organization-settings.ts'
import { ruleOperations } from './rules.ts'
import type { Served } from './serve.ts'
import { toolOperations } from './tools.ts'
import { toolsetOperations } from './toolsets.ts'

const DESCRIBED: readonly Served[] = [
  ...organizationOperations,
  ...organizationSettingOperations,
  ...connectionOperations,
  ...toolOperations,
  ...toolsetOperations,
  ...ruleOperations,
  ...oauthOperations,
]

export const OPERATIONS: readonly Served[] = [...DESCRIBED, ...describedBy(DESCRIBED)]
