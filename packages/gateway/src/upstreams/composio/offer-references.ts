/** The input schemas of Composio's tools as they are listed here: a place for a file takes a stored file. Pure. */
import { isObject, type JsonObject } from '@toolway/protocol'

const DEEPEST = 12

/** The schema of a tool's input in which each place for a file takes a reference too, and says so. */
export function offerReferences(schema: JsonObject, depth = 0): JsonObject {
  if (depth > DEEPEST) return schema
  if (schema['file_uploadable'] === true) {
    const { file_uploadable: mark, title, description, ...own } = schema
    return {
      ...(title === undefined ? {} : { title }),
      description: `${typeof description === 'string' ? `${description} ` : ''}A stored file as toolway://files/…, or a file that is already at Composio.`,
      file_uploadable: mark,
      anyOf: [{ type: 'string', pattern: '^toolway://files/file_' }, own],
    }
  }
  const made: JsonObject = { ...schema }
  for (const group of ['properties', '$defs', 'definitions'])
    if (isObject(schema[group])) made[group] = mapSchemas(schema[group], depth)
  if (isObject(schema['items'])) made['items'] = offerReferences(schema['items'], depth + 1)
  for (const group of ['anyOf', 'oneOf', 'allOf']) {
    const list = schema[group]
    if (Array.isArray(list))
      made[group] = list.map((value) => (isObject(value) ? offerReferences(value, depth + 1) : value))
  }
  return made
}

const mapSchemas = (group: JsonObject, depth: number): JsonObject =>
  Object.fromEntries(
    Object.entries(group).map(([name, value]) => [name, isObject(value) ? offerReferences(value, depth + 1) : value]),
  )
