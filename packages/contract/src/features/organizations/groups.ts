/** Groups of members over the admin interface: what rules, approvers and toolsets name. */
import { z } from 'zod'
import { Slug } from '../../connections.ts'
import { Email } from '../people/auth.ts'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'
import { TENANT } from './organizations.ts'

export const Group = z.strictObject({
  slug: Slug,
  title: z.string(),
  /** `sources`: who says so: `manual`, `scim` or `provider:{id}`. Each takes back what it said itself. */
  members: z.array(
    z.strictObject({ user_id: z.string(), email: z.string(), name: z.string(), sources: z.array(z.string()) }),
  ),
  /** Addresses that a file names: who becomes a member under one of them is in. */
  awaited: z.array(z.string()),
  /** Where it came from; one of a file is changed in that file. */
  origin: z.string(),
})
export type Group = z.output<typeof Group>

const GROUPS = `${TENANT}/groups`
const needs = inOrganization('user_manage')

export const listGroups = operation({
  id: 'listGroups',
  at: `GET ${GROUPS}`,
  summary: 'List the groups of an organization with their members, in the order of their names.',
  needs,
  query: Paging.extend({ search: z.string().max(100).optional() }),
  answer: pageOf(Group),
})
export const putGroup = operation({
  id: 'putGroup',
  at: `PUT ${GROUPS}/{group}`,
  summary: 'Create or update a group. If members are given, they replace the current ones.',
  needs,
  body: z.strictObject({
    title: z.string().trim().min(1).max(100).optional(),
    /** Addresses of members of the organization. */
    members: z.array(Email).max(5000).optional(),
    /** Instead of `members`: addresses whose owners are in the group now, or as soon as they are members. */
    awaited: z.array(Email).max(5000).optional(),
  }),
  answer: Group,
})
export const removeGroup = operation({
  id: 'removeGroup',
  at: `DELETE ${GROUPS}/{group}`,
  summary: 'Delete a group. Rules that refer to it no longer match anyone through it.',
  needs,
})
export const joinGroup = operation({
  id: 'joinGroup',
  at: `PUT ${GROUPS}/{group}/members/{user}`,
  summary: 'Add a member to a group, with immediate effect.',
  needs,
  answer: Group,
})
export const leaveGroup = operation({
  id: 'leaveGroup',
  at: `DELETE ${GROUPS}/{group}/members/{user}`,
  summary: 'Remove a member from a group, with immediate effect.',
  needs,
  answer: Group,
})
