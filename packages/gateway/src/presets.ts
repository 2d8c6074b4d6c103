/**
 * The presets, and how their values become those of settings that are not given. A setting that is given takes precedence, wherever
 * it is given.
 */
import type { ProcessRole } from './lib/process-roles.ts'
import type { Preset, PresetVariable } from './preset.ts'
import { agent } from './preset-agent.ts'
import { curatore } from './preset-curatore.ts'
import { nebo } from './preset-nebo.ts'
import { sagemcp } from './preset-sagemcp.ts'
import { uru } from './preset-uru.ts'

/** A preset is added here, and nowhere else. */
const PRESETS = { curatore, uru, agent, nebo, sagemcp } as const satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]]

export const presetOf = (name: PresetName): Preset => PRESETS[name]

/** All of them, as one part of a sentence. */
export const presetsInWords = (): string => PRESET_NAMES.map((name) => `${name} ${PRESETS[name].about}`).join('; ')

/** The variables of a preset that an installation is checked for. */
export const presetVariables = (preset: PresetName | undefined): readonly PresetVariable[] =>
  preset === undefined ? [] : (presetOf(preset).variables ?? [])

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
  const { settings, ports } = presetOf(preset)
  const [role, other] = roles
  if (ports !== undefined && name === 'TOOLWAY_PORT' && role !== undefined && other === undefined) return ports[role]
  return Object.hasOwn(settings, name) ? settings[name] : undefined
}
