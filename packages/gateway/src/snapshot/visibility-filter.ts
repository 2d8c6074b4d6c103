/**
 * The filter over the tools of an organization: set by administrators, who switch tools, and by rules. Evaluated when a tool
 * listing is built, never for a call.
 */
import {
  effectOf,
  resolveEffect,
  statesEffect,
  type ConnectionId,
  type Effect,
  type LockMode,
  type ResolvedEffect,
  type ToolFacts,
} from '@toolway/contract'
import type { HeldTool } from '../catalog/catalogs.ts'
import { isNamed } from '../catalog/locks/tool-hash.ts'
import type { VisibilityFilter } from '../catalog/tool-listing.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import type { ToolStateRow } from '../connections/tool-states.ts'
import type { Endpoint, Policy } from '../policy/verdict.ts'

type Switched = Pick<ConnectionRow, 'id' | 'alias' | 'settings' | 'tools_default' | 'tool_lock' | 'trusted'>

/** Whether tools are on: each as it was switched by name, else as its connection says for all, later ones too. */
export function createSwitches(states: readonly ToolStateRow[]) {
  const byConnection = new Map<ConnectionId, Map<string, boolean>>()
  for (const { connection_id: id, tool, enabled } of states) {
    if (enabled === null) continue
    const own = byConnection.get(id) ?? new Map<string, boolean>()
    byConnection.set(id, own.set(tool, enabled))
  }
  return {
    isOn: ({ id, tools_default: otherwise }: Pick<Switched, 'id' | 'tools_default'>, tool: string): boolean =>
      byConnection.get(id)?.get(tool) ?? otherwise,
    /** Whether any tool of it is off, or would be if it came. */
    anyOff: ({ id, tools_default: otherwise }: Pick<Switched, 'id' | 'tools_default'>): boolean =>
      !otherwise || [...(byConnection.get(id)?.values() ?? [])].includes(false),
  }
}

/** The effect of each tool, and its origin. */
export function createEffects(states: readonly ToolStateRow[]) {
  const chosen = new Map(
    states.flatMap(({ connection_id: id, tool, effect }) =>
      effect === null ? [] : [[`${id} ${tool}`, effect] as const],
    ),
  )
  return {
    /** `stated` is what its server, or its definition, states, if `isStated` says that it states any. */
    of: (
      { id, settings, trusted }: Pick<Switched, 'id' | 'settings' | 'trusted'>,
      tool: string,
      stated: Effect,
      isStated?: boolean,
    ) => resolveEffect(stated, { connector: settings.connector, trusted, isStated, said: chosen.get(`${id} ${tool}`) }),
  }
}

/** The tools that are held for review, with the effect that their server stated when they were accepted. */
export function createHolds(heldTools: ReadonlyMap<ConnectionId, readonly HeldTool[]>) {
  const byConnection = new Map<ConnectionId, ReadonlyMap<string, Effect | 'unseen'>>()
  for (const [id, tools] of heldTools)
    if (tools.length > 0) byConnection.set(id, new Map(tools.map(({ tool, effect }) => [tool, effect ?? 'unseen'])))
  return {
    /**
     * `unseen`: no one could see the tool yet, and its existence is not told. A tool whose name a lock cannot store is not let in
     * while locks are on.
     */
    find({ id, tool_lock: mode }: Pick<Switched, 'id' | 'tool_lock'>, tool: string): Effect | 'unseen' | undefined {
      if (!isNamed(tool)) return mode === 'off' ? undefined : 'unseen'
      // A change of what a tool does is held under a lock that is off, too.
      return byConnection.get(id)?.get(tool)
    },
    any: (id: ConnectionId): boolean => byConnection.has(id),
  }
}

/**
 * Locks under which messages that name no tool are never passed on. Under the others they are passed on as long as no tool is held:
 * `descriptions` is the lock of new connections, and an extension that works must not need another setting.
 */
const SELDOM_ACCEPTS: ReadonlySet<LockMode> = new Set(['additions', 'all'])

export function screenOf(
  connections: readonly Switched[],
  states: readonly ToolStateRow[],
  rules: Pick<Policy, 'of' | 'concerns'>,
  heldTools: ReadonlyMap<ConnectionId, readonly HeldTool[]> = new Map(),
  withNames: (tool: ToolFacts) => ToolFacts = (tool) => tool,
): (endpoint: Endpoint) => VisibilityFilter {
  const switches = createSwitches(states)
  const holds = createHolds(heldTools)
  const effects = createEffects(states)
  const byAlias = new Map(connections.map((connection) => [connection.alias, connection]))
  return (endpoint) => ({
    tool(alias, name) {
      const connection = byAlias.get(alias)
      if (connection === undefined) return undefined
      if (!switches.isOn(connection, name)) return 'off'
      const effect = holds.find(connection, name)
      if (effect === 'unseen') return 'off'
      return effect === undefined ? undefined : { action: 'hold', effect }
    },
    effect(alias, { name, annotations }, accepted): ResolvedEffect | undefined {
      const connection = byAlias.get(alias)
      if (connection === undefined) return undefined
      return accepted === undefined
        ? effects.of(connection, String(name), effectOf(annotations), statesEffect(annotations))
        : effects.of(connection, String(name), accepted)
    },
    policy: (tool, schema) => rules.of(withNames(tool), endpoint, schema),
    any(alias) {
      const connection = byAlias.get(alias)
      if (connection === undefined) return false
      const { connector } = connection.settings
      return (
        switches.anyOff(connection) ||
        SELDOM_ACCEPTS.has(connection.tool_lock) ||
        holds.any(connection.id) ||
        rules.concerns({ connection: alias, connector }, endpoint)
      )
    },
  })
}
