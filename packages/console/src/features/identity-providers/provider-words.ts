/** The words of the form of an identity provider, and the body that is sent for them. */
import {
  PROVIDER_PRESETS,
  type IdentityProvider,
  type IdentityProviderInput,
  type OidcSettings,
  type ProviderSettings,
} from '@toolway/contract/admin'
import type { z } from 'zod'
import { texts } from '../../texts/texts.ts'
import { slugOf } from '../../ui/slug-of.ts'

const t = texts.identityProviders

export type Row = IdentityProvider & { readonly id: string }
export type Body = z.input<typeof IdentityProviderInput>
type Role = NonNullable<OidcSettings['mappings'][number]['role']>

export interface MappingWords {
  readonly group: string
  readonly role: Role | ''
  /** Slugs, with commas. */
  readonly groups: string
}

export interface ProviderWords extends Pick<OidcSettings, 'addresses' | 'newcomers'> {
  readonly kind: ProviderSettings['kind']
  readonly preset: string
  readonly title: string
  /** XML of a SAML provider; empty: what is stored stays. */
  readonly metadata: string
  readonly issuer: string
  readonly clientId: string
  readonly secret: string
  readonly scopes: string
  readonly groupClaims: string
  readonly hours: number | string
  /** Its sign-ins count as proven by two factors. */
  readonly isAssumed: boolean
  readonly mappings: readonly MappingWords[]
  readonly private: boolean
}

const DEFAULTS = { scopes: 'openid email profile', groupClaims: '', addresses: 'claim', newcomers: 'refuse' } as const

/** The preset of a provider that is described by its metadata. */
export const SAML = 'saml'

export function wordsOf(row: Row | undefined): ProviderWords {
  const settings = row?.settings
  const oidc = settings?.kind === 'oidc' ? settings : undefined
  const groups = settings?.kind === 'saml' ? settings.attributes.groups : oidc?.group_claims
  return {
    kind: settings?.kind ?? 'oidc',
    preset: '',
    title: row?.title ?? '',
    metadata: '',
    issuer: oidc?.issuer ?? '',
    clientId: oidc?.client_id ?? '',
    secret: '',
    scopes: oidc?.scopes.join(' ') ?? DEFAULTS.scopes,
    groupClaims: groups?.join(', ') ?? DEFAULTS.groupClaims,
    addresses: settings?.addresses ?? DEFAULTS.addresses,
    newcomers: settings?.newcomers ?? DEFAULTS.newcomers,
    hours: settings?.session_hours ?? 8,
    isAssumed: settings?.second_factor === 'assumed',
    mappings:
      settings?.mappings.map(({ group, role, groups: here }) => ({
        ...{ group, role: role ?? '', groups: here.join(', ') },
      })) ?? [],
    private: row?.private ?? false,
  }
}

/** The fields that a preset fills in; a title that is there stays. */
export function presetWords(id: string, { title }: ProviderWords): Partial<ProviderWords> {
  if (id === SAML) return { preset: id, kind: 'saml', groupClaims: '', addresses: 'provider' }
  const preset = PROVIDER_PRESETS.find((item) => item.id === id)
  if (preset === undefined) return { preset: id, kind: 'oidc' }
  const { scopes, group_claims: claims, addresses } = preset.settings
  return {
    preset: id,
    kind: 'oidc',
    title: title === '' ? preset.title : title,
    issuer: preset.issuer,
    ...(scopes === undefined ? {} : { scopes: scopes.join(' ') }),
    ...(claims === undefined ? {} : { groupClaims: claims.join(', ') }),
    ...(addresses === undefined ? {} : { addresses }),
  }
}

/** @param row absent: it is a new one, which needs metadata where it is of SAML */
export const faultsFor =
  (row: Row | undefined) =>
  (words: ProviderWords): Record<string, string> => {
    const { kind, title, hours, mappings } = words
    const count = Number(hours)
    return {
      ...(title.trim() === '' ? { title: t.titleWrong } : {}),
      ...(kind === 'oidc' ? clientFaults(words) : {}),
      ...(kind === 'saml' && row === undefined && words.metadata.trim() === '' ? { metadata: t.metadataWrong } : {}),
      ...(Number.isInteger(count) && count >= 1 && count <= 720 ? {} : { hours: t.hoursWrong }),
      ...(mappings.some(({ group }) => group.trim() === '') ? { mappings: t.mappingWrong } : {}),
    }
  }

const clientFaults = ({ issuer, clientId }: ProviderWords): Record<string, string> => ({
  ...(/^https?:\/\/[^{}\s]+$/.test(issuer.trim()) ? {} : { issuer: t.issuerWrong }),
  ...(clientId.trim() === '' ? { clientId: t.clientIdWrong } : {}),
})

const partsOf = (text: string, by: RegExp): string[] => text.split(by).filter((part) => part !== '')

function settingsOf(words: ProviderWords, row: Row | undefined): Body['settings'] {
  const { addresses, newcomers, hours } = words
  const groups = partsOf(words.groupClaims.trim(), /\s*,\s*/)
  const mappings = words.mappings.map(({ group, role, groups: here }) => ({
    group: group.trim(),
    ...(role === '' ? {} : { role }),
    groups: partsOf(here.trim(), /\s*,\s*/),
  }))
  const shared = {
    ...{ addresses, newcomers, session_hours: Number(hours), mappings },
    second_factor: words.isAssumed ? ('assumed' as const) : ('reported' as const),
  }
  if (words.kind === 'oidc')
    return {
      ...{ kind: 'oidc', issuer: words.issuer.trim(), client_id: words.clientId.trim(), ...shared },
      ...{ scopes: partsOf(words.scopes, /\s+/), group_claims: groups },
    }
  const stored = row?.settings.kind === 'saml' ? row.settings : undefined
  const attributes = { ...stored?.attributes, ...(groups.length === 0 ? {} : { groups }) }
  return stored !== undefined && words.metadata.trim() === ''
    ? { ...stored, ...shared, attributes }
    : { kind: 'saml_metadata', metadata: words.metadata, attributes, ...shared }
}

/** @param mayPrivate whether the person may say that the provider lies in a private network */
export function bodyOf(words: ProviderWords, row: Row | undefined, mayPrivate: boolean): Body {
  const { kind, title, secret } = words
  return {
    title: title.trim(),
    settings: settingsOf(words, row),
    ...(secret === '' || kind === 'saml' ? {} : { client_secret: secret }),
    enabled: row?.enabled ?? false,
    ...(mayPrivate ? { private: words.private } : {}),
  }
}

/** The name of a new provider in addresses and files: of its title, and not that of another one. */
export function newSlug(title: string, rows: readonly Row[]): string {
  const first = slugOf(title) || 'provider'
  const taken = new Set(rows.map(({ slug }) => slug))
  if (!taken.has(first)) return first
  return `${first.slice(0, 34)}-${rows.length + 1}`
}
