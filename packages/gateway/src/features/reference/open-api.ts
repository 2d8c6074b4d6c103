/**
 * The OpenAPI 3.1 document of the admin interface, made of the descriptions that the door serves: nothing is written twice.
 *
 * Shapes that `contract` exports are components under their names. A shape whose input differs from its output, because something
 * may be left out, has two.
 */
import { FAULTS } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Needs, Operation, Shape } from '@toolway/contract/admin'
import { z } from 'zod'

type Json = Record<string, unknown>

const KEY = 'key'
const STATUS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Under way.',
  204: 'Done. The response has no body.',
}

export function openApiOf(operations: readonly Operation[]): Json {
  const components = createComponents()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolway administration',
      version: '1',
      description:
        'Every operation requires a key or an access token as `Authorization: Bearer …`, unless stated otherwise. Errors are problem+json (RFC 9457). POST accepts an `Idempotency-Key`; resources that are returned with an `ETag` accept it as `If-Match`.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        [KEY]: { type: 'http', scheme: 'bearer', description: 'A key (`uru_…`, `smcp_…`) or an access token.' },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'A unique name for this request, chosen by the client. If the request is sent again within a day, the first response is returned and the operation is not repeated.',
          schema: { type: 'string', maxLength: 200 },
        },
      },
      responses: {
        Problem: {
          description: 'The request was refused or failed; `code` states the reason, and `mend` states what to do.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      schemas: { ...components.all(), Problem: PROBLEM },
    },
  }
}

const PROBLEM: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'mend', 'code', 'correlation_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string', enum: [...new Set(Object.values(FAULTS).map(({ word }) => word))].sort() },
    status: { type: 'integer' },
    detail: { type: 'string' },
    mend: { type: 'string' },
    code: { type: 'string', enum: Object.keys(FAULTS).sort() },
    correlation_id: { type: 'string' },
  },
}

type Components = ReturnType<typeof createComponents>

/** The shapes that have a name, collected while they are met. */
function createComponents() {
  const named = z.registry<{ id: string }>()
  for (const [name, shape] of Object.entries(shapes)) if (shape instanceof z.ZodType) named.add(shape, { id: name })
  const met: Record<string, Json> = {}

  /** The schema with its definitions lifted out. */
  function schemaOf(shape: Shape, io: 'input' | 'output'): Json {
    // `metadata` is typed as the registry that the library keeps for itself.
    const made = z.toJSONSchema(shape, { io, metadata: named as never, unrepresentable: 'any' }) as Json
    const { $schema: _, $defs: definitions = {}, ...schema } = made
    const names = new Map<string, string>()
    for (const [name, definition] of Object.entries(definitions as Record<string, Json>)) {
      const other = met[name]
      const same = other === undefined || JSON.stringify(other) === JSON.stringify(withReferences(definition, names))
      names.set(name, same ? name : `${name}Input`)
    }
    for (const [name, definition] of Object.entries(definitions as Record<string, Json>))
      met[names.get(name) ?? name] = withReferences(definition, names)
    return withReferences(schema, names)
  }
  return {
    schemaOf,
    all: () => Object.fromEntries(Object.entries(met).sort(([value], [other]) => (value < other ? -1 : 1))),
  }
}

const BOUND = Number.MAX_SAFE_INTEGER

/** References lead to the components; bounds that only say what a number can hold are left out. */
function withReferences<Value>(value: Value, names: ReadonlyMap<string, string>): Value {
  const walk = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(walk)
    if (typeof item !== 'object' || item === null) return item
    const entries = Object.entries(item).flatMap(([name, inner]): [string, unknown][] => {
      if ((name === 'minimum' && inner === -BOUND) || (name === 'maximum' && inner === BOUND)) return []
      const to = name === '$ref' && typeof inner === 'string' ? /^#\/\$defs\/(.+)$/.exec(inner)?.[1] : undefined
      return [[name, to === undefined ? walk(inner) : `#/components/schemas/${names.get(to) ?? to}`]]
    })
    return Object.fromEntries(entries)
  }
  return walk(value) as Value
}

/** The noun that its path is about. */
export function tagOf({ path }: Operation): string {
  const words = path
    .replace(/^\/api\/v1\//, '')
    .split('/')
    .filter((word) => !word.startsWith('{'))
  const [area, ...rest] = words
  if (area !== 'admin') return rest.length === 0 ? 'description' : (area ?? 'description')
  return (rest[0] === 'tenants' && rest[1] !== undefined ? rest[1] : rest[0]) ?? 'admin'
}

const FOLLOWED =
  'A client that prefers `text/event-stream` receives `progress` events (in this format), then one `result` event with the answer as JSON, or one `error` event with a problem.'

function describe(operation: Operation, { schemaOf }: Components): Json {
  const { id, path, method, summary, needs, query, body, answer, status, media, progress } = operation
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...queryOf(schemaOf(query, 'input')),
    ...(method === 'POST' && (needs.of === 'organization' || needs.of === 'platform')
      ? [{ $ref: '#/components/parameters/IdempotencyKey' }]
      : []),
  ]
  const takes = !(body instanceof z.ZodUndefined)
  const gives = media ?? 'application/json'
  return {
    operationId: id,
    summary,
    tags: [tagOf(operation)],
    description: progress === undefined ? needOf(needs) : `${needOf(needs)} ${FOLLOWED}`,
    security: needs.of === 'anyone' ? [] : [{ [KEY]: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }
      : {}),
    responses: {
      [status]: {
        description: STATUS[status],
        ...(status === 204
          ? {}
          : {
              content: {
                [gives]: { schema: schemaOf(answer, 'output') },
                ...(progress === undefined ? {} : { 'text/event-stream': { schema: schemaOf(progress, 'output') } }),
              },
            }),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

function queryOf({ properties = {}, required = [] }: Json): Json[] {
  const needed = new Set(required as string[])
  return Object.entries(properties as Record<string, Json>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: needed.has(name),
    schema,
  }))
}

/** Returns the required permission as a sentence. */
export function needOf(needs: Needs): string {
  switch (needs.of) {
    case 'anyone':
      return 'No authentication required.'
    case 'signed-in':
      return 'For signed-in users and API keys.'
    case 'platform':
      return `For platform administrators (\`${needs.permission}\`).`
    case 'organization':
      return `Requires \`${needs.permission}\` in ${needs.by === 'caller' ? 'your own' : 'the'} organization.`
  }
}
