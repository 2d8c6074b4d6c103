/**
 * The required arguments that have no value yet, each with its place: a call without them is not sent. Pure. It knows `required` and the
 * choice of an enumeration only; everything else is judged by the gateway and the server.
 */
import { texts } from '../../../texts/texts.ts'
import { isObject, type JsonObject } from '../mcp/wire.ts'
import type { ArgumentError } from '../runs.ts'

/** Deeper than any form that a person fills in. */
const DEEPEST = 20

export function missingArguments(schema: JsonObject, value: JsonObject, at = '', depth = 0): ArgumentError[] {
  const { required, properties } = schema
  if (depth > DEEPEST || !isObject(properties)) return []
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties).flatMap(([name, property]) => {
    const found = value[name]
    const path = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (needed.has(name) && isEmpty(property, found)) return [{ path, message: texts.call.required }]
    return isObject(property) && isObject(found) ? missingArguments(property, found, path, depth + 1) : []
  })
}

/** An empty text may be meant, but is never one of a choice. */
const isEmpty = (property: unknown, value: unknown): boolean =>
  value === undefined || (value === '' && isObject(property) && Array.isArray(property['enum']))
