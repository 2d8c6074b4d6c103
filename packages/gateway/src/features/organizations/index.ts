/** Organizations: adding and changing them, what they settle for themselves, whom they consist of, and what they may reach. */
import type { Served } from '../../operations/serve.ts'
import { groupOperations } from './groups.operations.ts'
import { memberImportOperations } from './member-import.operations.ts'
import { memberOperations, type MemberParts } from './members.operations.ts'
import { organizationOperations, type OrganizationParts } from './organizations.operations.ts'
import { organizationSettingOperations } from './settings.operations.ts'
import { organizationEgressOperations } from './egress.operations.ts'

export { groupOperations, organizationEgressOperations, organizationOperations, type OrganizationParts }

export const operations: readonly Served<MemberParts & OrganizationParts>[] = [
  ...groupOperations,
  ...memberOperations,
  ...memberImportOperations,
  ...organizationOperations,
  ...organizationSettingOperations,
  ...organizationEgressOperations,
]
