/** The tools of an organization as rules see them, found by the names that calls and people use. */
import { effectOf, type Effect, type EffectSource, type ToolFacts } from '@toolway/contract'
import type { KeptRule } from '@toolway/contract/admin'
import { joinName, type JsonObject } from '@toolway/protocol'
import { createEffects, createHolds } from '../../call/visibility-filter.ts'
import type { Snapshot } from '../../call/snapshot.ts'
import { toolFacts } from '../../catalog/tool-listing.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { patternOf } from '../../lib/pattern.ts'

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
  readonly names: readonly string[]
}

export function toolsOf({
  connections,
  catalogs,
  states,
}: Pick<Snapshot, 'connections' | 'catalogs' | 'states'>): KnownTools {
  const effects = createEffects(states)
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
      const known = knownTool(connection, definition, name, { holds, effects, given })
      byOwn.set(`${connection.alias} ${name}`, known)
      for (const joined of [known.exposed, known.facts.joined]) if (!byJoined.has(joined)) byJoined.set(joined, known)
    }
  }
  return {
    joined: (name) => byJoined.get(name),
    own: (connection, name) => byOwn.get(`${connection} ${name}`),
    names: [...new Set([...byJoined.values()].map(({ exposed }) => exposed))].toSorted(),
  }
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

/** Patterns of rules that fit no tool: right where tools are still to come, else a slip that would silently hold for nothing. */
export function idlePatterns(place: Parameters<typeof toolsOf>[0], rules: readonly KeptRule[]): string[] {
  const known = toolsOf(place)
  const names = known.names.flatMap((name) => {
    const { facts } = known.joined(name) ?? {}
    return facts === undefined ? [] : [facts.name.toLowerCase(), facts.joined.toLowerCase()]
  })
  const globs = rules.flatMap(({ match: { tools } }) => (Array.isArray(tools) ? tools.map(String) : []))
  return [...new Set(globs)].filter((glob) => !names.some(patternOf(glob.toLowerCase())))
}

interface Knowing {
  readonly holds: ReturnType<typeof createHolds>
  readonly effects: ReturnType<typeof createEffects>
  readonly given: ReadonlyMap<string, string>
}

function knownTool(
  connection: ConnectionRow,
  definition: JsonObject,
  name: string,
  { holds, effects, given }: Knowing,
): KnownTool {
  const { alias, settings } = connection
  const held = holds.find(connection, name)
  const stated = held === undefined || held === 'unseen' ? effectOf(definition['annotations']) : held
  return {
    connection,
    facts: toolFacts(alias, settings.connector, definition, effects.of(connection, name, stated)),
    stated,
    schema: definition['inputSchema'],
    held: held === undefined || held === 'unseen' ? held : 'held',
    exposed: given.get(name) ?? joinName(alias, name),
  }
}
