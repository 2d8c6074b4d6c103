/** Adds members to an organization, sets their roles and removes them, for the admin interface and the command line. */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { MemberRole } from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { ensureMemberKey, type Seals } from '../../identity/keys/member-keys.ts'
import { newPasswordCode, type PasswordCode } from '../../identity/codes.ts'
import { endGrantsOf } from '../../identity/oauth/oauth-grants.ts'
import {
  addUser,
  emailOf,
  findUserByEmail,
  vouchFor,
  type UserRow,
  type UserWithPassword,
} from '../../identity/users.ts'
import * as members from '../../organizations/members.ts'

export interface Joining {
  readonly organizationId: OrganizationId
  readonly email: string
  readonly name: string | undefined
  readonly role: MemberRole
  /** Whether a platform administrator adds the member. */
  readonly byPlatform: boolean
  /** Such a one takes another organization's word that the account is the person's. */
  readonly vouch: boolean
}

export interface Joined {
  readonly user: UserRow
  /** For who has not signed in yet and has no other way to. */
  readonly invitation: PasswordCode | undefined
}

export type MemberSeals = Pick<Seals, 'hash' | 'seal'>

/**
 * The one way in which somebody becomes a member.
 *
 * Throws `thing.taken` for who is one. Throws `person.unproven` for an account that another organization made: its administrator
 * chose who holds it, before its password is set and after, and would come in here with it.
 */
export async function join(sql: SystemSql, seals: MemberSeals, joining: Joining): Promise<Joined> {
  const { organizationId, email, role } = joining
  const found = await findUserByEmail(sql, email)
  const user = found ?? (await addInvited(sql, joining))
  const claimed = found !== undefined && isClaimed(found)
  if (found !== undefined) await refuseUnproven(sql, found, joining, claimed)
  await joinAs(sql, seals, user.id, { organizationId, role, name: user.email })
  // A code makes the account whose it is that has it: who did not make the account is given none.
  const own = found === undefined || joining.byPlatform || found.vouched_by === organizationId
  return { user, invitation: claimed || !own ? undefined : await newPasswordCode(sql, seals.hash, user.id) }
}

/**
 * The same for who is provided by an identity provider, and has no use for a code; who is a member stays what they are. Throws
 * `person.unproven`.
 */
export async function provideMember(
  sql: SystemSql,
  seals: MemberSeals,
  words: Omit<Joining, 'byPlatform' | 'vouch'>,
): Promise<{ readonly user: UserRow; readonly joined: boolean }> {
  const joining: Joining = { ...words, byPlatform: false, vouch: false }
  const { organizationId, email, role } = joining
  const found = await findUserByEmail(sql, email)
  const user = found ?? (await addInvited(sql, joining))
  if (found !== undefined && (await members.isMember(sql, organizationId, user.id))) return { user, joined: false }
  if (found !== undefined) await refuseUnproven(sql, found, joining, isClaimed(found))
  await joinAs(sql, seals, user.id, { organizationId, role, name: user.email })
  return { user, joined: true }
}

async function refuseUnproven(
  sql: SystemSql,
  found: UserWithPassword,
  joining: Joining,
  claimed: boolean,
): Promise<void> {
  const { vouched_by: by, id, email } = found
  // Somebody holds an invitation that nobody has used yet.
  if (!claimed && (await members.isElsewhere(sql, id, joining.organizationId)))
    throw new Fault('person.unproven', { email })
  if (by === null || by === joining.organizationId) return
  if (!joining.byPlatform || !joining.vouch) throw new Fault('person.unproven', { email })
  await vouchFor(sql, id)
}

/** Membership with all that comes with it: the member's personal key (ledger S0-AUT-13). */
export async function joinAs(
  sql: SystemSql,
  seals: MemberSeals,
  userId: UserId,
  { organizationId, role, name }: { organizationId: OrganizationId; role: MemberRole; name: string },
): Promise<void> {
  if (!(await members.addMember(sql, { organizationId, userId, role })))
    throw new Fault('thing.taken', { thing: 'member', name })
  await ensureMemberKey(sql, seals, { organizationId, userId })
}

/** Whether somebody has made the account theirs. */
const isClaimed = ({ password, provider, signed_in_at: signedIn, platform_admin: admin }: UserWithPassword): boolean =>
  password !== null || provider !== 'local' || signedIn !== null || admin

async function addInvited(sql: SystemSql, { email, name, organizationId, byPlatform }: Joining): Promise<UserRow> {
  const vouchedBy = byPlatform ? undefined : organizationId
  const added = await addUser(sql, { email, name: name ?? nameOf(email), password: null, vouchedBy })
  if (added === undefined) throw new Fault('thing.taken', { thing: 'person', name: emailOf(email) })
  return added
}

/** Until the person says otherwise. */
export const nameOf = (email: string): string => emailOf(email).split('@')[0] ?? email

async function keepOneAdmin(sql: OrgSql, { user_id: id, role }: members.MemberRow, place: string): Promise<void> {
  if (role === 'tenant_admin' && !(await members.hasOtherAdmin(sql, id)))
    throw new Fault('last.admin', { role: 'tenant_admin', place })
}

async function get(sql: OrgSql, userId: string): Promise<members.MemberRow> {
  const member = await members.findMember(sql, userId)
  if (member === undefined) throw new Fault('thing.unknown', { thing: 'member' })
  return member
}

/** Throws `thing.unknown`, and `last.admin` where nobody would be left who may. `place` is the organization's slug. */
export async function changeRole(sql: OrgSql, place: string, userId: string, role: MemberRole) {
  const before = await get(sql, userId)
  if (role !== 'tenant_admin') await keepOneAdmin(sql, before, place)
  await members.changeMember(sql, before.user_id, role)
  return { before, after: { ...before, role } }
}

/** The member's keys go with the membership, and so does what they allowed OAuth clients there. */
export async function removeMembership(sql: OrgSql, place: string, userId: string): Promise<members.MemberRow> {
  const before = await get(sql, userId)
  await keepOneAdmin(sql, before, place)
  await members.removeMember(sql, before.user_id)
  await endGrantsOf(sql, before.user_id)
  return before
}
