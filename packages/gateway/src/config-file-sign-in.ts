/** Who signs in, in a declaration file: identity providers with their secrets by reference, and email domains. */
import { Slug } from '@toolway/contract'
import {
  IdentityProviderInput,
  OidcSettings,
  putIdentityDomain,
  SamlMetadataSettings,
  SamlSettings,
} from '@toolway/contract/admin'
import { z } from 'zod'
import { Value, type Fill } from './config-file-value.ts'
import type { DeclaredDomain, DeclaredProvider } from './features/declaration/index.ts'

const { title, enabled } = IdentityProviderInput.shape
/** Metadata may be in a file beside this one. */
const Metadata = SamlMetadataSettings.extend({ metadata: Value })
const Provider = z.strictObject({
  title: title.optional(),
  enabled,
  private: z.boolean().optional(),
  settings: z.discriminatedUnion('kind', [OidcSettings, SamlSettings, Metadata]),
  client_secret: Value.optional(),
})

export const IdentityProviders = z.record(Slug, Provider)
const Domain = putIdentityDomain.body
export const IdentityDomains = z.record(z.string().toLowerCase(), Domain)

export const SIGN_IN_NAMES: readonly string[] = [Provider, Domain, OidcSettings, SamlSettings, Metadata].flatMap(
  (shape) => Object.keys(shape.shape),
)

export const providersOf = (providers: z.output<typeof IdentityProviders>, fill: Fill): DeclaredProvider[] =>
  Object.entries(providers).map(([slug, { title: name = slug, settings, client_secret: secret, ...more }]) => ({
    ...{ slug, title: name, ...more },
    settings:
      settings.kind === 'saml_metadata'
        ? { ...settings, metadata: fill(settings.metadata, 'identity_providers', slug, 'settings', 'metadata') }
        : settings,
    secret: secret === undefined ? undefined : fill(secret, 'identity_providers', slug, 'client_secret'),
  }))

export const domainsOf = (domains: z.output<typeof IdentityDomains>): DeclaredDomain[] =>
  Object.entries(domains).map(([domain, words]) => ({ domain, ...words }))
