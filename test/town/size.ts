/** How large a town is, and how it is shared among its organizations. The small form has the same shape, at a fiftieth. */

/** Rows of the whole town. */
export interface TownSize {
  readonly members: number
  readonly groups: number
  readonly connections: number
  /** Of all connections together; the largest connection has a tenth of them. */
  readonly tools: number
  readonly keys: number
  readonly rules: number
  readonly approvals: number
  readonly records: number
}

export const WHOLE: TownSize = {
  members: 5_000,
  groups: 300,
  connections: 2_000,
  tools: 100_000,
  keys: 10_000,
  rules: 500,
  approvals: 2_000,
  records: 1_000_000,
}

/** At least one of each where there is a share at all: a list with one row is another case than an empty one. */
function portion(size: TownSize, share: number): TownSize {
  const of = (count: number) => (share === 0 ? 0 : Math.max(1, Math.round(count * share)))
  return {
    members: of(size.members),
    groups: of(size.groups),
    connections: of(size.connections),
    tools: of(size.tools),
    keys: of(size.keys),
    rules: of(size.rules),
    approvals: of(size.approvals),
    records: of(size.records),
  }
}

export const SMALL: TownSize = portion(WHOLE, 1 / 50)

export interface OrganizationSize extends TownSize {
  readonly slug: string
  readonly name: string
}

/** One that is large, three of which each is a fraction of the one before, and one with nothing but its administrator. */
const SHARES = [
  { slug: 'meridian', name: 'Meridian Foods', share: 0.8 },
  { slug: 'harbour', name: 'Harbour Freight & Söhne', share: 0.14 },
  { slug: 'juniper', name: 'Juniper Clinics', share: 0.05 },
  { slug: 'atlas', name: 'Atlas Surveying', share: 0.01 },
  { slug: 'newcomer', name: 'A Newcomer', share: 0 },
] as const

/** The shares add up to the whole: the largest organization takes what rounding leaves. */
export function organizationsOf(size: TownSize): readonly OrganizationSize[] {
  const others = SHARES.slice(1).map(({ share, ...words }) => ({ ...words, ...portion(size, share) }))
  const [{ slug, name }] = SHARES
  const rest = (member: keyof TownSize) => size[member] - others.reduce((sum, other) => sum + other[member], 0)
  const largest = {
    members: rest('members'),
    groups: rest('groups'),
    connections: rest('connections'),
    tools: rest('tools'),
    keys: rest('keys'),
    rules: rest('rules'),
    approvals: rest('approvals'),
    records: rest('records'),
  }
  return [{ slug, name, ...largest }, ...others]
}
