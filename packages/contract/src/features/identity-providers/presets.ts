/**
 * Providers that many organizations use, with the settings that fit them. A preset only fills a form: what is stored are the settings.
 * Sources: the OpenID Connect pages of each vendor, named in docs/guides/identity-providers.md.
 */
import type { OidcSettings } from './identity-providers.ts'

export interface ProviderPreset {
  readonly id: string
  readonly title: string
  /** An issuer as the vendor writes it, with what is to be replaced in braces. */
  readonly issuer: string
  readonly settings: Partial<Pick<OidcSettings, 'scopes' | 'group_claims' | 'addresses'>>
}

const PLAIN = ['openid', 'email', 'profile']

export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    id: 'entra',
    title: 'Microsoft Entra ID',
    issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    // Tokens of a single tenant have no `email_verified`; the tenant decides over its addresses.
    settings: { scopes: PLAIN, group_claims: ['groups', 'roles'], addresses: 'provider' },
  },
  {
    id: 'google',
    title: 'Google Workspace',
    issuer: 'https://accounts.google.com',
    settings: { scopes: PLAIN, group_claims: [], addresses: 'claim' },
  },
  {
    id: 'okta',
    title: 'Okta',
    issuer: 'https://{domain}.okta.com',
    settings: { scopes: [...PLAIN, 'groups'], group_claims: ['groups'], addresses: 'claim' },
  },
  {
    id: 'keycloak',
    title: 'Keycloak',
    issuer: 'https://{host}/realms/{realm}',
    settings: { scopes: PLAIN, group_claims: ['groups', 'realm_access.roles'], addresses: 'claim' },
  },
  {
    id: 'auth0',
    title: 'Auth0',
    issuer: 'https://{tenant}.auth0.com/',
    settings: { scopes: PLAIN, group_claims: ['https://toolway/groups'], addresses: 'claim' },
  },
  {
    id: 'onelogin',
    title: 'OneLogin',
    issuer: 'https://{subdomain}.onelogin.com/oidc/2',
    settings: { scopes: [...PLAIN, 'groups'], group_claims: ['groups'], addresses: 'provider' },
  },
  {
    id: 'pingfederate',
    title: 'PingFederate',
    issuer: 'https://{host}',
    settings: { scopes: PLAIN, group_claims: ['memberOf', 'groups'], addresses: 'claim' },
  },
  {
    id: 'supabase',
    title: 'Supabase',
    issuer: 'https://{project}.supabase.co/auth/v1',
    settings: { scopes: ['openid', 'email', 'profile'], group_claims: ['app_metadata.groups'], addresses: 'claim' },
  },
  {
    id: 'authentik',
    title: 'authentik',
    issuer: 'https://{host}/application/o/{application}/',
    settings: { scopes: PLAIN, group_claims: ['groups'], addresses: 'claim' },
  },
]
