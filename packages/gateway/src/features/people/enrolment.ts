/**
 * How a person comes to a password: the first one by the setup code of an empty installation, everybody else by a code of an
 * administrator's or by the password they have.
 *
 * Each code is good once, also when two come with it at the same time. It never says whether an email is known.
 */
import { Fault, type FamilyId, type OrganizationId, type UserId } from '@toolway/contract'
import type { Db, SystemSql } from '../../db/db.ts'
import type { Attempts } from '../../identity/attempts.ts'
import { findByPasswordCode, isSetUpCode, spendPasswordCode, spendSetUpCode } from '../../identity/codes.ts'
import type { Passwords } from '../../identity/passwords.ts'
import { addUser, countUsers, findUser, type UserRow } from '../../identity/users.ts'
import { DEFAULT_SLUG, ensureOrganization } from '../../organizations/organizations.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'
import { joinAs } from './members.ts'
import { replacePassword } from './manage-users.ts'

export interface EnrolmentParts {
  readonly db: Db
  hash(text: string): Buffer
  seal(text: string, row: string): Buffer
  readonly passwords: Passwords
  readonly attempts: Attempts
  /** Resolves when this process's memory knows of changed people, and of the members of that organization. */
  settle(id: UserId, organizationId?: OrganizationId): Promise<void>
}

export interface First {
  readonly code: string
  readonly email: string
  readonly name: string
  readonly password: string
}

export interface Enrolment {
  /** Whether nobody has signed up yet. */
  isEmpty(): Promise<boolean>
  /** Throws `setup.done`, `code.unknown`, `login.limit`, or `body.shape` for the password. */
  register(actor: Actor, first: First): Promise<UserRow>
  /**
   * Whose a code is, without spending it: what a link says of that is anybody's word. Codes that are none are counted with those of
   * `choosePassword`. Throws `code.unknown` and `login.limit`.
   */
  ownerOfCode(actor: Actor, code: string): Promise<UserRow>
  /** Throws `code.unknown`, `login.limit`, or `body.shape` for the password. */
  choosePassword(actor: Actor, code: string, password: string): Promise<UserRow>
  /** Throws `password.wrong`, `login.limit`, or `body.shape`. Every sign-in of the person ends. */
  changePassword(actor: Actor, userId: UserId, current: string, next: string): Promise<UserRow>
}

/** The record of a password that was set, and of sign-ins that ended by it. */
export const passwordSet = (id: UserId, by: string, ended: readonly { id: FamilyId }[]): Change => ({
  action: 'password.change',
  resource: 'user',
  id,
  detail: { by, sign_ins_ended: ended.length },
})

export function createEnrolment(parts: EnrolmentParts): Enrolment {
  const { db, hash, passwords, attempts, settle } = parts

  async function refuse(actor: Actor, change: Change, fault: Fault): Promise<never> {
    await db.system((sql) => recordChange(sql, actor, undefined, { ...change, outcome: 'refused', code: fault.code }))
    throw fault
  }

  let inhabited = false
  return {
    async isEmpty() {
      // Once somebody is there somebody always is: the last administrator stays.
      inhabited ||= (await db.system(countUsers)) > 0
      return !inhabited
    },
    async register(actor, first) {
      const good = attempts.beginShared('set-up', actor.address)
      const [people, known] = await db.system(
        async (sql) => [await countUsers(sql), await isSetUpCode(sql, hash, first.code)] as const,
      )
      const refused: Change = { action: 'user.register', resource: 'user', id: 'first' }
      if (people > 0) return refuse(actor, refused, new Fault('setup.done'))
      if (!known) return refuse(actor, refused, new Fault('code.unknown'))
      good()
      const password = await passwords.hash(first.password)
      const { user, organization } = await db.system((sql) => addFirst(parts, sql, actor, { ...first, password }))
      await settle(user.id, organization.id)
      return user
    },
    async ownerOfCode(actor, code) {
      const good = attempts.beginShared('password code', actor.address)
      const user = await db.system(async (sql) => {
        const id = await findByPasswordCode(sql, hash, code)
        return id === undefined ? undefined : findUser(sql, id)
      })
      const refused: Change = { action: 'password.code-look', resource: 'user', id: 'unknown' }
      if (user === undefined || !user.active) return refuse(actor, refused, new Fault('code.unknown'))
      good()
      return user
    },
    async choosePassword(actor, code, password) {
      const good = attempts.beginShared('password code', actor.address)
      const found = await db.system((sql) => findByPasswordCode(sql, hash, code))
      const refused: Change = { action: 'password.change', resource: 'user', id: 'unknown' }
      if (found === undefined) return refuse(actor, refused, new Fault('code.unknown'))
      good()
      const hashed = await passwords.hash(password)
      const user = await db.system(async (sql) => {
        const id = await spendPasswordCode(sql, hash, code)
        const user = id === undefined ? undefined : await findUser(sql, id)
        if (user === undefined || !user.active) throw new Fault('code.unknown')
        const ended = await replacePassword(sql, user.id, hashed)
        await recordChange(sql, { ...actor, id: user.id, type: 'user' }, undefined, passwordSet(user.id, 'code', ended))
        return user
      })
      await settle(user.id)
      return user
    },
    async changePassword(actor, userId, current, next) {
      const good = attempts.begin(`change ${userId}`, actor.address)
      const user = await db.system((sql) => findUser(sql, userId))
      const fits = await passwords.verify(current, user?.password)
      const refused: Change = { action: 'password.change', resource: 'user', id: userId }
      if (user === undefined || !fits) return refuse(actor, refused, new Fault('password.wrong'))
      good()
      const hashed = await passwords.hash(next)
      const changed = await db.system(async (sql) => {
        const ended = await replacePassword(sql, userId, hashed)
        await recordChange(sql, actor, undefined, passwordSet(userId, 'current password', ended))
        return findUser(sql, userId)
      })
      await settle(userId)
      if (changed === undefined) throw new Fault('password.wrong')
      return changed
    },
  }
}

/** @param password as it is stored */
async function addFirst(parts: EnrolmentParts, sql: SystemSql, actor: Actor, { code, email, name, password }: First) {
  if (!(await spendSetUpCode(sql, parts.hash, code))) throw new Fault('code.unknown')
  if ((await countUsers(sql)) > 0) throw new Fault('setup.done')
  const user = await addUser(sql, { email, name, password, platformAdmin: true })
  if (user === undefined) throw new Fault('setup.done')
  const organization = await ensureOrganization(sql, DEFAULT_SLUG, undefined, 'set-up')
  await joinAs(sql, parts, user.id, { organizationId: organization.id, role: 'tenant_admin', name: user.email })
  const made = { ...actor, id: user.id, type: 'user' } as const
  await recordChange(sql, made, undefined, { action: 'user.register', resource: 'user', id: user.id })
  return { user, organization }
}
