/**
 * The second step of a sign-in, and the sign-in by a passkey alone. In between, a sealed text says who has proven what so far: it is
 * good for five minutes and for one sign-in, at any replica, and for nothing else.
 *
 * Wrong proofs are counted for the person, from wherever they come; only who knows the password gets so far. A refusal does not tell
 * which part was wrong, and is on record.
 */
import { Fault, type FamilyId, type IdentityProviderId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { Db, SystemSql } from '../../db/db.ts'
import type { Attempts } from '../../identity/attempts.ts'
import { METHODS, type ProviderSession, type SignInMethod } from '../../identity/sign-ins.ts'
import { findUser, hasProvider, type UserRow, type UserWithPassword } from '../../identity/users.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { createSealedSteps, type SealedStepsParts } from './sealed-steps.ts'
import type {
  PasskeyOptions,
  PasskeyProof,
  SecondFactorKind,
  SecondFactorProof,
  SecondFactors,
} from './second-factor-port.ts'

export interface SecondStepParts extends SealedStepsParts {
  /** Throws `login.provider` for a person whose organization wants them to sign in at its identity provider. */
  refusePassword(sql: SystemSql, user: UserRow): Promise<void>
  readonly db: Pick<Db, 'system'>
  readonly attempts: Attempts
  readonly secondFactors: SecondFactors
}

export interface StepScope {
  readonly organization?: string | undefined
  readonly client: 'browser' | 'command line'
  /** The identity provider that proved the person, and when they have to sign in there again. */
  readonly provider?: ProviderSession | undefined
}

/** The first step was right, and there is a second one. */
export interface SecondStep {
  readonly challenge: string
  readonly by: readonly SecondFactorKind[]
  readonly passkey: PasskeyOptions | undefined
  /** Seconds. */
  readonly expiresIn: number
}

/** Somebody whose identity is proven. */
export interface FirstStep {
  readonly user: UserRow
  readonly methods: readonly SignInMethod[]
  /** For the record. */
  readonly how: string
  /** A sign-in that this one goes on with: it is as old, and was proven then. */
  readonly after?: FamilyId
  readonly scope: StepScope
}

export interface SecondSteps {
  /** Undefined where the person has no second factor. */
  begin(sql: SystemSql, first: FirstStep): Promise<SecondStep | undefined>
  /** Throws `factor.wrong`, `factor.late` and `login.limit`. */
  finish(actor: Actor, challenge: string, proof: SecondFactorProof): Promise<FirstStep>
  /** For a sign-in by a passkey alone; undefined where nobody has any. */
  beginPasskey(): Promise<Pick<SecondStep, 'challenge' | 'passkey'> | undefined>
  /** Throws as `finish`. */
  finishPasskey(actor: Actor, challenge: string, passkey: PasskeyProof, scope: StepScope): Promise<FirstStep>
}

/** Of one person in a quarter of an hour: three codes of a million are right at any time. */
export const MOST_WRONG = 10
export const secondFactorSubject = (user: UserId): string => `second factor ${user}`

const First = z.strictObject({
  user: z.string().transform((id) => id as UserId),
  epoch: z.int(),
  methods: z.array(z.enum(METHODS)),
  how: z.string(),
  organization: z.string().optional(),
  client: z.enum(['browser', 'command line']),
  /** `endsAt` in milliseconds since 1970. */
  provider: z
    .strictObject({
      id: z.string().transform((id) => id as IdentityProviderId),
      endsAt: z.number(),
      subject: z.string(),
      session: z.string().optional(),
    })
    .optional(),
})
const AfterFirst = z.strictObject({ first: First, expected: z.string().optional() })
const Alone = z.strictObject({ expected: z.string() })

export function createSecondSteps(parts: SecondStepParts): SecondSteps {
  const { db, attempts, secondFactors } = parts
  const steps = createSealedSteps(parts, 'second step of signing in', AfterFirst)
  const alone = createSealedSteps(parts, 'signing in by a passkey', Alone)

  return {
    async begin(sql, { user, methods, how, scope }) {
      const question = await secondFactors.ask(sql, user.id)
      if (question === undefined) return undefined
      const { by, passkey } = question
      const first = { user: user.id, epoch: user.epoch, methods: [...methods], how, ...sealedScope(scope) }
      const challenge = steps.seal({ first, ...(passkey === undefined ? {} : { expected: passkey.expected }) })
      return { challenge, by, passkey: passkey?.options, expiresIn: steps.lifetime }
    },
    async finish(actor, challenge, proof) {
      const state = steps.open(challenge)
      const { first, expected } = state
      const good = attempts.begin(subjectOf(first), actor.address, MOST_WRONG)
      const done = await db.system(async (sql) => {
        const user = await standing(sql, first)
        const by = user && (await secondFactors.check(sql, user.id, proof, expected))
        if (user === undefined || by === undefined) return undefined
        await steps.spend(sql, state)
        return { user, by }
      })
      if (done === undefined) return refuse(db, actor, first.user)
      good()
      const { user, by } = done
      const methods: SignInMethod[] = [...first.methods, by === 'passkey' ? 'hwk' : 'otp']
      return { user, methods, how: `${first.how}, ${by}`, scope: scopeOf(first) }
    },
    async beginPasskey() {
      const question = await db.system((sql) => secondFactors.askAnyone(sql))
      return question && { challenge: alone.seal({ expected: question.expected }), passkey: question.options }
    },
    async finishPasskey(actor, challenge, passkey, scope) {
      const good = attempts.beginShared('passkey', actor.address)
      const state = alone.open(challenge)
      const user = await db.system(async (sql) => {
        const id = await secondFactors.checkAnyone(sql, passkey, state.expected)
        const found = id === undefined ? undefined : await findUser(sql, id)
        if (found === undefined || !mayUsePasskey(found)) return undefined
        // Where a provider took the password, a passkey would go on after the person has left that provider.
        if (found.password === null && (await hasProvider(sql, found.id))) return undefined
        await parts.refusePassword(sql, found)
        await alone.spend(sql, state)
        return found
      })
      if (user === undefined) return refuse(db, actor, undefined)
      good()
      return { user, methods: ['hwk'], how: 'passkey', scope }
    },
  }
}

/** Guesses in a sign-in at one provider block no other way to sign in. */
const subjectOf = ({ user, provider }: z.output<typeof First>): string =>
  provider === undefined ? secondFactorSubject(user) : `${secondFactorSubject(user)} at ${provider.id}`

const sealedScope = ({ client, organization, provider }: StepScope) => ({
  client,
  ...(organization === undefined ? {} : { organization }),
  ...(provider === undefined ? {} : { provider: { ...provider, endsAt: provider.endsAt.getTime() } }),
})

const scopeOf = ({ client, organization, provider }: z.output<typeof First>): StepScope => ({
  client,
  organization,
  provider: provider && { ...provider, endsAt: new Date(provider.endsAt) },
})

/** The person of the first step, unless their password or their account has changed since. */
async function standing(sql: SystemSql, first: { user: UserId; epoch: number }): Promise<UserWithPassword | undefined> {
  const user = await findUser(sql, first.user)
  return user?.active === true && user.epoch === first.epoch ? user : undefined
}

/** Whoever a provider signs in comes by that provider: when they leave it, nothing of theirs opens this door. */
const mayUsePasskey = ({ active, provider }: UserRow): boolean => active && provider === 'local'

async function refuse(db: Pick<Db, 'system'>, actor: Actor, user: UserId | undefined): Promise<never> {
  await db.system((sql) =>
    recordChange(sql, actor, undefined, {
      action: 'sign_in',
      kind: 'sign_in',
      resource: 'user',
      id: user ?? 'unknown',
      outcome: 'refused',
      code: 'factor.wrong',
      detail: { by: 'second factor' },
    }),
  )
  throw new Fault('factor.wrong')
}
