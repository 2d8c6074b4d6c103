/** The local store for commands on people: who has the data directory may do what a platform administrator may. */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { createEnrolment, type Enrolment } from '../../admin/people/enrolment.ts'
import type { SystemSql } from '../../db/db.ts'
import { createAttempts } from '../../identity/attempts.ts'
import { createPasswords, type Passwords } from '../../identity/passwords.ts'
import { findUserByEmail, type UserWithPassword } from '../../identity/users.ts'
import type { Actor } from '../../records/change.ts'
import { CommandFault, EXIT } from '../terminal/output.ts'
import { withStore, type Opened } from '../store.ts'

export interface People extends Opened {
  readonly actor: Actor
  readonly passwords: Passwords
  readonly enrolment: Enrolment
}

const ACTOR = {
  id: 'command line',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
} as const

/** What is refused is told in one sentence, with its mend. */
export const withPeople = <T>(organization: string, work: (people: People) => Promise<T>): Promise<T> =>
  withStore(organization, async (opened) => {
    const { db, vault, loaded } = opened
    const passwords = createPasswords({ shortest: loaded.config.TOOLWAY_PASSWORD_LENGTH })
    const enrolment = createEnrolment({
      db,
      hash: vault.hash,
      seal: vault.seal,
      passwords,
      attempts: createAttempts({ now: Date.now }),
      // Gateways that run hear of it from the database.
      settle: async () => {},
    })
    try {
      return await work({ ...opened, actor: { ...ACTOR, correlationId: randomUUID() }, passwords, enrolment })
    } catch (thrown) {
      throw thrown instanceof Fault && thrown.code !== 'internal' ? wordFault(thrown) : thrown
    }
  })

export function wordFault({ message, mend, code, facts }: Fault): CommandFault {
  if (code === 'body.shape')
    return new CommandFault(`The ${String(facts['place']).slice(1)} ${facts['problem']}.`, EXIT.usage)
  return new CommandFault(`${message} ${mend}`)
}

export async function getPerson(sql: SystemSql, email: string): Promise<UserWithPassword> {
  const user = await findUserByEmail(sql, email)
  if (user === undefined)
    throw new CommandFault(`Nobody here has the email ${email}; \`toolway user list\` shows who is.`)
  return user
}

const EMAIL = /^[^\s@]+@[^\s@]+$/
export function checkEmail(email: string): void {
  if (!EMAIL.test(email.trim()) || email.length > 254)
    throw new CommandFault(`"${email}" is no email address.`, EXIT.usage)
}
