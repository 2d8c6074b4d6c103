/** People come, change and go: for the admin interface and the command line alike. Each is one transaction with its record. */
import { Fault, type FamilyId, type UserId } from '@toolway/contract'
import type { SystemSql } from '../../db/db.ts'
import { newPasswordCode, voidPasswordCode, type PasswordCode } from '../../identity/codes.ts'
import { endSignInsOf, endSignInsOfProviders } from '../../identity/sign-ins.ts'
import * as users from '../../identity/users.ts'
import { nameOf } from './members.ts'

type Hash = (text: string) => Buffer

/** Throws `thing.unknown`. */
export async function getUser(sql: SystemSql, id: string): Promise<users.UserWithPassword> {
  const user = await users.findUser(sql, id)
  if (user === undefined) throw new Fault('thing.unknown', { thing: 'person' })
  return user
}

export interface Invited {
  readonly email: string
  readonly name?: string | undefined
  readonly platformAdmin?: boolean | undefined
  /** Hashed; without one, a code is made with which the person chooses it. */
  readonly password?: string | undefined
}

/** Throws `thing.taken` for an email that somebody has. */
export async function invite(sql: SystemSql, hash: Hash, { email, name, platformAdmin = false, password }: Invited) {
  const user = await users.addUser(sql, {
    ...{ email, name: name ?? nameOf(email), platformAdmin },
    password: password ?? null,
  })
  if (user === undefined) throw new Fault('thing.taken', { thing: 'person', name: users.emailOf(email) })
  const invitation = password === undefined ? await newPasswordCode(sql, hash, user.id) : undefined
  return { user, invitation }
}

/** A code for who has lost their password. */
export async function inviteAgain(sql: SystemSql, hash: Hash, id: string) {
  const user = await getUser(sql, id)
  const invitation: PasswordCode = await newPasswordCode(sql, hash, user.id)
  return { user, invitation }
}

async function keepOneAdmin(sql: SystemSql, { id, platform_admin: admin, active }: users.UserRow): Promise<void> {
  if (admin && active && !(await users.hasOtherPlatformAdmin(sql, id)))
    throw new Fault('last.admin', { role: 'platform_admin', place: 'this installation' })
}

/** Throws `thing.unknown`, and `last.admin` where nobody would be left to administer the platform. */
export async function change(sql: SystemSql, id: string, userChange: users.UserChange): Promise<users.UserRow> {
  const before = await getUser(sql, id)
  if (userChange.active === false || userChange.platformAdmin === false) await keepOneAdmin(sql, before)
  const after = await users.changeUser(sql, before.id, userChange)
  if (after === undefined) throw new Fault('thing.unknown', { thing: 'person' })
  // The provider of an organization proves nobody who administers the installation.
  if (userChange.platformAdmin === true)
    await endSignInsOfProviders(sql, before.id, 'this person administers the installation')
  if (userChange.active === false) {
    await endSignInsOf(sql, before.id, 'deactivated')
    await voidPasswordCode(sql, before.id)
  }
  return after
}

export async function remove(sql: SystemSql, id: string): Promise<users.UserRow> {
  const before = await getUser(sql, id)
  await keepOneAdmin(sql, before)
  await users.removeUser(sql, before.id)
  return before
}

/**
 * A new password: every token that was made before ends, and every sign-in but `but`.
 *
 * `password` is a hash. A code that is still about is void.
 */
export async function replacePassword(sql: SystemSql, id: UserId, password: string, but?: FamilyId) {
  await users.setPassword(sql, id, password)
  await voidPasswordCode(sql, id)
  return endSignInsOf(sql, id, 'the password was changed', { but })
}
