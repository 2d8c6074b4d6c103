/**
 * The OpenAPI 3.1 document of an endpoint: one POST path for each tool, made of the very list that its caller would see
 * (ledger S1-MCP-09). Pure.
 *
 * What a schema defines for itself (`$defs`) becomes a component, because in a document a reference begins at the root of it.
 */
import type { Json, JsonObject } from '@toolway/protocol'
import { isObject } from '@toolway/protocol'
import { isFlatName } from './tool-addresses.ts'

export interface ToolsDocumentParts {
  readonly tools: readonly JsonObject[]
  /** Prefix of the paths. */
  readonly base: string
  readonly version: string
  /** Whether a tool is called by its bare name, or below `/rest/tools`. */
  readonly flat: boolean
}

const KEY = 'key'

export function toolsDocumentOf({ tools, base, version, flat }: ToolsDocumentParts): JsonObject {
  const schemas: Record<string, Json> = { ToolResult: TOOL_RESULT, Problem: PROBLEM }
  const paths: Record<string, Json> = {}
  for (const tool of tools) {
    const name = String(tool['name'])
    const path =
      flat && isFlatName(name) ? `/${encodeURIComponent(name)}` : `/rest/tools/${encodeURIComponent(name)}/call`
    paths[path] = { post: operationOf(tool, name, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tools',
      version,
      description:
        'Each path is one tool. The request body contains its arguments; the response is its structured data or its content, or both where they differ.',
    },
    servers: [{ url: base === '' ? '/' : base }],
    security: [{ [KEY]: [] }],
    paths,
    components: { schemas, securitySchemes: { [KEY]: { type: 'http', scheme: 'bearer' } } },
  }
}

function operationOf(tool: JsonObject, name: string, schemas: Record<string, Json>): JsonObject {
  const { description, title, inputSchema, outputSchema } = tool
  const text = typeof description === 'string' && description !== '' ? description : name
  const summary = typeof title === 'string' && title !== '' ? title : (text.split('\n', 1)[0] ?? name).slice(0, 120)
  const input = isObject(inputSchema) ? within(inputSchema, `${name}.input`, schemas) : { type: 'object' }
  const output = isObject(outputSchema) ? within(outputSchema, `${name}.output`, schemas) : undefined
  const takes = isObject(input['properties']) ? Object.keys(input['properties']).length > 0 : true
  return {
    operationId: name,
    summary,
    description: text,
    // Open WebUI sends nothing to a tool without parameters, and then wants no body to be asked for.
    ...(takes ? { requestBody: { required: true, content: { 'application/json': { schema: input } } } } : {}),
    responses: {
      '200': {
        description: 'Result of the tool. `isError` is true if it failed.',
        content: { 'application/json': { schema: resultOf(output) } },
      },
      '401': refusal('The key is missing or unknown.'),
      '404': refusal('There is no such tool for this key.'),
      '413': refusal('The body is too large.'),
      '429': refusal('Too many requests; `Retry-After` specifies how many seconds to wait.'),
      default: refusal('The request was refused; `code` states the reason, and `mend` states what to do.'),
    },
  }
}

const refusal = (description: string): JsonObject => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const resultOf = (output: JsonObject | undefined): JsonObject =>
  output === undefined
    ? { $ref: '#/components/schemas/ToolResult' }
    : {
        allOf: [{ $ref: '#/components/schemas/ToolResult' }],
        type: 'object',
        properties: { structuredContent: output },
      }

/** A schema as it may stand anywhere in the document; what it refers to inside itself is put among the components. */
function within(schema: JsonObject, name: string, schemas: Record<string, Json>): JsonObject {
  const own = componentName(name)
  let whole = false
  const rewrite = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(rewrite)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, key === '$ref' ? refer(inner) : rewrite(inner)]),
    )
  }
  const refer = (reference: Json | undefined): Json => {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return reference ?? null
    const [, defined, rest = ''] = DEFINED.exec(reference) ?? []
    if (defined !== undefined) return `#/components/schemas/${own}.${componentName(defined)}${rest}`
    whole = true
    return `#/components/schemas/${own}${reference.slice(1)}`
  }
  const { $defs, definitions, $schema, $id, ...rest } = schema
  void $schema
  void $id
  const made = rewrite(rest) as JsonObject
  for (const [key, inner] of [...entriesOf($defs), ...entriesOf(definitions)])
    schemas[`${own}.${componentName(key)}`] = rewrite(inner)
  if (whole) schemas[own] = made
  return made
}

const DEFINED = /^#\/(?:\$defs|definitions)\/([^/]+)(\/.*)?$/

const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : [])

/** Letters that a component's name may have (OpenAPI 3.1, components object). */
const componentName = (text: string): string => decodedPointer(text).replaceAll(/[^A-Za-z0-9._-]/g, '_')

function decodedPointer(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return text
  }
}

const TOOL_RESULT: JsonObject = {
  type: 'object',
  properties: {
    content: {
      type: 'array',
      items: { type: 'object', properties: { type: { type: 'string' }, text: { type: 'string' } } },
    },
    structuredContent: { type: 'object' },
    isError: { type: 'boolean' },
    code: { type: 'string' },
  },
}

const PROBLEM: JsonObject = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    mend: { type: 'string' },
    code: { type: 'string' },
    correlation_id: { type: 'string' },
  },
}
