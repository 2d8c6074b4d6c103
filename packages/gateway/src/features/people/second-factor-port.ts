/** Second factors as signing in asks for them; `features/second-factor` has them. */
import type { UserId } from '@toolway/contract'
import type { PasskeyAnswer } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

export type SecondFactorKind = 'code' | 'passkey'
export type PasskeyOptions = Readonly<Record<string, unknown>>

/** What a person is asked for. */
export interface SecondFactorQuestion {
  readonly by: readonly SecondFactorKind[]
  /** For the browser; undefined where the person has no passkey for this address. */
  readonly passkey: { readonly options: PasskeyOptions; readonly expected: string } | undefined
}

export type PasskeyProof = z.output<typeof PasskeyAnswer>
/** `code`: of an authenticator app, or a recovery code. */
export type SecondFactorProof = { readonly code: string } | { readonly passkey: PasskeyProof }

export interface SecondFactors {
  /** Undefined for a person without a second factor. */
  ask(sql: SystemSql, user: UserId): Promise<SecondFactorQuestion | undefined>
  /**
   * How it was proven; undefined for a wrong proof. A code or a sign count is used by it, in the transaction of the caller.
   * `expected`: the challenge that a passkey had to answer.
   */
  check(
    sql: SystemSql,
    user: UserId,
    proof: SecondFactorProof,
    expected: string | undefined,
  ): Promise<'app code' | 'recovery code' | 'passkey' | undefined>
  /** For somebody who has not said who they are; undefined where nobody has a passkey for this address. */
  askAnyone(sql: SystemSql): Promise<SecondFactorQuestion['passkey']>
  /** Whose passkey it is; undefined for a wrong one. */
  checkAnyone(sql: SystemSql, passkey: PasskeyProof, expected: string): Promise<UserId | undefined>
}
