/**
 * Whether an organization takes a person's sign-in: how old it may be, how long it may rest, and whether a second factor is needed
 * (ADR 0143). All of memory, at each use. Keys, and who is here on somebody else's word, have no sign-in.
 */
import { Fault } from '@toolway/contract'
import type { OrganizationSettings } from '@toolway/contract/admin'
import type { AccountRow } from '../identity/accounts.ts'
import { OWN_CLIENTS, type Principal, type SignInProof } from '../identity/principal.ts'

type SignInSettings = Pick<OrganizationSettings, 'second_factor' | 'sign_in_hours' | 'sign_in_idle_minutes'>

/** Uses are stored once a minute, and clocks differ. */
const SLACK_SECONDS = 90
const HOUR = 3600
const MINUTE = 60

/** Why a sign-in is taken no more; undefined where it is. Times in seconds. */
export function restOf(
  { sign_in_hours: hours, sign_in_idle_minutes: minutes }: SignInSettings,
  { began, idle }: Pick<SignInProof, 'began' | 'idle'>,
  now: number,
): 'age' | 'idle' | undefined {
  if (hours !== undefined && now - began > hours * HOUR) return 'age'
  if (minutes !== undefined && idle > minutes * MINUTE + SLACK_SECONDS) return 'idle'
  return undefined
}

/** What a sign-in is looked at for: the settings of an organization, or none for what belongs to no organization. */
export interface SignInCheck {
  readonly account: Pick<AccountRow, 'second_factor' | 'must_have_second_factor'> | undefined
  readonly settings: SignInSettings
  /** Seconds. */
  readonly now: number
}

/**
 * Throws `factor.needed`, `factor.provider`, `login.over`, and `token.expired` for a token that has to be renewed first. OAuth clients renew by
 * themselves whether their person is here or not: how old their grant is, and how long they rest, ends nothing.
 */
export function refuseSignIn({ proof, client }: Principal, { account, settings, now }: SignInCheck): void {
  if (proof === undefined) return
  const isNeeded = settings.second_factor === 'required' || account?.must_have_second_factor === true
  if (isNeeded && account?.second_factor !== true && !proof.methods.includes('mfa'))
    throw new Fault(proof.methods.includes('fed') ? 'factor.provider' : 'factor.needed')
  if (client === undefined || !OWN_CLIENTS.has(client)) return
  const { sign_in_idle_minutes: minutes } = settings
  if (restOf(settings, proof, now) !== undefined) throw new Fault('login.over')
  // It may have rested since this token was made: the next one says how long.
  if (minutes !== undefined && now - proof.issued > minutes * MINUTE + SLACK_SECONDS) throw new Fault('token.expired')
}
