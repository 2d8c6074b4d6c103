/** Trials of identity providers: an administrator signs in at one and sees what it says, and nobody is let in by it. */
import type { IdentityProviderId } from '@toolway/contract'
import { z } from 'zod'
import { decodeBase64Url } from '../../lib/base64url.ts'
import type { Vault } from '../../vault/vault.ts'

const SEAL_PURPOSE = 'trial of an identity provider'
const LIFETIME_MS = 10 * 60 * 1000

const Trial = z.object({ provider: z.string(), until: z.number() })

/** The text that starts a trial of that provider within ten minutes. */
export const sealTrial = (vault: Pick<Vault, 'seal'>, provider: IdentityProviderId): string =>
  vault.seal(JSON.stringify({ provider, until: Date.now() + LIFETIME_MS }), SEAL_PURPOSE).toString('base64url')

/** Whether a text starts a trial of that provider. */
export function isTrialOf(vault: Pick<Vault, 'open'>, text: string, provider: IdentityProviderId): boolean {
  const sealed = decodeBase64Url(text)
  if (sealed === undefined) return false
  try {
    const trial = Trial.parse(JSON.parse(vault.open(sealed, SEAL_PURPOSE)))
    return trial.provider === provider && trial.until > Date.now()
  } catch {
    return false
  }
}
