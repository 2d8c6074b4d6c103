/** Organizations: adding and changing them, what they settle for themselves, whom they consist of, and what they may reach. */
export { organizationOperations, type OrganizationParts } from './organizations.operations.ts'
export { organizationSettingOperations } from './settings.operations.ts'
export { organizationEgressOperations } from './egress.operations.ts'
export { memberOperations, type MemberParts } from './members.operations.ts'
export { groupOperations } from './groups.operations.ts'
