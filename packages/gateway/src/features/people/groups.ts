/** Changes to groups of members, for the admin interface and the command line. */
import { Fault, Slug, type OrganizationId, type UserId } from '@toolway/contract'
import type { OrgSql } from '../../db/db.ts'
import * as groups from '../../organizations/groups.ts'
import { findMember } from '../../organizations/members.ts'
import { refuseDeclared } from '../../lib/origin.ts'
import type { Origin } from '../../lib/origin.ts'

export interface GroupWords {
  readonly title?: string | undefined
  /** Addresses: these and no others; undefined leaves them as they are. */
  readonly members?: readonly string[] | undefined
  /** Addresses, whether or not somebody is a member under them already. */
  readonly awaited?: readonly string[] | undefined
}

/** A group that is to be changed, and the interface that changes it. */
export interface ChangedGroup {
  readonly organizationId: OrganizationId
  readonly slug: string
  readonly origin: Origin
}

/** Throws `thing.declared` where it stands in the file. */
async function findOwn(sql: OrgSql, slug: string, origin: Origin): Promise<groups.GroupRow | undefined> {
  const group = await groups.findGroup(sql, slug)
  if (group !== undefined) refuseDeclared({ thing: 'group', name: slug, origin: group.origin }, origin)
  return group
}

async function getOwn(sql: OrgSql, slug: string, origin: Origin): Promise<groups.GroupRow> {
  const own = await findOwn(sql, slug, origin)
  if (own === undefined) throw new Fault('thing.unknown', { thing: 'group' })
  return own
}

/** Throws `body.shape` for a name that is not a valid slug, and for an address in `members` that no member has. */
export async function putGroup(
  sql: OrgSql,
  { organizationId, slug, origin }: ChangedGroup,
  { title, members, awaited }: GroupWords,
): Promise<void> {
  if (members !== undefined && awaited !== undefined)
    throw new Fault('body.shape', { place: '/awaited', problem: 'cannot be combined with members: use one of them' })
  const named = Slug.safeParse(slug)
  if (!named.success)
    throw new Fault('body.shape', { place: '/group', problem: named.error.issues[0]?.message ?? 'is not a valid slug' })
  const own = await findOwn(sql, slug, origin)
  const awaitedBefore = members === undefined ? (own?.awaited ?? []) : []
  await groups.putGroup(sql, {
    organizationId,
    slug,
    title: title ?? own?.title ?? slug,
    awaited: awaited === undefined ? awaitedBefore : addressesOf(awaited),
    // Who provides a group goes on providing it, whoever names it.
    origin: own?.origin === 'scim' ? own.origin : origin === 'file' ? origin : 'administration',
  })
  if (awaited !== undefined) await fillGroup(sql, organizationId, slug, await membersAmong(sql, awaited))
  else if (members !== undefined) await fillGroup(sql, organizationId, slug, await usersOf(sql, members))
}

export const addressesOf = (emails: readonly string[]): string[] =>
  [...new Set(emails.map((email) => email.toLowerCase()))].toSorted()

/** Those of the addresses that belong to members already. */
export const membersAmong = async (sql: OrgSql, emails: readonly string[]): Promise<UserId[]> => [
  ...(await groups.findMembersByEmail(sql, addressesOf(emails))).values(),
]

/** Makes the group have these members by hand and no others by hand; how many came or left. */
export async function fillGroup(
  sql: OrgSql,
  organizationId: OrganizationId,
  slug: string,
  userIds: readonly UserId[],
): Promise<number> {
  const within = (await groups.listMembersOf(sql, [slug])).filter(({ sources }) => sources.includes(groups.BY_HAND))
  const gone = within.map(({ user_id: user }) => user).filter((user) => !userIds.includes(user))
  const left = await groups.leaveGroup(sql, slug, gone)
  return left + (await groups.joinGroup(sql, organizationId, slug, userIds))
}

async function usersOf(sql: OrgSql, emails: readonly string[]): Promise<UserId[]> {
  const found = await groups.findMembersByEmail(
    sql,
    emails.map((email) => email.toLowerCase()),
  )
  return emails.map((email, index) => {
    const user = found.get(email.toLowerCase())
    if (user !== undefined) return user
    throw new Fault('body.shape', { place: `/members/${index}`, problem: 'is not the email address of a member' })
  })
}

export async function removeGroup(sql: OrgSql, { slug, origin }: ChangedGroup): Promise<void> {
  await getOwn(sql, slug, origin)
  await groups.removeGroup(sql, slug)
}

/** Throws `thing.unknown` for a group or a member that is not there. */
export async function joinGroup(
  sql: OrgSql,
  { organizationId, slug, origin }: ChangedGroup,
  userId: string,
): Promise<void> {
  await getOwn(sql, slug, origin)
  const member = await findMember(sql, userId)
  if (member === undefined) throw new Fault('thing.unknown', { thing: 'member' })
  await groups.joinGroup(sql, organizationId, slug, [member.user_id])
}

/** Throws `thing.unknown` for a group that is not there and for who is not in it by hand. */
export async function leaveGroup(sql: OrgSql, { slug, origin }: ChangedGroup, userId: string): Promise<void> {
  await getOwn(sql, slug, origin)
  if ((await groups.leaveGroup(sql, slug, [userId as UserId])) === 0)
    throw new Fault('thing.unknown', { thing: 'member' })
}

export interface GroupWithMembers extends groups.GroupRow {
  readonly members: readonly groups.GroupMemberRow[]
}

/** These groups, each with its members. */
export async function withMembers(sql: OrgSql, rows: readonly groups.GroupRow[]): Promise<GroupWithMembers[]> {
  const found = await groups.listMembersOf(
    sql,
    rows.map(({ slug }) => slug),
  )
  const members = Map.groupBy(found, ({ group_slug: group }) => group)
  return rows.map((group) => ({ ...group, members: members.get(group.slug) ?? [] }))
}
