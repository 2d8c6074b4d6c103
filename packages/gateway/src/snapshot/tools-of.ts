/** The tools of an organization as rules see them, found by the names that calls and people use. */
import { effectOf, Fault, statesEffect, type Effect, type EffectSource, type ToolFacts } from '@toolway/contract'
import { joinName, type JsonObject } from '@toolway/protocol'
import { createEffects, createHolds } from './visibility-filter.ts'
import type { Snapshot } from './snapshot.ts'
import { createToolNames } from './tool-names.ts'
import { toolFacts } from '../catalog/tool-listing.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import { nextTurn } from '../lib/next-turn.ts'

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
  readonly exposedName: string
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

/** Of a few connections. */
export function toolsOf(sources: ToolPlace): KnownTools {
  const know = createKnow(sources)
  return joinTools(sources.connections.map((connection) => [connection.alias, know(connection)]))
}

/** Tools that become known in one slice: an organization can have 100,000. */
const KNOWN_AT_ONCE = 2_000
const wholes = new WeakMap<ToolPlace, Promise<KnownTools>>()

/** Of a whole organization: once for each snapshot, with room for other requests between slices of the work. */
export function allToolsOf(snapshot: ToolPlace): Promise<KnownTools> {
  const known = wholes.get(snapshot)
  if (known !== undefined) return known
  const made = knowAll(snapshot)
  wholes.set(snapshot, made)
  made.catch(() => wholes.delete(snapshot))
  return made
}

async function knowAll(sources: ToolPlace): Promise<KnownTools> {
  const know = createKnow(sources)
  const all: [string, ConnectionTools][] = []
  let slice = 0
  for (const connection of sources.connections) {
    const tools = know(connection)
    all.push([connection.alias, tools])
    slice += tools.size + 1
    if (slice < KNOWN_AT_ONCE) continue
    slice = 0
    await nextTurn()
  }
  return joinTools(all)
}

/** By their servers' names. */
type ConnectionTools = ReadonlyMap<string, KnownTool>

function joinTools(all: readonly (readonly [alias: string, tools: ConnectionTools])[]): KnownTools {
  const byAlias = new Map<string, ConnectionTools>()
  const byJoined = new Map<string, KnownTool>()
  for (const [alias, tools] of all) {
    if (!byAlias.has(alias)) byAlias.set(alias, tools)
    for (const known of tools.values())
      for (const joined of [known.exposedName, known.facts.joined])
        if (!byJoined.has(joined)) byJoined.set(joined, known)
  }
  let others: ReadonlyMap<string, readonly KnownTool[]> | undefined
  let names: readonly string[] | undefined
  return {
    called(name) {
      const joined = byJoined.get(name)
      const allTools = () => [...byAlias.values()].flatMap((tools) => [...tools.values()])
      return joined === undefined ? ((others ??= groupByOtherNames(allTools())).get(name) ?? []) : [joined]
    },
    joined: (name) => byJoined.get(name),
    own: (connection, name) => byAlias.get(connection)?.get(name),
    get names() {
      return (names ??= [...new Set([...byJoined.values()].map(({ exposedName }) => exposedName))].toSorted())
    },
  }
}

/** The tools of a connection, and everything that they are known by. */
interface KnownBy {
  readonly by: readonly unknown[]
  readonly tools: ConnectionTools
}
const knownBy = new WeakMap<ConnectionRow, KnownBy>()

/** Where nothing has changed that the tools of a connection are known by, they are those of the snapshot before, as in `tool-index.ts`. */
function createKnow(sources: ToolPlace): (connection: ConnectionRow) => ConnectionTools {
  const { catalogs, states, toolsets } = sources
  const effects = createEffects(states)
  const withNames = createToolNames(sources)
  return (connection) => {
    const catalog = catalogs.get(connection.id)
    const by = [catalog, states, toolsets]
    const before = knownBy.get(connection)
    if (before !== undefined && before.by.every((part, at) => part === by[at])) return before.tools
    const tools = knowOne(connection, catalog, { effects, withNames })
    knownBy.set(connection, { by, tools })
    return tools
  }
}

function knowOne(
  connection: ConnectionRow,
  catalog: ReturnType<ToolPlace['catalogs']['get']>,
  { effects, withNames }: Pick<Knowing, 'effects' | 'withNames'>,
): ConnectionTools {
  const holds = createHolds(new Map([[connection.id, catalog?.held ?? []]]))
  const exposedNames = new Map(
    catalog?.names.flatMap(({ kind, original, name }) => (kind === 'tool' ? [[original, name] as const] : [])),
  )
  const tools = new Map<string, KnownTool>()
  for (const definition of catalog?.tools ?? []) {
    const name = definition['name']
    if (typeof name !== 'string' || tools.has(name)) continue
    tools.set(name, knownTool(connection, definition, name, { holds, effects, given: exposedNames, withNames }))
  }
  return tools
}

function groupByOtherNames(tools: Iterable<KnownTool>): ReadonlyMap<string, readonly KnownTool[]> {
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
  const candidates = wordSome([only, ...more].map(({ exposedName }) => exposedName).toSorted())
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
export function effectsOf(sources: ToolPlace | undefined) {
  let effects: ReturnType<typeof createEffects> | undefined
  return (connectionId: string, tool: string): ToolEffect | undefined => {
    const connection = sources?.connections.find(({ id }) => id === connectionId)
    const catalog = connection && sources?.catalogs.get(connection.id)
    const definition = catalog?.tools?.find(({ name }) => name === tool)
    if (sources === undefined || connection === undefined || definition === undefined) return undefined
    effects ??= createEffects(sources.states)
    const holds = createHolds(new Map([[connection.id, catalog?.held ?? []]]))
    const { stated, resolved } = effectOfTool(connection, definition, tool, { holds, effects })
    return { from: resolved.from, stated }
  }
}

/** The effect that its server states, or stated when it was accepted, and the effect that follows from it. */
function effectOfTool(
  connection: ConnectionRow,
  definition: JsonObject,
  name: string,
  { holds, effects }: Pick<Knowing, 'holds' | 'effects'>,
) {
  const heldEffect = holds.find(connection, name)
  const isCurrent = heldEffect === undefined || heldEffect === 'unseen'
  const stated = isCurrent ? effectOf(definition['annotations']) : heldEffect
  const isStated = isCurrent ? statesEffect(definition['annotations']) : undefined
  const resolved = effects.of(connection, name, stated, isStated)
  return { held: heldEffect, stated, resolved }
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
  const { held, stated, resolved } = effectOfTool(connection, definition, name, { holds, effects })
  return {
    connection,
    facts: withNames(toolFacts(alias, settings.connector, definition, resolved)),
    stated,
    schema: definition['inputSchema'],
    held: held === undefined || held === 'unseen' ? held : 'held',
    exposedName: given.get(name) ?? joinName(alias, name),
  }
}
