/** Presets that declare connections and toolsets, from the variables of the process, in place of a declaration file. */
import type { PresetName } from './config-presets.ts'
import type { Declared } from './config-file.ts'
import { AGENT_VARIABLES, agentDeclaration, type AgentVariable } from './preset-agent.ts'
import { uruDeclaration } from './preset-uru.ts'
import type { Lookup } from './preset-variables.ts'

const DECLARATIONS: Partial<Record<PresetName, (lookup: Lookup) => Declared[]>> = {
  agent: agentDeclaration,
  uru: uruDeclaration,
}

export const declaresConnections = (preset: PresetName | undefined): boolean =>
  preset !== undefined && DECLARATIONS[preset] !== undefined

/** The variables of a preset that an installation is checked for. */
export const presetVariables = (preset: PresetName | undefined): readonly AgentVariable[] =>
  preset === 'agent' ? AGENT_VARIABLES : []

/** Empty where the preset declares nothing. Throws ConfigFault. */
export const presetDeclaration = (preset: PresetName | undefined, lookup: Lookup): Declared[] =>
  preset === undefined ? [] : (DECLARATIONS[preset]?.(lookup) ?? [])
