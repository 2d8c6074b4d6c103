/**
 * Whether the person is still the one who signed in: by a sign-in of the last minutes, or by the password (ledger S0-AUT-16).
 *
 * A refusal is on record too. Guesses are counted together with those at sign-in.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { Db } from '../../db/db.ts'
import type { Attempts } from '../../identity/attempts.ts'
import type { Passwords } from '../../identity/passwords.ts'
import type { Principal } from '../../identity/principal.ts'
import { provenWithin } from '../../identity/sign-ins.ts'
import { findUser } from '../../identity/users.ts'
import { recordChange, type Actor } from '../../records/change.ts'

const MINUTES = 5

export interface FreshSignInParts {
  readonly db: Db
  /** Throws `login.limit` after too many that did not. */
  passwordFits(actor: Actor, user: UserId, password: string): Promise<boolean>
}

interface Who {
  readonly actor: Actor
  readonly principal: Principal
  readonly user: UserId
  readonly organizationId: OrganizationId
}

/** How it is known. Throws `login.old`, or `password.wrong`, or `login.limit` after too many wrong ones. */
export async function refuseOldSignIn(
  parts: FreshSignInParts,
  { actor, principal, user, organizationId }: Who,
  password: string | undefined,
): Promise<'password' | 'sign-in'> {
  if (password === undefined && (await isFresh(parts, principal, user))) return 'sign-in'
  const fits = password !== undefined && (await parts.passwordFits(actor, user, password))
  if (fits) return 'password'
  const fault = password === undefined ? new Fault('login.old', { minutes: MINUTES }) : new Fault('password.wrong')
  await parts.db.system((sql) =>
    recordChange(sql, actor, organizationId, {
      action: 'key.reveal',
      resource: 'user',
      id: user,
      outcome: 'refused',
      code: fault.code,
    }),
  )
  throw fault
}

export interface PasswordFitsParts {
  readonly db: Db
  readonly passwords: Pick<Passwords, 'verify'>
  readonly attempts: Attempts
}

/** Whether it is the person's password. Throws `login.limit` after too many that were not. */
export const createPasswordFits =
  ({ db, passwords, attempts }: PasswordFitsParts) =>
  async (actor: Actor, user: UserId, password: string): Promise<boolean> => {
    const good = attempts.begin(`change ${user}`, actor.address)
    const row = await db.system((sql) => findUser(sql, user))
    const fits = (await passwords.verify(password, row?.password)) && row?.active === true
    if (fits) good()
    return fits
  }

async function isFresh({ db }: FreshSignInParts, { signInId }: Principal, user: UserId): Promise<boolean> {
  return (
    signInId !== undefined && (await db.system((sql) => provenWithin(sql, { id: signInId, user, minutes: MINUTES })))
  )
}
