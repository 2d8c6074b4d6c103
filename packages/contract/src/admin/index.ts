/** The door to the shapes of the admin interface, one line for each noun. */
export { anyone, inOrganization, operation, pageOf, Paging, platform, signedIn } from './operation.ts'
export type { Method, Needs, Operation, Shape } from './operation.ts'
export { listOrganizations, Organization, OrganizationSettings } from './organizations.ts'
