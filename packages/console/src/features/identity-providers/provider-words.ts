/** The words of the form of an identity provider, and the body that is sent for them. */
import {
  PROVIDER_PRESETS,
  type IdentityProvider,
  type IdentityProviderInput,
  type OidcSettings,
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
  readonly preset: string
  readonly title: string
  readonly issuer: string
  readonly clientId: string
  readonly secret: string
  readonly scopes: string
  readonly groupClaims: string
  readonly hours: number | string
  readonly mappings: readonly MappingWords[]
  readonly private: boolean
}

const DEFAULTS = { scopes: 'openid email profile', groupClaims: '', addresses: 'claim', newcomers: 'refuse' } as const

/** Undefined for a kind of provider that this form does not know. */
const oidcOf = (row: Row | undefined): OidcSettings | undefined =>
  row?.settings.kind === 'oidc' ? row.settings : undefined

export function wordsOf(row: Row | undefined): ProviderWords {
  const settings = oidcOf(row)
  return {
    preset: '',
    title: row?.title ?? '',
    issuer: settings?.issuer ?? '',
    clientId: settings?.client_id ?? '',
    secret: '',
    scopes: settings?.scopes.join(' ') ?? DEFAULTS.scopes,
    groupClaims: settings?.group_claims.join(', ') ?? DEFAULTS.groupClaims,
    addresses: settings?.addresses ?? DEFAULTS.addresses,
    newcomers: settings?.newcomers ?? DEFAULTS.newcomers,
    hours: settings?.session_hours ?? 8,
    mappings:
      settings?.mappings.map(({ group, role, groups }) => ({ group, role: role ?? '', groups: groups.join(', ') })) ??
      [],
    private: row?.private ?? false,
  }
}

/** What a preset fills in; a title that somebody has typed stays. */
export function presetWords(id: string, { title }: ProviderWords): Partial<ProviderWords> {
  const preset = PROVIDER_PRESETS.find((item) => item.id === id)
  if (preset === undefined) return { preset: id }
  const { scopes, group_claims: claims, addresses } = preset.settings
  return {
    preset: id,
    title: title === '' ? preset.title : title,
    issuer: preset.issuer,
    ...(scopes === undefined ? {} : { scopes: scopes.join(' ') }),
    ...(claims === undefined ? {} : { groupClaims: claims.join(', ') }),
    ...(addresses === undefined ? {} : { addresses }),
  }
}

export function faultsOf({ title, issuer, clientId, hours, mappings }: ProviderWords): Record<string, string> {
  const count = Number(hours)
  return {
    ...(title.trim() === '' ? { title: t.titleWrong } : {}),
    ...(/^https?:\/\/[^{}\s]+$/.test(issuer.trim()) ? {} : { issuer: t.issuerWrong }),
    ...(clientId.trim() === '' ? { clientId: t.clientIdWrong } : {}),
    ...(Number.isInteger(count) && count >= 1 && count <= 720 ? {} : { hours: t.hoursWrong }),
    ...(mappings.some(({ group }) => group.trim() === '') ? { mappings: t.mappingWrong } : {}),
  }
}

const partsOf = (text: string, by: RegExp): string[] => text.split(by).filter((part) => part !== '')

/** @param mayPrivate whether the person may say that the provider lies in a private network */
export function bodyOf(words: ProviderWords, row: Row | undefined, mayPrivate: boolean): Body {
  const { title, secret, hours, mappings } = words
  return {
    title: title.trim(),
    settings: {
      kind: 'oidc',
      issuer: words.issuer.trim(),
      client_id: words.clientId.trim(),
      scopes: partsOf(words.scopes, /\s+/),
      addresses: words.addresses,
      newcomers: words.newcomers,
      session_hours: Number(hours),
      group_claims: partsOf(words.groupClaims, /\s*,\s*/),
      mappings: mappings.map(({ group, role, groups }) => ({
        group: group.trim(),
        ...(role === '' ? {} : { role }),
        groups: partsOf(groups.trim(), /\s*,\s*/),
      })),
    },
    ...(secret === '' ? {} : { client_secret: secret }),
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
