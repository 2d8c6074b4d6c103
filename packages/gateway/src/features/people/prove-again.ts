/**
 * A person confirms within a sign-in that it is still them: by a second factor where they have one, else by the password. What weakens
 * security asks for it (`operations/recent-proof.ts`). Who has neither signs in again.
 */
import { Fault, type FamilyId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import type { Attempts } from '../../identity/attempts.ts'
import { noteProof } from '../../identity/sign-ins.ts'
import { findUser } from '../../identity/users.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { createSealedSteps, type SealedStepsParts } from './sealed-steps.ts'
import type { PasskeyOptions, PasskeyProof, SecondFactors } from './second-factor-port.ts'
import { MOST_WRONG, secondFactorSubject } from './second-step.ts'

export interface ProveAgainParts extends SealedStepsParts {
  readonly db: Pick<Db, 'system'>
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
  /** Throws `login.limit` after too many that did not. */
  passwordFits(actor: Actor, user: UserId, password: string): Promise<boolean>
}

interface Whose {
  readonly userId: UserId
  readonly signInId: FamilyId
}

export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly passkey: PasskeyProof; readonly challenge: string }

export interface ProofQuestion {
  readonly by: readonly ('password' | 'code' | 'passkey')[]
  readonly challenge: string | undefined
  readonly options: PasskeyOptions | undefined
}

export interface ProveAgain {
  begin(whose: Whose): Promise<ProofQuestion>
  /** Throws `factor.wrong`, `factor.late`, `password.wrong` and `login.limit`. */
  prove(actor: Actor, whose: Whose, proof: Proof): Promise<void>
}

const State = z.strictObject({ signIn: z.string(), expected: z.string() })

export function createProveAgain(parts: ProveAgainParts): ProveAgain {
  const { db, attempts, secondFactors } = parts
  const steps = createSealedSteps(parts, 'proof within a sign-in', State)

  async function refuse(actor: Actor, { signInId }: Whose, fault: Fault): Promise<never> {
    const refused = { action: 'sign_in.prove', kind: 'sign_in', resource: 'sign_in', id: signInId } as const
    await db.system((sql) => recordChange(sql, actor, undefined, { ...refused, outcome: 'refused', code: fault.code }))
    throw fault
  }

  const note = (actor: Actor, { signInId }: Whose, method: 'pwd' | 'otp' | 'hwk', by: string) =>
    db.system(async (sql) => {
      await noteProof(sql, signInId, method)
      await recordChange(sql, actor, undefined, {
        action: 'sign_in.prove',
        kind: 'sign_in',
        resource: 'sign_in',
        id: signInId,
        detail: { by },
      })
    })

  async function byPassword(actor: Actor, whose: Whose, password: string): Promise<void> {
    // Who has a second factor proves that: a password alone is not what they signed in with.
    const question = await db.system((sql) => secondFactors.ask(sql, whose.userId))
    const fits = await parts.passwordFits(actor, whose.userId, password)
    if (!fits) return refuse(actor, whose, new Fault('password.wrong'))
    if (question !== undefined) return refuse(actor, whose, new Fault('factor.wrong'))
    await note(actor, whose, 'pwd', 'password')
  }

  return {
    begin: ({ userId, signInId }) =>
      db.system(async (sql) => {
        const question = await secondFactors.ask(sql, userId)
        if (question === undefined) {
          const hasPassword = ((await findUser(sql, userId))?.password ?? null) !== null
          return { by: hasPassword ? ['password'] : [], challenge: undefined, options: undefined }
        }
        const { by, passkey } = question
        const challenge = passkey && steps.seal({ signIn: signInId, expected: passkey.expected })
        return { by, challenge, options: passkey?.options }
      }),
    async prove(actor, whose, proof) {
      if ('password' in proof) return byPassword(actor, whose, proof.password)
      const state = 'challenge' in proof ? steps.open(proof.challenge) : undefined
      if (state !== undefined && state.signIn !== whose.signInId) throw new Fault('factor.late')
      const good = attempts.begin(secondFactorSubject(whose.userId), actor.address, MOST_WRONG)
      const by = await db.system(async (sql) => {
        const found = await secondFactors.check(sql, whose.userId, proof, state?.expected)
        if (found !== undefined && state !== undefined) await steps.spend(sql, state)
        return found
      })
      if (by === undefined) return refuse(actor, whose, new Fault('factor.wrong'))
      good()
      await note(actor, whose, by === 'passkey' ? 'hwk' : 'otp', by)
    },
  }
}
