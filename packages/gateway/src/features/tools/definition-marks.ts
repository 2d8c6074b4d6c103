/** Marks known problems of a tool definition for clients and models, as far as the definition alone shows them. */
import { statesEffect } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import type { ToolMark } from '@toolway/contract/admin'
import { combinedAt, isModelName, oddProperty } from '../../lib/model-limits.ts'

/** Characters of a description beyond which well-known APIs refuse a function. */
const LONG_CHARACTERS = 1_024

export interface Marking {
  readonly definition: JsonObject
  /** The name at endpoints of several connections. */
  readonly joined: string
}

/** All but `duplicate`, which is a matter of the other connections. */
export function marksOf({ definition, joined }: Marking): ToolMark[] {
  const { name, description, annotations, inputSchema } = definition
  const marks: ToolMark[] = []
  if (!isModelName(joined) || !isModelName(String(name))) marks.push('name')
  if (hasOddProperty(inputSchema)) marks.push('property-name')
  if (combinedAt(inputSchema) !== undefined) marks.push('combined-schema')
  if (typeof description !== 'string' || description.trim() === '') marks.push('no-description')
  else if (description.length > LONG_CHARACTERS) marks.push('long-description')
  if (!statesEffect(annotations)) marks.push('no-annotations')
  return marks
}

const odd = new WeakMap<JsonObject, boolean>()
/** A schema never changes while it is in memory, and each list of all tools asks. */
function hasOddProperty(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const before = odd.get(schema)
  if (before !== undefined) return before
  const has = oddProperty(schema) !== undefined
  odd.set(schema, has)
  return has
}
