/** The organization of a preset where no file declares any: read as a declaration file is, and in place of one. */
import { readDeclaration } from './config-file.ts'
import type { Declared } from './features/declaration/index.ts'
import type { Lookup } from './preset-variables.ts'
import { presetOf, type PresetName } from './presets.ts'

export const declaresConnections = (preset: PresetName | undefined): preset is PresetName =>
  preset !== undefined && presetOf(preset).composed !== true

/** Empty where the preset declares nothing. Throws ConfigFault. */
export const presetDeclaration = (preset: PresetName | undefined, lookup: Lookup): Declared[] =>
  declaresConnections(preset)
    ? readDeclaration(`preset ${preset}`, JSON.stringify(presetOf(preset).organization(lookup)), lookup)
    : []
