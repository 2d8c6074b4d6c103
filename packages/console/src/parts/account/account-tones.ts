/** The tone in which the state of an account is shown. */
import type { Account } from '@toolway/contract/admin'
import type { Tone } from '../../ui/badges.tsx'

export const ACCOUNT_TONES: Readonly<Record<Account['state'], Tone>> = {
  good: 'good',
  expiring: 'warn',
  failing: 'warn',
  lost: 'bad',
}
