/** The sign-in of a declaration file: identity providers with their secrets by reference, and email domains. */
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
import type { Declared, DeclaredProvider } from './features/declaration/index.ts'

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
export const SIGN_IN_MEMBERS = {
  identity_providers: IdentityProviders.optional(),
  identity_domains: z.record(z.string().toLowerCase(), Domain).optional(),
}
const Members = z.object(SIGN_IN_MEMBERS)

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

/** The sections that the file has; absent ones are absent. */
export const signInOf = (
  { identity_providers: providers, identity_domains: domains }: z.output<typeof Members>,
  fill: Fill,
): Pick<Declared, 'identityProviders' | 'identityDomains'> => ({
  ...(providers === undefined ? {} : { identityProviders: providersOf(providers, fill) }),
  ...(domains === undefined
    ? {}
    : { identityDomains: Object.entries(domains).map(([domain, words]) => ({ domain, ...words })) }),
})
