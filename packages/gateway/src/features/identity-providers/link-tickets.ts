/** Texts that start linking an account to a provider: sealed, for one sign-in of one person, and good for ten minutes. */
import type { FamilyId, IdentityProviderId, UserId } from '@toolway/contract'
import { z } from 'zod'
import { decodeBase64Url } from '../../lib/base64url.ts'
import type { Vault } from '../../vault/vault.ts'

const SEAL_PURPOSE = 'link to an identity provider'
const LIFETIME_MS = 10 * 60 * 1000

/** Whose account is linked, and the sign-in that asked for it. */
export const Linking = z.object({
  user: z.string().transform((id) => id as UserId),
  signIn: z.string().transform((id) => id as FamilyId),
})
export type Linking = z.output<typeof Linking>

const Ticket = Linking.extend({ provider: z.string(), until: z.number() })

export const sealLinkTicket = (vault: Pick<Vault, 'seal'>, provider: IdentityProviderId, linking: Linking): string =>
  vault
    .seal(JSON.stringify({ ...linking, provider, until: Date.now() + LIFETIME_MS }), SEAL_PURPOSE)
    .toString('base64url')

/** Undefined for what starts no linking to that provider. */
export function openLinkTicket(
  vault: Pick<Vault, 'open'>,
  text: string,
  provider: IdentityProviderId,
): Linking | undefined {
  const sealed = decodeBase64Url(text)
  if (sealed === undefined) return undefined
  try {
    const ticket = Ticket.parse(JSON.parse(vault.open(sealed, SEAL_PURPOSE)))
    return ticket.provider === provider && ticket.until > Date.now()
      ? { user: ticket.user, signIn: ticket.signIn }
      : undefined
  } catch {
    return undefined
  }
}
