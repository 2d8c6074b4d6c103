/**
 * Presets: default values for settings that are not given, as the environment would give them. A setting that is given takes
 * precedence, wherever it is given.
 */
import type { ProcessRole } from './lib/process-roles.ts'

export const PRESETS = {
  /**
   * The gateway in front of one contract backend (ledger S1): no database, no session that outlives a request, and whatever its
   * policy file says.
   */
  curatore: {
    TOOLWAY_STORE: 'none',
    TOOLWAY_PORT: '8020',
    // A client before 2026-07-28 is asked within a session; only where something is to be confirmed does it need one.
    TOOLWAY_SESSIONS: 'questions',
    TOOLWAY_DEMO: 'off',
    TOOLWAY_LIMIT_ADDRESS: '60',
    // The policy file says which tools with side effects there are; where there are none, it reaches none.
    MCP_API_KEY_LIMIT: 'execute',
  },
  /** The tool hub of a workspace (ledger S0): its proxy's port, and the connections that its variables name (`preset-uru.ts`). */
  uru: {
    TOOLWAY_PORT: '3001',
    TOOLWAY_DEMO: 'off',
  },
  /** One agent with several servers (ledger S4): the connections that its variables name, and a toolset for each agent (`preset-agent.ts`). */
  agent: {
    TOOLWAY_DEMO: 'off',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]]

/** Ports of the source system's three services, for processes of one role each (ledger S0-ARC-01). */
const URU_PORTS: Readonly<Record<ProcessRole, string>> = { web: '3000', api: '8000', mcp: '3001' }

/**
 * Undefined where the preset does not speak of it.
 * @param roles undefined while they are not known
 */
export function presetValue(
  preset: PresetName | undefined,
  name: string,
  roles: readonly ProcessRole[] = [],
): string | undefined {
  if (preset === undefined) return undefined
  const [role, other] = roles
  if (preset === 'uru' && name === 'TOOLWAY_PORT' && role !== undefined && other === undefined) return URU_PORTS[role]
  const values: Readonly<Record<string, string>> = PRESETS[preset]
  return Object.hasOwn(values, name) ? values[name] : undefined
}
