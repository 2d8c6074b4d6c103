/** The input schema of a workflow: of its form, of a JSON Schema in its notes, or open. */
import { isObject, parseJson, type Json, type JsonObject } from '@toolway/protocol'

/** A field of the n8n Form Trigger. */
export interface FormField {
  readonly label: string
  readonly type: string
  readonly required: boolean
  readonly several: boolean
  readonly about: string | undefined
  readonly options: readonly string[]
}

/** The first JSON Schema of an object in a fenced block of a note. */
export function notedSchema(notes: readonly string[]): JsonObject | undefined {
  for (const note of notes)
    for (const [, block = ''] of note.matchAll(/```(?:json(?:-?schema)?)?\s*\n([^]*?)```/g)) {
      const schema = parseOrUndefined(block)
      if (isObject(schema) && (schema['type'] === 'object' || isObject(schema['properties'])))
        return { type: 'object', ...schema }
    }
  return undefined
}

function parseOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export function formSchema(fields: readonly FormField[]): JsonObject {
  const required = fields.filter((field) => field.required).map(({ label }) => label)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.label, schemaOf(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

const TYPES: Readonly<Record<string, JsonObject>> = {
  number: { type: 'number' },
  date: { type: 'string', format: 'date' },
  email: { type: 'string', format: 'email' },
}

function schemaOf({ type, several, options, about }: FormField): JsonObject {
  const value: JsonObject =
    options.length > 0 ? { type: 'string', enum: [...options] } : (TYPES[type] ?? { type: 'string' })
  const schema = several || type === 'checkbox' ? { type: 'array', items: value } : value
  return about === undefined ? schema : { ...schema, description: about }
}

/** Nothing describes what the workflow takes. */
export const openSchema = (method: string, inPath: readonly string[]): JsonObject => ({
  type: 'object',
  description:
    method === 'GET'
      ? 'The parameters of the request, as the workflow reads them.'
      : 'The body of the request, as the workflow reads it.',
  ...(inPath.length === 0
    ? {}
    : {
        properties: Object.fromEntries(inPath.map((name) => [name, { type: 'string', minLength: 1 }])),
        required: [...inPath],
      }),
  additionalProperties: true,
})
