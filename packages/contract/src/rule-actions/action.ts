/**
 * A rule action, as far as every package may know it: its name, its parameters, and how people write it. Its behaviour is in the
 * gateway, in `policy/actions/`, and its words are in the catalogues of the console (`ruleActions`, `settingFields`).
 */
import type { z } from 'zod'
import type { SettingField } from '../form.ts'

/** Parameters that somebody is writing: finished or not, and not checked. */
export type DraftParameters = Readonly<Record<string, unknown>>

/** The short form on the command line: `--block 'git__*'`. */
export interface ActionFlag {
  /** As the help shows it; `<tools...>` is a list of patterns, and the rule has no parameters of its own. */
  readonly value: string
  readonly about: string
  /** Reads the value of a flag that is no list. Undefined where it does not have the form. */
  readonly read?: (text: string) => FlagReading | undefined
  /** The form, for a value that does not have it. */
  readonly reads?: string
  /** Further flags that set parameters. */
  readonly more?: readonly MoreFlag[]
}

export interface FlagReading {
  readonly tool: string
  readonly parameters: DraftParameters
}

export interface MoreFlag {
  /** Of the flag and of the parameter. */
  readonly name: string
  readonly value: string
  readonly about: string
  /** The sentence of a refusal where it is missing. */
  readonly missing?: string
}

export interface RuleActionDescription {
  readonly action: string
  readonly parameters: z.ZodType
  /** The outcome of a call that the action decides. Absent: the action does not decide a call, but bounds or changes it. */
  readonly outcome?: 'passes' | 'waits' | 'refuses'
  /** Tools are not listed where it holds. */
  readonly unlisted?: true
  /** The parameters that a new rule begins with. */
  readonly beginning: DraftParameters
  /** The fields of a form, in rows. */
  readonly form: readonly (readonly SettingField[])[]
  readonly flag?: ActionFlag
}

/** Keeps the literal types of an action. */
export const ruleAction = <const One extends RuleActionDescription>(item: One): One => item
