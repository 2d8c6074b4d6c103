/** The addresses of an identity provider on this gateway. */
import type { IdentityProviderId } from '@toolway/contract'
import { INSTALLATION } from '../../snapshot/installation.ts'

/** Where sign-in at a provider starts, without the public address. */
export const startPathOf = (id: IdentityProviderId): string => `/sign-in/provider/${id}`

/** To enter at the provider: where it leads browsers back to. */
export const redirectUriOf = (publicUrl: string, id: IdentityProviderId): string =>
  `${publicUrl}${startPathOf(id)}/callback`

/** The sign-in page of an organization, or of the installation. */
export const signInUrlOf = (publicUrl: string, organization: string): string =>
  organization === INSTALLATION ? `${publicUrl}/sign-in` : `${publicUrl}/o/${organization}/sign-in`
