/**
 * Maps an identity proven by an identity provider to a user: by the provider's own id first, otherwise by a verified email.
 *
 * An unverified email proves nothing: it neither joins an account nor creates one.
 */
import { Fault, type OrganizationId } from '@toolway/contract'
import type { SystemSql } from '../../db/db.ts'
import type { Proven } from '../../identity/federated/identity-provider.ts'
import { endSignInsOf } from '../../identity/sign-ins.ts'
import { voidPasswordCode } from '../../identity/codes.ts'
import {
  addUser,
  countUsers,
  findUserByEmail,
  findUserOfProvider,
  joinProvider,
  type UserRow,
} from '../../identity/users.ts'
import { DEFAULT_SLUG, ensureOrganization } from '../../organizations/organizations.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { joinAs, nameOf, type MemberSeals } from './members.ts'

/** Whether somebody new is let in, and as what, into the default organization. */
export type Provision = 'existing' | 'viewer' | 'member'

export interface Provided {
  readonly user: UserRow
  /** Where they have just become a member. */
  readonly joined: OrganizationId | undefined
  /** Whether anything about the person has changed. */
  readonly changed: boolean
}

const refuse = (problem: string): never => {
  throw new Fault('login.provider', { problem })
}

/** Throws `login.provider`. Its transaction is the caller's. */
export async function userOf(
  sql: SystemSql,
  seals: MemberSeals,
  actor: Actor,
  proven: Proven,
  rule: Provision,
): Promise<Provided> {
  const known = await findUserOfProvider(sql, proven.issuer, proven.subject)
  if (known !== undefined && !known.active) return refuse('this account is not active')
  if (known !== undefined) return { user: known, joined: undefined, changed: false }
  const { email, emailVerified } = proven
  if (email === undefined || !emailVerified) return refuse('it does not say that your email address is verified')
  const user = await findUserByEmail(sql, email)
  if (user !== undefined) return signInProvided(sql, actor, proven, user)
  // Its first person comes with the setup code, and nobody may take that from them.
  if ((await countUsers(sql)) === 0) return refuse('nobody has set up this installation yet')
  if (rule === 'existing') return refuse('nobody with this email has been added here')
  return addProvided(sql, seals, actor, { ...proven, email }, rule)
}

async function signInProvided(
  sql: SystemSql,
  actor: Actor,
  { issuer, subject }: Proven,
  stored: UserRow,
): Promise<Provided> {
  if (!stored.active) return refuse('this account is not active')
  if (stored.provider !== 'local') return refuse('this email address uses another sign-in method')
  // The previous password may have been chosen by someone else. It ends, together with the sign-ins made with it.
  await joinProvider(sql, stored.id, issuer, subject)
  await voidPasswordCode(sql, stored.id)
  const ended = await endSignInsOf(sql, stored.id, 'an identity provider signs this person in from now on')
  await recordChange(sql, { ...actor, id: stored.id, type: 'user' }, undefined, {
    action: 'user.join_provider',
    resource: 'user',
    id: stored.id,
    detail: { issuer, sign_ins_ended: ended.length },
  })
  const user = (await findUserOfProvider(sql, issuer, subject)) ?? stored
  return { user, joined: undefined, changed: true }
}

async function addProvided(
  sql: SystemSql,
  seals: MemberSeals,
  actor: Actor,
  { issuer, subject, email, name }: Proven & { email: string },
  rule: 'viewer' | 'member',
): Promise<Provided> {
  const title = (name ?? nameOf(email)).slice(0, 100)
  const user = await addUser(sql, { email, name: title, password: null, provider: { issuer, subject } })
  if (user === undefined) return refuse('a user with this email has just been added: try again')
  const organization = await ensureOrganization(sql, DEFAULT_SLUG, undefined, 'sign-in')
  const role = rule === 'member' ? 'tenant_member' : 'tenant_viewer'
  await joinAs(sql, seals, user.id, { organizationId: organization.id, role, name: user.email })
  const made = { ...actor, id: user.id, type: 'user' } as const
  const detail = { email: user.email, role, issuer }
  await recordChange(sql, made, organization.id, { action: 'member.add', resource: 'member', id: user.id, detail })
  return { user, joined: organization.id, changed: true }
}
