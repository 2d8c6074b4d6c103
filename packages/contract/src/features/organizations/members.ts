/** Members of an organization: who is in it, with which role (ledger S3-RBAC-04). */
import { z } from 'zod'
import { Email, PersonName } from '../people/auth.ts'
import { Flag, inOrganization, operation, pageOf, sortedBy } from '../../admin/operation.ts'
import { PasswordCode } from '../people/users.ts'

const MEMBERS = '/api/v1/admin/tenants/{organization}/members'

export const MEMBER_ROLES = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const
export const MemberRole = z.enum(MEMBER_ROLES)
export type MemberRole = z.output<typeof MemberRole>

export const MEMBER_SORTS = ['email', 'name', 'role', 'added_at', 'signed_in_at', 'last_seen_at'] as const

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

/** Where a membership comes from: `manual`, `scim`, `provider` (any of them), or `provider:` and the id of one. */
export const MemberSource = z.string().regex(/^(manual|scim|provider(:[\w-]{1,60})?)$/)

export const ListedMember = Member.extend({
  /** The membership is suspended: it can be restored, and gives nothing. */
  is_suspended: z.boolean(),
  source: z.string(),
  /** The title of the identity provider that the membership comes from. */
  source_title: z.string().nullable(),
  /** Slugs. */
  groups: z.array(z.string()),
  /** The last sign-in, or the last use of a key in this organization. */
  last_seen_at: z.iso.datetime().nullable(),
})
export type ListedMember = z.output<typeof ListedMember>

/** How members are chosen, for lists and exports. */
export const MEMBER_FILTER = {
  role: MemberRole.optional(),
  /** A slug. */
  group: z.string().min(1).max(64).optional(),
  source: MemberSource.optional(),
  is_active: Flag.optional(),
  seen_after: z.iso.datetime().optional(),
  /** People who were never seen are among them. */
  seen_before: z.iso.datetime().optional(),
}

export const listMembers = operation({
  id: 'listMembers',
  at: `GET ${MEMBERS}`,
  summary: 'List the members of an organization, by email unless sorted otherwise.',
  needs: inOrganization('user_manage'),
  /** `search`: part of an email or a name. */
  query: sortedBy(MEMBER_SORTS).extend(MEMBER_FILTER),
  answer: pageOf(ListedMember),
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
