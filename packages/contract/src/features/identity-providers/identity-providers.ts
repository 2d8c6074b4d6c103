/**
 * Identity providers: where people of the installation or of one organization sign in. A provider of an organization proves people to
 * that organization alone. Its secret goes in and never comes out.
 */
import { z } from 'zod'
import { inOrganization, listOf, operation, platform } from '../../admin/operation.ts'
import { Slug } from '../../connections.ts'
import { MemberRole } from '../organizations/members.ts'
import { TENANT } from '../organizations/organizations.ts'

const Text = z.string().trim().min(1).max(200)
/** A claim by its name, or a path of names with dots: `groups`, `realm_access.roles`. */
const ClaimPath = z.string().trim().min(1).max(200)

/** A group of the provider, and what its people are and get here. */
export const GroupMapping = z.strictObject({
  /** As the claim has it: a name, or an object id. */
  group: Text,
  /** Slug of the organization, of a provider of the installation; a provider of an organization speaks for that one alone. */
  organization: Slug.optional(),
  role: MemberRole.optional(),
  /** Slugs of groups of the organization. */
  groups: z.array(Slug).max(20).default([]),
})
export type GroupMapping = z.output<typeof GroupMapping>

/** People that nobody has added: no access, or a membership with that role. */
const Newcomers = z.enum(['refuse', 'viewer', 'member'])

/** Parts that the settings of every kind of provider have. */
const Shared = {
  /**
   * When an address identifies an existing user. claim: only with `email_verified: true`. provider: also where that claim is missing,
   * because the provider decides over its addresses.
   */
  addresses: z.enum(['claim', 'provider']).default('claim'),
  newcomers: Newcomers.default('refuse'),
  /**
   * Whether a sign-in counts as proven by two factors. reported: where the provider says so (`amr`, `acr`). assumed: always, because the
   * provider asks everybody for them.
   */
  second_factor: z.enum(['reported', 'assumed']).default('reported'),
  /** Hours after which people sign in again. */
  session_hours: z.int().min(1).max(720).default(8),
  mappings: z.array(GroupMapping).max(500).default([]),
}

export const OidcSettings = z.strictObject({
  kind: z.literal('oidc'),
  issuer: z.url({ protocol: /^https?$/, error: 'must start with https://' }).max(500),
  client_id: Text,
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'is not a scope'))
    .min(1)
    .max(20)
    .default(['openid', 'email', 'profile']),
  /** Claims that contain groups. */
  group_claims: z.array(ClaimPath).max(10).default([]),
  ...Shared,
})
export type OidcSettings = z.output<typeof OidcSettings>

/** The first attribute of these that a person has counts; of groups, all of them. */
const attributes = (names: string[]) => z.array(ClaimPath).max(10).default(names)

/** Names of attributes, as Entra ID, Okta, Keycloak, ADFS and Shibboleth send them. */
const SamlAttributes = z.strictObject({
  /** A name id in the form of an address counts where none of these is there. */
  email: attributes([
    'email',
    'mail',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
    'urn:oid:0.9.2342.19200300.100.1.3',
  ]),
  name: attributes([
    'name',
    'displayName',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'urn:oid:2.16.840.1.113730.3.1.241',
  ]),
  groups: attributes([
    'groups',
    'memberOf',
    'Role',
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
    'http://schemas.xmlsoap.org/claims/Group',
  ]),
})

const Certificate = z
  .string()
  .trim()
  .max(10_000)
  .regex(/^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----$/, 'is not a certificate in PEM form')

export const SamlSettings = z.strictObject({
  kind: z.literal('saml'),
  /** The provider's own name for itself (its issuer). */
  entity_id: z.string().trim().min(1).max(1024),
  /** Where browsers are sent to sign in, by a redirect. */
  sso_url: z.url({ protocol: /^https?$/, error: 'must start with https://' }).max(1000),
  /** Certificates of the keys that it signs with. All of them count, so that a new one can be entered before it is used. */
  certificates: z.array(Certificate).min(1).max(4),
  attributes: SamlAttributes.prefault({}),
  ...Shared,
})
export type SamlSettings = z.output<typeof SamlSettings>

/** The same, with the entity id, address and certificates of the provider's metadata. They are read once and stored. */
export const SamlMetadataSettings = z.strictObject({
  kind: z.literal('saml_metadata'),
  metadata: z.string().min(1).max(200_000),
  attributes: SamlAttributes.prefault({}),
  ...Shared,
})
export type SamlMetadataSettings = z.output<typeof SamlMetadataSettings>

export const ProviderSettings = z.discriminatedUnion('kind', [OidcSettings, SamlSettings])
export type ProviderSettings = z.output<typeof ProviderSettings>

