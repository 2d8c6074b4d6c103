/** One step of a plan, and the two ways in which plans are made. */
import { Fault } from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import type { Act } from './call.ts'
import { DeclarationConflict } from './conflict.ts'

export interface Step {
  readonly action: 'create' | 'change' | 'remove'
  /** Undefined for what belongs to the platform. */
  readonly organization: string | undefined
  readonly thing:
    | 'organization'
    | 'egress'
    | 'webhook'
    | 'identity provider'
    | 'email domain'
    | 'connection'
    | 'toolset'
    | 'group'
    | 'rule'
  readonly name: string
  /** Members that differ, of a change; secrets by name only. */
  readonly fields: readonly string[]
  readonly acts: readonly Act[]
  /** Carried out later than others: exceptions from rules, and what may be used only once its rules are there. */
  readonly after?: readonly Act[]
}

/** A stored resource that a declaration names. */
export interface Named {
  readonly thing: 'connection' | 'toolset' | 'group' | 'rule' | 'key' | 'identity provider'
  readonly name: string
  readonly origin: string
  /** Members that the declaration would change. */
  readonly fields: readonly string[]
}

/** Which resources a plan may change and remove, by where they came from. */
export interface PlanMode {
  /** Throws where the plan may not have the resource. */
  refuse(named: Named): void
  /** Whether a resource that is not declared is the plan's to remove. Undefined: a resource of this kind has no origin. */
  removes(origin: string | undefined): boolean
}

/** `toolway apply`: it changes all but what a file of the running gateway declares, which is changed in that file. */
export const APPLY: PlanMode = {
  refuse({ thing, name, origin, fields }) {
    if (fields.length > 0 && origin === 'file') throw new Fault('thing.declared', { thing: `${thing} "${name}"` })
  },
  removes: (origin) => origin !== 'file',
}

/** The commands that remove a resource. */
const COMMANDS: Readonly<Partial<Record<Named['thing'], string>>> = {
  rule: 'policy',
  'identity provider': 'identity-provider',
}

/** A start: it has only what came from the file, all of it. */
export const START: PlanMode = {
  refuse({ thing, name, origin }) {
    if (origin !== 'file')
      throw new DeclarationConflict(
        `The declaration file declares the ${thing} "${name}", which already exists (from ${origin}): remove that one (\`toolway ${COMMANDS[thing] ?? thing} remove "${name}"\`) or choose another name.`,
      )
  },
  removes: (origin) => origin === 'file',
}

/** The members of `next` that are others than those of `stored`. */
export function fieldsOf(stored: object, next: object): string[] {
  const [before, after] = [stored, next].map((item) => JSON.parse(JSON.stringify(item)) as Record<string, unknown>)
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names].filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]))
}
