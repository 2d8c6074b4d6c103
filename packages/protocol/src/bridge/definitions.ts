/**
 * Adapts list entries for a client of another revision than the server they come from (translation table: tools/list). Within the
 * same family an entry passes as the server wrote it.
 */
import { eraOf, type Revision } from '../era.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'

/** Since 2025-06-18 tools may have an output schema and results may be structured. */
export const STRUCTURED_SINCE: Revision = '2025-06-18'

const isObjectSchema = (schema: JsonObject) => schema['type'] === 'object'

/** Whether a structured result of this tool must be wrapped for a client whose revision knows objects only. */
export const wrapsOutput = (definition: JsonObject): boolean =>
  isObject(definition['outputSchema']) && !isObjectSchema(definition['outputSchema'])

export function adaptTool(definition: JsonObject, from: Revision, to: Revision): JsonObject {
  if (to < STRUCTURED_SINCE && 'outputSchema' in definition) {
    const { outputSchema: _, ...rest } = definition
    return adaptTool(rest, from, to)
  }
  if (eraOf(to) === 'modern') {
    if (eraOf(from) === 'modern') return definition
    // Task support is negotiated per request in the modern era; the legacy field means nothing there.
    const { execution: _, ...rest } = definition
    return rest
  }
  if (!wrapsOutput(definition)) return definition
  const schema = definition['outputSchema'] as JsonObject
  return {
    ...definition,
    outputSchema: { type: 'object', properties: { result: moveSchema(schema) }, required: ['result'] },
  }
}

const MOVED = '/properties/result'

/** A schema that is no longer the root: references that start at the root start where it now stands (RFC 6901 pointers). */
function moveSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moveSchema)
  // A schema with an id is a root of its own, wherever it stands.
  if (!isObject(schema) || typeof schema['$id'] === 'string') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const local = key === '$ref' && typeof value === 'string' && (value === '#' || value.startsWith('#/'))
      return [key, local ? `#${MOVED}${value.slice(1)}` : moveSchema(value)]
    }),
  )
}
