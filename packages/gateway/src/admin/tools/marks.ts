/** What clients and models stumble over in a definition, as far as it can be seen by looking. */
import { isObject, type JsonObject } from '@toolway/protocol'
import type { ToolMark } from '@toolway/contract/admin'

/** What the function names of the large model APIs may look like; clients pass on what they are given. */
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