const ProviderSettingsInput = z.discriminatedUnion('kind', [OidcSettings, SamlSettings, SamlMetadataSettings])

export const IdentityProvider = z.strictObject({
  slug: z.string(),
  title: z.string(),
  settings: ProviderSettings,
  enabled: z.boolean(),
  /** Whether the provider may lie in a private network. */
  private: z.boolean(),
  has_secret: z.boolean(),
  /** `environment`: it is set by environment variables, and changed there. */
  origin: z.string(),
  /** To enter at the provider: where it leads browsers back to. */
  redirect_uri: z.string(),
  /** To enter at the provider: where it says that somebody has signed out there (back-channel logout); null where it cannot. */
  logout_uri: z.string().nullable(),
  /** Where people start. */
  sign_in_url: z.string(),
  /** To enter at a provider of SAML; null for every other kind. */
  service_provider: z
    .strictObject({
      /** Our entity id, which is the audience of its assertions. */
      entity_id: z.string(),
      /** Where it posts its responses (assertion consumer service). */
      acs_url: z.string(),
      metadata_url: z.string(),
    })
    .nullable(),
  /** The end of the certificate that expires first. */
  certificate_expires_at: z.iso.datetime().nullable(),
  signed_in_at: z.iso.datetime().nullable(),
  last_problem: z.string().nullable(),
  failed_at: z.iso.datetime().nullable(),
})
export type IdentityProvider = z.output<typeof IdentityProvider>

export const IdentityProviderInput = z.strictObject({
  title: z.string().trim().min(1).max(60),
  settings: ProviderSettingsInput,
  /** Of OpenID Connect. Left out, the stored one stays where the issuer and the client id do. */
  client_secret: z.string().min(1).max(1000).optional(),
  enabled: z.boolean().default(false),
  /** A platform administrator's to say. */
  private: z.boolean().optional(),
})
export type IdentityProviderInput = z.output<typeof IdentityProviderInput>

const List = listOf(IdentityProvider)
const Trial = z.strictObject({
  /** To open in a browser within ten minutes: it signs in there, and shows what the provider says without letting anybody in. */
  url: z.string(),
})
const PROVIDERS = `${TENANT}/identity-providers`
const PROVIDER = `${PROVIDERS}/{provider}`
const ALL_PROVIDERS = '/api/v1/admin/identity-providers'
const ONE_OF_ALL = `${ALL_PROVIDERS}/{provider}`
const needs = inOrganization('user_manage')

export const listIdentityProviders = operation({
  id: 'listIdentityProviders',
  at: `GET ${PROVIDERS}`,
  summary: 'List the identity providers of an organization.',
  needs,
  answer: List,
})
export const putIdentityProvider = operation({
  id: 'putIdentityProvider',
  at: `PUT ${PROVIDER}`,
  summary:
    'Create or update an identity provider of an organization. Its people can sign in to this organization only.',
  needs,
  body: IdentityProviderInput,
  answer: IdentityProvider,
})
export const tryIdentityProvider = operation({
  id: 'tryIdentityProvider',
  at: `POST ${PROVIDER}/trial`,
  summary: 'Get an address that signs in at an identity provider and shows its claims without letting anybody in.',
  needs,
  answer: Trial,
})
export const removeIdentityProvider = operation({
  id: 'removeIdentityProvider',
  at: `DELETE ${PROVIDER}`,
  summary: 'Delete an identity provider of an organization and end the sign-ins that were made with it.',
  needs,
})
export const listInstallationIdentityProviders = operation({
  id: 'listInstallationIdentityProviders',
  at: `GET ${ALL_PROVIDERS}`,
  summary: 'List the identity providers of the installation.',
  needs: platform('user_manage'),
  answer: List,
})
export const putInstallationIdentityProvider = operation({
  id: 'putInstallationIdentityProvider',
  at: `PUT ${ONE_OF_ALL}`,
  summary: 'Create or update an identity provider of the installation, for people of every organization.',
  needs: platform('user_manage'),
  body: IdentityProviderInput,
  answer: IdentityProvider,
})
export const tryInstallationIdentityProvider = operation({
  id: 'tryInstallationIdentityProvider',
  at: `POST ${ONE_OF_ALL}/trial`,
  summary:
    'Get an address that signs in at an identity provider of the installation and shows its claims without letting anybody in.',
  needs: platform('user_manage'),
  answer: Trial,
})
export const removeInstallationIdentityProvider = operation({
  id: 'removeInstallationIdentityProvider',
  at: `DELETE ${ONE_OF_ALL}`,
  summary: 'Delete an identity provider of the installation and end the sign-ins that were made with it.',
  needs: platform('user_manage'),
})
