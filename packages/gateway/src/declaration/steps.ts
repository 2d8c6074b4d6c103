/** One step of a plan, and what planning leans on. */
import { Fault } from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import type { Act } from './call.ts'

export interface Step {
  readonly action: 'create' | 'change' | 'remove'
  /** Undefined for what belongs to the platform. */
  readonly organization: string | undefined
  readonly thing: 'organization' | 'egress' | 'webhook' | 'connection' | 'toolset' | 'group' | 'rule'
  readonly name: string
  /** Members that differ, of a change; secrets by name only. */
  readonly fields: readonly string[]
  readonly acts: readonly Act[]
  /** Carried out later than others: exceptions from rules, and what may be used only once its rules are there. */
  readonly after?: readonly Act[]
}

/** Throws `thing.declared` for a resource that a file of the running gateway declares: it has to be changed in that file. */
export function refuseDeclared(thing: string, name: string, origin: string): void {
  if (origin === 'file') throw new Fault('thing.declared', { thing: `${thing} "${name}"` })
}

/** The members of `next` that are others than those of `stored`. */
export function fieldsOf(stored: object, next: object): string[] {
  const [before, after] = [stored, next].map((item) => JSON.parse(JSON.stringify(item)) as Record<string, unknown>)
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names].filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]))
}
