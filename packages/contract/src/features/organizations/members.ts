/** Members of an organization: who is in it, with which role (ledger S3-RBAC-04). */
import { z } from 'zod'
import { Email, PersonName } from '../people/auth.ts'
import { inOrganization, operation, pageOf, sortedBy } from '../../admin/operation.ts'
import { PasswordCode } from '../people/users.ts'

const MEMBERS = '/api/v1/admin/tenants/{organization}/members'

export const MEMBER_ROLES = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const
export const MemberRole = z.enum(MEMBER_ROLES)
export type MemberRole = z.output<typeof MemberRole>

export const MEMBER_SORTS = ['email', 'name', 'role', 'added_at', 'signed_in_at'] as const

export const Member = z.strictObject({
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: MemberRole,
  is_active: z.boolean(),
  added_at: z.iso.datetime(),
  signed_in_at: z.iso.datetime().nullable(),
})
export type Member = z.output<typeof Member>

export const listMembers = operation({
  id: 'listMembers',
  at: `GET ${MEMBERS}`,
  summary: 'List the members of an organization, by email unless sorted otherwise.',
  needs: inOrganization('user_manage'),
  /** `search`: part of an email or a name. */
  query: sortedBy(MEMBER_SORTS).extend({ role: MemberRole.optional() }),
  answer: pageOf(Member),
})

export const addMember = operation({
  id: 'addMember',
  at: `POST ${MEMBERS}`,
  summary: 'Add a member by email. For a new user, the response contains a one-time code to set a password.',
  needs: inOrganization('user_manage'),
  body: z.strictObject({
    email: Email,
    name: PersonName.optional(),
    role: MemberRole,
    /** A platform administrator takes another organization's word that the account is this person's. */
    vouch: z.boolean().default(false),
  }),
  answer: z.strictObject({ member: Member, invitation: PasswordCode.nullable() }),
  status: 201,
})

export const changeMember = operation({
  id: 'changeMember',
  at: `PATCH ${MEMBERS}/{user}`,
  summary: 'Change the role of a member, with immediate effect.',
  needs: inOrganization('user_manage'),
  body: z.strictObject({ role: MemberRole }),
  answer: Member,
})

export const removeMember = operation({
  id: 'removeMember',
  at: `DELETE ${MEMBERS}/{user}`,
  summary: 'Remove a member, and revoke their keys in this organization.',
  needs: inOrganization('user_manage'),
})
