/** The tools of an organization as rules see them, found by the names that calls and people use. */
import { effectOf, Fault, statesEffect, type Effect, type EffectSource, type ToolFacts } from '@toolway/contract'
import { joinName, type JsonObject } from '@toolway/protocol'
import { createEffects, createHolds } from '../../snapshot/visibility-filter.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createToolNames } from '../../snapshot/tool-names.ts'
import { toolFacts } from '../../catalog/tool-listing.ts'
import type { ConnectionRow } from '../../connections/connections.ts'

export interface KnownTool {
  readonly connection: ConnectionRow
  readonly facts: ToolFacts
  /** The effect that its server, or its definition, states. */
  readonly stated: Effect
  /** Its input schema. */
  readonly schema: unknown
  /** Reason for which a lock holds the tool for review; `unseen`: it was never accepted. */
  readonly held: 'held' | 'unseen' | undefined
  /** The name that clients of joined endpoints know. */
  readonly exposed: string
}

export interface KnownTools {
  /** By `alias__tool` or the name that was given in its place. */
  joined(name: string): KnownTool | undefined
  /** By its own name, at the endpoint of its connection. */
  own(connection: string, name: string): KnownTool | undefined
  /** Those that some endpoint lists under that name. Where it is a joined name, only the tool that it is the joined name of. */
  called(name: string): readonly KnownTool[]
  readonly names: readonly string[]
}

/** `toolsets` give tools names of their own; without them those names are not known. */
export type ToolPlace = Pick<Snapshot, 'connections' | 'catalogs' | 'states'> & Partial<Pick<Snapshot, 'toolsets'>>

export function toolsOf({ connections, catalogs, states, toolsets }: ToolPlace): KnownTools {
  const effects = createEffects(states)
  const withNames = createToolNames({ connections, catalogs, toolsets })
  const byJoined = new Map<string, KnownTool>()
  const byOwn = new Map<string, KnownTool>()
  for (const connection of connections) {
    const catalog = catalogs.get(connection.id)
    const holds = createHolds(new Map([[connection.id, catalog?.held ?? []]]))
    const given = new Map(
      catalog?.names.flatMap(({ kind, original, name }) => (kind === 'tool' ? [[original, name] as const] : [])),
    )
    for (const definition of catalog?.tools ?? []) {
      const name = definition['name']
      if (typeof name !== 'string' || byOwn.has(`${connection.alias} ${name}`)) continue
      const known = knownTool(connection, definition, name, { holds, effects, given, withNames })
      byOwn.set(`${connection.alias} ${name}`, known)
      for (const joined of [known.exposed, known.facts.joined]) if (!byJoined.has(joined)) byJoined.set(joined, known)
    }
  }
  let others: ReadonlyMap<string, readonly KnownTool[]> | undefined
  return {
    called(name) {
      const joined = byJoined.get(name)
      return joined === undefined ? ((others ??= byOtherNames(byOwn.values())).get(name) ?? []) : [joined]
    },
    joined: (name) => byJoined.get(name),
    own: (connection, name) => byOwn.get(`${connection} ${name}`),
    names: [...new Set([...byJoined.values()].map(({ exposed }) => exposed))].toSorted(),
  }
}

function byOtherNames(tools: Iterable<KnownTool>): ReadonlyMap<string, readonly KnownTool[]> {
  const found = new Map<string, KnownTool[]>()
  for (const tool of tools)
    for (const name of new Set([tool.facts.name, ...allOthers(tool.facts)])) {
      const same = found.get(name)
      if (same === undefined) found.set(name, [tool])
      else same.push(tool)
    }
  return found
}

const allOthers = ({ others }: ToolFacts): readonly string[] =>
  others === undefined ? [] : [...others.derived, ...others.earlier, ...others.chosen]

/**
 * The tool that somebody means by a name: the one that the endpoint of that toolset lists under it, else the only one that any
 * endpoint does. Throws `thing.unknown`, and `tool.unclear` with the names that lead to one tool each.
 */
export function findCalled(
  snapshot: ToolPlace & Pick<Snapshot, 'toolListing'>,
  tools: KnownTools,
  { name, toolset }: { readonly name: string; readonly toolset: string },
): KnownTool {
  const listed = snapshot.toolListing(toolset, undefined, 'execute')?.tool(name)
  const there = listed === undefined ? undefined : tools.own(listed.alias, listed.name)
  if (there !== undefined) return there
  const [only, ...more] = tools.called(name)
  if (only === undefined) throw new Fault('thing.unknown', { thing: 'tool' })
  if (more.length === 0) return only
  const candidates = wordSome([only, ...more].map(({ exposed }) => exposed).toSorted())
  throw new Fault('tool.unclear', { name, candidates })
}

const MOST_CANDIDATES = 10

function wordSome(names: readonly string[]): string {
  const rest = names.length - MOST_CANDIDATES
  return `${names.slice(0, MOST_CANDIDATES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

export interface ToolEffect {
  readonly from: EffectSource
  readonly stated: Effect
}

/** The effect of single tools as they stand now, by the id of their connection; undefined where one is not there. */
export function effectsOf(snapshot: Parameters<typeof toolsOf>[0] | undefined) {
  const known = new Map<string, KnownTools>()
  return (connectionId: string, tool: string): ToolEffect | undefined => {
    const connection = snapshot?.connections.find(({ id }) => id === connectionId)
    if (snapshot === undefined || connection === undefined) return undefined
    const tools = known.get(connectionId) ?? toolsOf({ ...snapshot, connections: [connection] })
    known.set(connectionId, tools)
    const found = tools.own(connection.alias, tool)
    return found && { from: found.facts.effectFrom as EffectSource, stated: found.stated }
  }
}

interface Knowing {
  readonly holds: ReturnType<typeof createHolds>
  readonly effects: ReturnType<typeof createEffects>
  readonly given: ReadonlyMap<string, string>
  withNames(tool: ToolFacts): ToolFacts
}

function knownTool(
  connection: ConnectionRow,
  definition: JsonObject,
  name: string,
  { holds, effects, given, withNames }: Knowing,
): KnownTool {
  const { alias, settings } = connection
  const held = holds.find(connection, name)
  const isCurrent = held === undefined || held === 'unseen'
  const stated = isCurrent ? effectOf(definition['annotations']) : held
  const isStated = isCurrent ? statesEffect(definition['annotations']) : undefined
  return {
    connection,
    facts: withNames(toolFacts(alias, settings.connector, definition, effects.of(connection, name, stated, isStated))),
    stated,
    schema: definition['inputSchema'],
    held: held === undefined || held === 'unseen' ? held : 'held',
    exposed: given.get(name) ?? joinName(alias, name),
  }
}
