/**
 * A preset: Toolway configured as one of the source systems. It is data of one file; `presets.ts` lists them, and everything else
 * (settings, the declaration, doctor, the help of the command line) reads the list.
 */
import type { ProcessRole } from './lib/process-roles.ts'

/** The value of a variable. */
export type Lookup = (name: string) => string | undefined

export interface PresetVariable {
  readonly name: string
  /** Other names that the source system has for it. */
  readonly also?: readonly string[]
  /** A start without it is refused. */
  readonly needed: boolean
  /** Its purpose, as the end of a sentence. */
  readonly about: string
}

export interface Preset {
  /** What it is, as the end of a sentence that begins with its name. */
  readonly about: string
  /** Values of settings that are not given, as the environment would give them. */
  readonly settings: Readonly<Record<string, string>>
  /** Ports of processes that have one role each; a process of several roles listens on the port of the settings. */
  readonly ports?: Readonly<Record<ProcessRole, string>>
  /** Variables that it reads besides the settings. A start names the needed ones that are missing. */
  readonly variables?: readonly PresetVariable[]
  /**
   * Its organization, as a declaration file would have it: connections, toolsets, rules. Throws ConfigFault for variables that do
   * not go together.
   */
  organization(lookup: Lookup): Readonly<Record<string, unknown>>
  /** Settings of that organization, where it is one of several in a declaration file and the preset's own settings are not in force. */
  readonly organizationSettings?: Readonly<Record<string, unknown>>
  /** Its organization is composed at the start, and not declared (`features/curatore`). */
  readonly composed?: true
}
