/** The grants of users to OAuth clients, over the admin interface: the caller's own, and those of an organization's members. */
import { z } from 'zod'
import { LIMITS } from '../../effects.ts'
import { inOrganization, operation, pageOf, Paging, signedIn } from '../../admin/operation.ts'

export const Grant = z.strictObject({
  id: z.string(),
  organization_id: z.string(),
  user_id: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  /** Where its answers go, as the person saw it. */
  client_host: z.string(),
  /** The address of the endpoint that it is for. */
  resource: z.string(),
  /** How far its calls may reach. */
  limit: z.enum(LIMITS),
  created_at: z.iso.datetime(),
  used_at: z.iso.datetime(),
})
export type Grant = z.output<typeof Grant>

const OWN = '/api/v1/auth/grants'
const OF_ORGANIZATION = '/api/v1/admin/tenants/{organization}/grants'

export const listOwnGrants = operation({
  id: 'listOwnGrants',
  at: `GET ${OWN}`,
  summary: 'List the clients that may use tools on your behalf.',
  needs: signedIn,
  query: Paging,
  answer: pageOf(Grant),
})

export const endOwnGrant = operation({
  id: 'endOwnGrant',
  at: `DELETE ${OWN}/{grant}`,
  summary: 'Revoke a client’s access. Its tokens stop working immediately.',
  needs: signedIn,
})

export const listGrants = operation({
  id: 'listGrants',
  at: `GET ${OF_ORGANIZATION}`,
  summary: 'List the clients to which members of the organization granted access.',
  needs: inOrganization('user_manage'),
  query: Paging,
  answer: pageOf(Grant),
})

export const endGrant = operation({
  id: 'endGrant',
  at: `DELETE ${OF_ORGANIZATION}/{grant}`,
  summary: 'Revoke access that a member granted to a client. Its tokens stop working immediately.',
  needs: inOrganization('user_manage'),
})
