/** The addresses of an identity provider on this gateway. */
import type { IdentityProviderId } from '@toolway/contract'
import type { IdentityProvider } from '@toolway/contract/admin'
import { samlEntityIdOf } from '../../identity/federated/saml-provider.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'

/** Where sign-in at a provider starts, without the public address. */
export const startPathOf = (id: IdentityProviderId): string => `/sign-in/provider/${id}`

/** To enter at the provider: where it leads browsers back to. */
export const redirectUriOf = (publicUrl: string, id: IdentityProviderId): string =>
  `${publicUrl}${startPathOf(id)}/callback`

/** To enter at a provider of OpenID Connect: where it says that somebody has signed out there. */
export const logoutUriOf = (publicUrl: string, id: IdentityProviderId): string =>
  `${publicUrl}${startPathOf(id)}/backchannel-logout`

/** To enter at a SAML provider: who we are, where it posts its responses, and where both can be read. */
export function serviceProviderOf(redirectUri: string): NonNullable<IdentityProvider['service_provider']> {
  const entityId = samlEntityIdOf(redirectUri)
  return { entity_id: entityId, acs_url: redirectUri, metadata_url: entityId }
}

/** The sign-in page of an organization, or of the installation. */
export const signInUrlOf = (publicUrl: string, organization: string): string =>
  organization === INSTALLATION ? `${publicUrl}/sign-in` : `${publicUrl}/o/${organization}/sign-in`
