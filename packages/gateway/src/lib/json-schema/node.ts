/** A schema as it is checked by: its keywords made into checks once, so that a check reads no schema. */
import type { Json } from '@toolway/protocol'
import type { Draft } from './draft.ts'
import { nothingEvaluated, addEvaluated, type InstancePath, type Validation, type Evaluated } from './validation.ts'
import { UnusableSchema } from './usable.ts'

export type Check = (
  value: Json,
  at: InstancePath | undefined,
  validation: Validation,
  evaluated: Evaluated | undefined,
) => void

export interface Node {
  readonly checks: Check[]
  /** The schema `false`: nothing fits. */
  never: boolean
  /** Whether it asks what its other keywords have looked at. */
  tracks: boolean
}

/** The context in which a keyword is compiled. */
export interface CompileContext {
  readonly draft: Draft
  /** Place of the schema that the keyword stands in, for whoever wrote it. */
  readonly where: string
  /** A schema within this one; `below` names it after `where`. */
  child(schema: unknown, below: string): Node
  /** A schema that is referred to. Throws UnusableSchema where it is not in this document. */
  refer(reference: string): Node
  /** Notes a part that cannot be checked, as a phrase. */
  skip(note: string): void
}

/** Checks one value by one schema. `seen` collects for the schema around it. */
export function evaluate(
  node: Node,
  value: Json,
  at: InstancePath | undefined,
  validation: Validation,
  evaluated?: Evaluated,
): void {
  if (!validation.enter()) throw new UnusableSchema('refers to itself endlessly')
  if (node.never) validation.report(at, 'must not be present')
  const own = node.tracks ? nothingEvaluated() : evaluated
  for (const check of node.checks) check(value, at, validation, own)
  if (node.tracks && own !== undefined) addEvaluated(evaluated, own)
  validation.leave()
}

/** A keyword whose value is of another kind than its draft says leaves open what was meant. */
export function wrongKeyword(where: string, keyword: string, requested: string): UnusableSchema {
  return new UnusableSchema(`has ${requested} as "${keyword}" at ${where === '' ? 'its root' : where.slice(0, 200)}`)
}
