/**
 * Parts of a tool's definition that the APIs of large models refuse, as far as the definition alone shows it. Such an API refuses the
 * whole request, so that one tool makes all others unusable with it (Anthropic Messages API and OpenAI Chat Completions, tool definitions).
 * Definitions are passed on as their servers wrote them; this only names the problem.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'

/** Format of function names; clients pass tool names on unchanged. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/
const COMBINING = ['anyOf', 'oneOf', 'allOf'] as const
/** Keywords whose value is an object of schemas (JSON Schema 2020-12, and `definitions` of older drafts). */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const
/** Keywords whose value is a schema or a list of them. */
const SCHEMAS = [
  ...['items', 'prefixItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...COMBINING,
]

export const isModelName = (name: string): boolean => NAME.test(name)

/** The combining keyword at the top of an input schema. */
export const combinedAt = (schema: unknown): string | undefined =>
  isObject(schema) ? COMBINING.find((keyword) => Object.hasOwn(schema, keyword)) : undefined

/** The first property name, at any depth, that model APIs refuse. */
export function oddProperty(schema: unknown): string | undefined {
  // No recursion: a hostile schema may be deep.
  const open: unknown[] = [schema]
  for (let part = open.pop(); part !== undefined || open.length > 0; part = open.pop()) {
    if (!isObject(part)) continue
    const { properties } = part
    const odd = isObject(properties) ? Object.keys(properties).find((name) => !PROPERTY.test(name)) : undefined
    if (odd !== undefined) return odd
    // One by one: a schema may have more members than a call takes arguments.
    for (const inner of within(part)) open.push(inner)
  }
  return undefined
}

const within = (schema: JsonObject): Json[] => [
  ...MAPS.flatMap((keyword) => {
    const map = schema[keyword]
    return isObject(map) ? Object.values(map) : []
  }),
  ...SCHEMAS.flatMap((keyword) => (schema[keyword] ?? []) as Json | Json[]),
]
