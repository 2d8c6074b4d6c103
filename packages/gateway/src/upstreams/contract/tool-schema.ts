/**
 * From a contract's schema to one of JSON Schema's own words that shows a caller what it may say. Pure; the schema that is given
 * stays as it is.
 *
 * Contracts are generated from another language: optional is `nullable: true` (OpenAPI 3.0) beside a default of null, and what only
 * stored procedures may say stands among the rest under `x-procedure-only`.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'

const MARK = 'x-procedure-only'

export interface InputSchema {
  readonly schema: JsonObject
  /** Names at the top that no caller may say: marked, or written by the gateway itself. */
  readonly hidden: ReadonlySet<string>
  readonly required: ReadonlySet<string>
}

/** `own`: names of parameters that the gateway writes itself. */
export function inputSchemaOf(value: JsonObject, own: readonly string[]): InputSchema {
  const properties = isObject(value['properties']) ? value['properties'] : {}
  const marked = Object.keys(properties).filter((name) => isMarked(properties[name]))
  const hidden = new Set([...marked, ...own])
  const required = new Set(namesIn(value['required']).filter((name) => !hidden.has(name)))
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name))
  const converted = shown.map(([name, schema]) => [name, convert(required.has(name) ? schema : absentForNull(schema))])
  const { properties: _, required: __, ...rest } = value
  return {
    schema: {
      ...(convert(rest) as JsonObject),
      type: 'object',
      properties: Object.fromEntries(converted) as JsonObject,
      ...(required.size === 0 ? {} : { required: [...required] }),
    },
    hidden,
    required,
  }
}

export const outputSchemaOf = (value: JsonObject): JsonObject => convert(value) as JsonObject

const isMarked = (schema: Json | undefined): boolean => isObject(schema) && schema[MARK] === true

const namesIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []

/** Of an optional parameter at the top, null counts as absent (ledger S1-CAL-10): its schema need not speak of it. */
function absentForNull(schema: Json): Json {
  if (!isObject(schema) || schema['nullable'] !== true) return schema
  const { nullable: _, ...rest } = schema
  return rest
}

/** Where schemas stand in a schema (JSON Schema 2020-12 and draft 7). Elsewhere there is data, which is nobody's to change. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const SINGLE = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
])

function convert(schema: Json): Json {
  if (!isObject(schema)) return schema
  const marked = isObject(schema['properties'])
    ? new Set(Object.entries(schema['properties']).flatMap(([name, value]) => (isMarked(value) ? [name] : [])))
    : new Set<string>()
  const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === 'nullable' || key === MARK) return []
    if (key === 'default' && value === null) return []
    if (MAPS.has(key) && isObject(value)) {
      const visible = Object.entries(value).filter(([name]) => key !== 'properties' || !marked.has(name))
      return [[key, Object.fromEntries(visible.map(([name, item]) => [name, convert(item)]))]]
    }
    if (LISTS.has(key) && Array.isArray(value)) return [[key, value.map(convert)]]
    if (SINGLE.has(key)) return [[key, Array.isArray(value) ? value.map(convert) : convert(value)]]
    if (key === 'required' && marked.size > 0) return [[key, namesIn(value).filter((name) => !marked.has(name))]]
    return [[key, value]]
  })
  const converted = Object.fromEntries(members)
  return schema['nullable'] === true ? orNull(converted) : converted
}

/** `nullable` in JSON Schema's words. */
function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  const types = typeof type === 'string' ? [type, 'null'] : type
  const wider = Array.isArray(values) && !values.includes(null) ? [...values, null] : values
  return {
    ...schema,
    ...(types === undefined ? {} : { type: types }),
    ...(wider === undefined ? {} : { enum: wider }),
  }
}
