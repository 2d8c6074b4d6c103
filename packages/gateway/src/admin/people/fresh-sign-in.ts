/**
 * Whether the person is still the one who signed in: by a sign-in of the last minutes, or by the password (ledger S0-AUT-16).
 *
 * A refusal is on record too. Guesses are counted together with those at sign-in.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Attempts } from '../../identity/attempts.ts'
import type { Passwords } from '../../identity/passwords.ts'
import type { Principal } from '../../identity/principal.ts'
import { findUser } from '../../identity/users.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import type { AdminParts } from '../serve.ts'

const MINUTES = 5

interface Who {
  readonly actor: Actor
  readonly principal: Principal
  readonly user: UserId
  readonly organizationId: OrganizationId
}

/** How it is known. Throws `login.old`, or `password.wrong`, or `login.limit` after too many wrong ones. */
export async function refuseOldSignIn(
  parts: AdminParts,
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
    const held = await db.system((sql) => findUser(sql, user))
    const fits = (await passwords.verify(password, held?.password)) && held?.active === true
    if (fits) good()
    return fits
  }

const Id = z.object({ id: z.string() })

async function isFresh({ db }: AdminParts, { signInId }: Principal, user: UserId): Promise<boolean> {
  if (signInId === undefined) return false
  const rows = await db.system(
    (sql) => sql(Id)`
      select id from sign_ins
       where id = ${signInId} and user_id = ${user} and ended_at is null
         and created_at > now() - make_interval(mins => ${MINUTES})`,
  )
  return rows.length > 0
}
