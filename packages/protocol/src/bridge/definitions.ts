/**
 * What a list entry must look like for a client of another revision than the server it came from
 * (translation table: tools/list). Same family: the entry passes as the server wrote it.
 */
import { eraOf, type Revision } from '../era.ts'
import { isObject, type JsonObject } from '../json.ts'

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
  if (eraOf(from) === eraOf(to)) return definition
  if (eraOf(to) === 'modern') {
    // Task support is negotiated per request in the modern era; the legacy field means nothing there.
    const { execution: _, ...rest } = definition
    return rest
  }
  if (!wrapsOutput(definition)) return definition
  const schema = definition['outputSchema'] as JsonObject
  return {
    ...definition,
    outputSchema: { type: 'object', properties: { result: schema }, required: ['result'] },
  }
}
