/** Marks known problems of a tool definition for clients and models, as far as the definition alone shows them. */
import { isObject, type JsonObject } from '@toolway/protocol'
import type { ToolMark } from '@toolway/contract/admin'

/** Format of function names in the large model APIs; clients pass tool names on unchanged. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
/** Characters of a description beyond which well-known APIs refuse a function. */
const LONG = 1_024

export interface Marking {
  readonly definition: JsonObject
  /** The name at endpoints of several connections. */
  readonly joined: string
  /** Whether another connection has a tool of the same name. */
  readonly shared: boolean
}

export function marksOf({ definition, joined, shared }: Marking): ToolMark[] {
  const { name, description, annotations } = definition
  const marks: ToolMark[] = []
  if (!NAME.test(joined) || !NAME.test(String(name))) marks.push('name')
  if (typeof description !== 'string' || description.trim() === '') marks.push('no-description')
  else if (description.length > LONG) marks.push('long-description')
  if (!saysEffect(annotations)) marks.push('no-annotations')
  if (shared) marks.push('duplicate')
  return marks
}

const saysEffect = (annotations: unknown): boolean =>
  isObject(annotations) &&
  (typeof annotations['readOnlyHint'] === 'boolean' || typeof annotations['destructiveHint'] === 'boolean')
