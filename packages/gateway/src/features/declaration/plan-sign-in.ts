/**
 * Steps for who signs in: identity providers of an organization or of the installation, and email domains. A secret is compared at a
 * start alone, because no operation tells it; `toolway apply` sends it with every change of its provider.
 */
import { Fault } from '@toolway/contract'
import {
  putIdentityDomain,
  putIdentityProvider,
  putInstallationIdentityProvider,
  removeIdentityDomain,
  removeIdentityProvider,
  removeInstallationIdentityProvider,
  type IdentityDomain,
  type IdentityProvider,
  type ProviderSettings,
} from '@toolway/contract/admin'
import { emailOf } from '../../identity/users.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { checkSettings } from '../identity-providers/index.ts'
import { DeclarationConflict } from './conflict.ts'
import type { Declared, DeclaredDomain, DeclaredProvider } from './declared.ts'
import { fieldsOf, type PlanMode, type Step } from './steps.ts'

export interface KnownProvider extends Pick<
  IdentityProvider,
  'slug' | 'title' | 'settings' | 'enabled' | 'private' | 'has_secret' | 'origin'
> {
  /** Whether its secret is this; absent where nobody here can tell. */
  isSecret?(secret: string): boolean
}

export interface KnownSignIn {
  readonly identityProviders: readonly KnownProvider[]
  readonly identityDomains: readonly Pick<IdentityDomain, 'domain' | 'enforced' | 'break_glass'>[]
}

/** Whether it lies in a private network, where nothing is said: by its address, as far as the gateway itself asks there. */
export const impliesPrivate = (settings: ProviderSettings): boolean =>
  settings.kind === 'oidc' ? namesPrivate(settings.issuer) : settings.sso_url.startsWith('http:')

/** Throws DeclarationConflict. */
function settingsOf({ slug, settings }: DeclaredProvider): ProviderSettings {
  try {
    return checkSettings(settings)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    const { place, problem } = thrown.facts
    throw new DeclarationConflict(
      `The declaration file's identity provider "${slug}" is not valid: ${String(place).slice(1)} ${String(problem)}.`,
    )
  }
}

const hasNewSecret = ({ secret }: DeclaredProvider, present: KnownProvider): boolean =>
  secret !== undefined && (present.isSecret === undefined ? !present.has_secret : !present.isSecret(secret))

/** `organization`: undefined for those of the installation. */
export function planProviders(
  way: PlanMode,
  organization: string | undefined,
  declared: readonly DeclaredProvider[],
  present: readonly KnownProvider[],
): Step[] {
  return declared.flatMap((provider): Step[] => {
    const { slug, title, enabled, secret } = provider
    const settings = settingsOf(provider)
    const words = { title, enabled, private: provider.private ?? impliesPrivate(settings) }
    const act = {
      ...(organization === undefined
        ? { operation: putInstallationIdentityProvider, params: { provider: slug } }
        : { operation: putIdentityProvider, params: { organization, provider: slug } }),
      body: { ...words, settings, ...(secret === undefined ? {} : { client_secret: secret }) },
    }
    const step = { organization, thing: 'identity provider', name: slug, acts: [act] } as const
    const known = present.find((item) => item.slug === slug)
    if (known === undefined) return [{ ...step, action: 'create', fields: [] }]
    const before = { title: known.title, enabled: known.enabled, private: known.private }
    const fields = [
      ...fieldsOf(before, words),
      ...fieldsOf(known.settings, settings).map((member) => `settings.${member}`),
      ...(hasNewSecret(provider, known) ? ['client_secret'] : []),
    ]
    way.refuse({ thing: 'identity provider', name: slug, origin: known.origin, fields })
    return fields.length === 0 ? [] : [{ ...step, action: 'change', fields }]
  })
}

/** Providers that are there and not declared, as far as the plan may remove them. */
export function extraProviders(
  way: PlanMode,
  organization: string | undefined,
  declared: readonly DeclaredProvider[] | undefined,
  present: readonly KnownProvider[],
): Step[] {
  // A start takes back its own providers; the section of a file that is applied may be absent.
  if (declared === undefined && way.removes(undefined)) return []
  const slugs = new Set(declared?.map(({ slug }) => slug))
  return present
    .filter(({ slug, origin }) => way.removes(origin) && !slugs.has(slug))
    .map(({ slug: provider }) => ({
      ...{ action: 'remove', organization, thing: 'identity provider', name: provider, fields: [] },
      acts: [
        organization === undefined
          ? { operation: removeInstallationIdentityProvider, params: { provider } }
          : { operation: removeIdentityProvider, params: { organization, provider } },
      ],
    }))
}

export function planDomains({ slug: organization, identityDomains = [] }: Declared, present: KnownSignIn | undefined) {
  return identityDomains.flatMap(({ domain, enforced, break_glass: glass }: DeclaredDomain): Step[] => {
    // As it is stored.
    const words = { enforced, break_glass: glass && emailOf(glass) }
    const acts = [{ operation: putIdentityDomain, params: { organization, domain }, body: words }]
    const step = { organization, thing: 'email domain', name: domain, acts } as const
    const known = present?.identityDomains.find((item) => item.domain === domain)
    if (known === undefined) return [{ ...step, action: 'create', fields: [] }]
    const fields = fieldsOf({ enforced: known.enforced, break_glass: known.break_glass }, words)
    return fields.length === 0 ? [] : [{ ...step, action: 'change', fields }]
  })
}

/** A domain has no origin: all are the section's, where the file has one. */
export function extraDomains(
  way: PlanMode,
  { slug: organization, identityDomains }: Declared,
  present: KnownSignIn,
): Step[] {
  if (identityDomains === undefined || !way.removes(undefined)) return []
  const domains = new Set(identityDomains.map(({ domain }) => domain))
  return present.identityDomains
    .filter(({ domain }) => !domains.has(domain))
    .map(({ domain }) => ({
      ...{ action: 'remove', organization, thing: 'email domain', name: domain, fields: [] },
      acts: [{ operation: removeIdentityDomain, params: { organization, domain } }],
    }))
}
