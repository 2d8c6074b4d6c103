/**
 * What is said of each tool of an organization: by its administrators, who switch tools, and by the platform, whose rules speak of
 * names. Asked when a view is made, never for a call.
 */
import type { ConnectionId } from '@toolway/contract'
import type { Screen } from '../catalog/view.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import type { ToolStateRow } from '../connections/tool-states.ts'
import type { RuleBook } from '../policy/rule-book.ts'

type Switched = Pick<ConnectionRow, 'id' | 'alias' | 'settings' | 'tools_default'>

/** Whether tools are on: each as it was switched by name, else as its connection says for all, later ones too. */
export function createSwitches(states: readonly ToolStateRow[]) {
  const byConnection = new Map<ConnectionId, Map<string, boolean>>()
  for (const { connection_id: id, tool, enabled } of states) {
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

export function screenOf(
  connections: readonly Switched[],
  states: readonly ToolStateRow[],
  rules: Pick<RuleBook, 'judge' | 'concerns'>,
): Screen {
  const switches = createSwitches(states)
  const byAlias = new Map(connections.map((connection) => [connection.alias, connection]))
  return {
    tool(alias, name, joined) {
      const connection = byAlias.get(alias)
      if (connection === undefined) return undefined
      if (!switches.isOn(connection, name)) return 'off'
      return rules.judge(connection.settings.connector, name, joined)
    },
    any(alias) {
      const connection = byAlias.get(alias)
      return connection !== undefined && (switches.anyOff(connection) || rules.concerns(connection.settings.connector))
    },
  }
}
