/** The settings of an organization for sign-ins of its members; whoever changes them has to have proven lately who they are. */
import type { OwnSettingsChange } from '@toolway/contract/admin'
import type { z } from 'zod'

type SignInSettings = Pick<
  z.output<typeof OwnSettingsChange>,
  'second_factor' | 'sign_in_hours' | 'sign_in_idle_minutes'
>
type Nullable<Fields> = { readonly [Key in keyof Fields]: Fields[Key] | null }

/** Those that a change names. */
export function signInSettingsOf<Fields extends Nullable<SignInSettings>>(change: Fields) {
  const { second_factor, sign_in_hours, sign_in_idle_minutes } = change
  return {
    ...(second_factor === undefined ? {} : { second_factor }),
    ...(sign_in_hours === undefined ? {} : { sign_in_hours }),
    ...(sign_in_idle_minutes === undefined ? {} : { sign_in_idle_minutes }),
  }
}
