/**
 * A JSON Schema as users need it: the fields, their types, and the nested fields. Parts that cannot be shown simply are left to
 * the schema itself, which is shown beside it as JSON.
 */
export interface SchemaField {
  readonly name: string
  /** `string`, `array of number`, `string or null`: as far as it is said. */
  readonly type: string
  readonly required: boolean
  readonly description: string | undefined
  /** Where only certain values are taken. */
  readonly choices: readonly string[]
  readonly otherwise: string | undefined
  readonly least: number | undefined
  readonly most: number | undefined
  readonly fields: readonly SchemaField[]
}

type Schema = Readonly<Record<string, unknown>>

/** Deeper than that nobody reads; a schema that contains itself ends there too. */
const DEEPEST = 6

export const fieldsOf = (schema: unknown): readonly SchemaField[] => (isSchema(schema) ? within(schema, schema, 0) : [])

function within(schema: Schema, root: Schema, depth: number): SchemaField[] {
  const { properties, required } = schema
  if (!isSchema(properties) || depth > DEEPEST) return []
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : [])
  return Object.entries(properties).map(([name, own]) => field(name, needed.has(name), resolve(own, root), root, depth))
}

function field(name: string, required: boolean, own: Schema, root: Schema, depth: number): SchemaField {
  const inner = innerOf(own, root)
  return {
    name,
    required,
    type: typeOf(own, root),
    description: typeof own['description'] === 'string' ? own['description'] : undefined,
    choices: choicesOf(own),
    otherwise: own['default'] === undefined ? undefined : JSON.stringify(own['default']),
    least: numberOf(own['minimum']) ?? numberOf(own['minLength']) ?? numberOf(own['minItems']),
    most: numberOf(own['maximum']) ?? numberOf(own['maxLength']) ?? numberOf(own['maxItems']),
    fields: inner === undefined ? [] : within(inner, root, depth + 1),
  }
}

/**
 * Returns the schema that has the fields of a value: the schema itself, that of the elements of a list, or the only one of
 * several forms that has any.
 */
function innerOf(own: Schema, root: Schema): Schema | undefined {
  if (isSchema(own['properties'])) return own
  if (isSchema(own['items'])) return innerOf(resolve(own['items'], root), root)
  const forms = formsOf(own, root).filter((form) => isSchema(form['properties']))
  return forms.length === 1 ? forms[0] : undefined
}

const formsOf = (own: Schema, root: Schema): Schema[] =>
  [own['anyOf'], own['oneOf'], own['allOf']].flatMap((forms) =>
    Array.isArray(forms) ? forms.map((form) => resolve(form, root)) : [],
  )

function typeOf(own: Schema, root: Schema): string {
  const { type, items } = own
  if (Array.isArray(type)) return type.map(String).join(' or ')
  if (type === 'array' && isSchema(items)) return `array of ${typeOf(resolve(items, root), root)}`
  if (typeof type === 'string') return type
  const forms = formsOf(own, root).map((form) => typeOf(form, root))
  return forms.length > 0 && forms.length <= 4 ? [...new Set(forms)].join(' or ') : 'any'
}

function choicesOf({ enum: choices, const: only, items }: Schema): string[] {
  if (Array.isArray(choices)) return choices.map(shown)
  if (only !== undefined) return [shown(only)]
  return isSchema(items) && Array.isArray(items['enum']) ? items['enum'].map(shown) : []
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** References within the schema itself; any other is left as it is. */
function resolve(schema: unknown, root: Schema): Schema {
  let at = schema
  for (let hops = 0; hops < DEEPEST && isSchema(at) && typeof at['$ref'] === 'string'; hops++) {
    const path = at['$ref'].startsWith('#/') ? at['$ref'].slice(2).split('/') : []
    if (path.length === 0) break
    let found: unknown = root
    for (const step of path) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined
    }
    at = found
  }
  return isSchema(at) ? at : {}
}
