/**
 * The toolsets that every organization has without anybody making them (ledger U-19). One that is made under the same name stands
 * in its place.
 */
import type { ToolsetSettings } from '@toolway/contract'

export interface NamedToolset {
  readonly slug: string
  readonly title: string
  readonly settings: ToolsetSettings
  readonly origin: string
}

const EVERYTHING = { include: ['*'], exclude: [] }
export const SUPPLIED_ORIGIN = 'supplied'

export const SUPPLIED: readonly NamedToolset[] = Object.freeze([
  { slug: 'read-only', title: 'Read-only tools', settings: { ...EVERYTHING, limit: 'read' }, origin: SUPPLIED_ORIGIN },
  {
    slug: 'standard',
    title: 'Read and write tools, but no destructive ones',
    settings: { ...EVERYTHING, limit: 'write' },
    origin: SUPPLIED_ORIGIN,
  },
  {
    slug: 'admin',
    title: 'Everything, for administrators',
    settings: { ...EVERYTHING, audience: { roles: ['platform_admin', 'tenant_admin'] } },
    origin: SUPPLIED_ORIGIN,
  },
])

/** Returns an organization's toolsets: its own, and the supplied ones that it has not redefined. By slug. */
export function withSupplied<Made extends { readonly slug: string }>(made: readonly Made[]): (Made | NamedToolset)[] {
  const names = new Set(made.map(({ slug }) => slug))
  const all = [...made, ...SUPPLIED.filter(({ slug }) => !names.has(slug))]
  return all.toSorted((first, other) => (first.slug < other.slug ? -1 : 1))
}

export const DEFAULT = { slug: 'default', title: '' }

/** Returns an organization's toolsets: its own, those that are supplied, and the endpoint of the organization itself. */
export function toolsetsOf<Made extends { readonly slug: string; readonly title: string }>(made: readonly Made[]) {
  const named = withSupplied(made)
  return named.some(({ slug }) => slug === DEFAULT.slug) ? named : [DEFAULT, ...named]
}

/** Whether a key can be limited to it; `default` is there always. */
export const isToolset = (made: readonly { readonly slug: string }[], slug: string): boolean =>
  slug === 'default' || withSupplied(made).some((item) => item.slug === slug)
