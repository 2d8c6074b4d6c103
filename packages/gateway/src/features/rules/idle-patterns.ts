/**
 * Patterns of rules that fit no tool: a rule that silently holds for nothing is a slip, unless its tools are still to come.
 *
 * Nothing is refused of which nothing can be known: where no tool is known yet, and where the pattern may mean a connection whose
 * tools were not read yet.
 */
import { Fault } from '@toolway/contract'
import { nearestNames } from '../../lib/nearest-names.ts'
import { patternOf } from '../../lib/pattern.ts'
import { matchedNames } from '../../policy/matching.ts'
import { allToolsOf, type KnownTools, type ToolPlace } from '../../snapshot/tools-of.ts'

/** The parts of a rule that matter here, as it is written or stored. */
export interface PlacedPatterns {
  readonly scope?: string | undefined
  readonly of?: string | null | undefined
  readonly action?: string | undefined
  readonly match?: { readonly tools?: unknown } | undefined
}

interface IdlePattern {
  readonly pattern: string
  /** The names that may have been meant. */
  readonly near: readonly string[]
  /** Whether its tools may be there and are not known yet. */
  readonly mayCome: boolean
}

export const globsOf = ({ match }: PlacedPatterns): string[] =>
  match !== undefined && Array.isArray(match.tools) ? match.tools.map(String) : []

/** An organization with its tools. */
export interface KnownPlace {
  readonly place: ToolPlace
  readonly tools: KnownTools
}

/** To be asked for before a transaction is begun: an organization can have 100,000 tools. */
export const knownPlaces = (places: readonly ToolPlace[]): Promise<KnownPlace[]> =>
  Promise.all(places.map(async (sources) => ({ place: sources, tools: await allToolsOf(sources) })))

/** A rule of a connection is compared with the tools of that connection alone. */
export function idlePatterns(places: readonly KnownPlace[], rules: readonly PlacedPatterns[]): IdlePattern[] {
  const written = rules.filter((rule) => globsOf(rule).some((glob) => glob !== '*'))
  if (written.length === 0) return []
  const known = places.flatMap(({ tools }) => tools.names.flatMap((name) => tools.joined(name) ?? []))
  const names = known.map(({ connection, facts, exposedName }) => ({
    alias: connection.alias,
    exposed: exposedName,
    ...matchedNames(facts),
  }))
  const unread = places.flatMap(({ place: { connections, catalogs } }) =>
    connections.filter(({ id }) => !isRead(catalogs.get(id))).map(({ alias }) => alias),
  )
  const found = written.flatMap((rule) => {
    const of = rule.scope === 'connection' ? rule.of : undefined
    const here = of === undefined || of === null ? names : names.filter(({ alias }) => alias === of)
    const counts = rule.action === 'allow' ? 'sure' : 'all'
    return globsOf(rule).flatMap((pattern): IdlePattern[] => {
      const fits = patternOf(pattern.toLowerCase())
      if (here.some((tool) => tool[counts].some(fits))) return []
      const near = nearestNames(pattern.replaceAll('*', ''), new Set(here.map(({ exposed }) => exposed)))
      return [{ pattern, near, mayCome: names.length === 0 || unread.some((alias) => mayMean(pattern, alias, of)) }]
    })
  })
  return [...new Map(found.map((pattern) => [pattern.pattern, pattern])).values()]
}

const isRead = (catalog: { readonly fetched_at: Date | null } | undefined): boolean =>
  catalog !== undefined && catalog.fetched_at !== null

/** Whether a pattern, of a rule of the connection `of` if it is of one, could fit a tool of a connection whose tools are not known. */
export function mayMean(pattern: string, alias: string, of: string | null | undefined): boolean {
  if (of !== undefined && of !== null) return of === alias
  const [connection, own] = pattern
    .toLowerCase()
    .replace(/^mcp__/, '')
    .split('__')
  return own === undefined || connection === undefined || patternOf(connection)(alias.toLowerCase())
}

/** Throws `rule.idle` for the first pattern that is surely of no use. `before`: the patterns that the rule has had so far. */
export function refuseIdle(
  places: readonly KnownPlace[],
  rules: readonly PlacedPatterns[],
  before: readonly PlacedPatterns[] = [],
): void {
  const had = new Set(before.flatMap(globsOf))
  const idle = idlePatterns(places, rules).find(({ pattern, mayCome }) => !mayCome && !had.has(pattern))
  if (idle === undefined) return
  const { pattern, near } = idle
  throw new Fault('rule.idle', { pattern, near: near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)` })
}
