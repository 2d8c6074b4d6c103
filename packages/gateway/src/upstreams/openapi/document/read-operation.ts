/** One operation as a tool: what it takes, what it gives, what it does, and how a call of it is written. Throws Unfit where it cannot be one. */
import type { Effect } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import type { Method, Operation } from '@toolway/contract/http-operation'
import { takeBody } from './body.ts'
import { LIMITS } from './limits.ts'
import { takeParameters, type KeyNames, type Taking } from './parameters.ts'
import { answerSchema, Unfit, type SchemaParts } from './schema.ts'
import { textOf } from './texts.ts'

/** Where an operation stands in its document. */
export interface Found {
  readonly method: string
  readonly path: string
  readonly operationId: string | undefined
  readonly tags: readonly string[]
  readonly given: JsonObject
  /** The path item around it, whose parameters are its own, too. */
  readonly around: JsonObject
  /** Why its description cannot be read; the rest is then empty. */
  readonly broken?: string
}

export interface ReadTool {
  readonly operation: Operation
  readonly tool: JsonObject
  readonly effect: Effect
}

const EFFECTS: Readonly<Record<Method, Effect>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'destructive',
}
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
const isMethod = (method: string): method is Method => Object.hasOwn(EFFECTS, method)

export interface ReadingParts extends SchemaParts {
  readonly keys: KeyNames
}

export function readOperation(found: Found, name: string, input: Effect | undefined, parts: ReadingParts): ReadTool {
  const { path, given, around, tags, broken } = found
  if (broken !== undefined) throw new Unfit(broken)
  const { method } = found
  if (!isMethod(method)) throw new Unfit(`uses ${method.slice(0, 20)}, which is not a call`)
  const taking: Taking = { properties: new Map(), required: new Set() }
  const { sent, query } = partsOf(path)
  const placed = takeParameters([around['parameters'], given['parameters']], sent, taking, {
    ...parts,
    fixed: new URLSearchParams(query),
  })
  const body = bodyOf(method, given, taking, parts)
  const answers = answersOf(given, parts)
  const inputSchema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(taking.properties),
    ...(taking.required.size === 0 ? {} : { required: [...taking.required] }),
    additionalProperties: false,
  }
  if (JSON.stringify(inputSchema).length > LIMITS.input)
    throw new Unfit(`has arguments whose description is larger than ${LIMITS.input} characters`)
  if (isObject(given['callbacks'])) parts.note('its callbacks are not received')
  const effect = input ?? EFFECTS[method]
  const outputSchema = answerSchema(answers.schema, parts)
  const operation: Operation = {
    name,
    method,
    path: literal(sent),
    ...(query === '' ? {} : { query }),
    placed,
    body,
    accept: answers.accept,
    structured: outputSchema !== undefined,
  }
  const title = textOf(given['summary'], 100)
  const deprecated = given['deprecated'] === true
  const category = tags[0]?.slice(0, 100)
  const tool: JsonObject = {
    name,
    ...(title === undefined ? {} : { title }),
    description: descriptionOf(given, { method, path, deprecated }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: {
      ...(title === undefined ? {} : { title }),
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destructive',
      idempotentHint: effect === 'read' || IDEMPOTENT.has(method),
      openWorldHint: true,
    },
    _meta: {
      ...(category === undefined ? {} : { 'dev.toolway/category': category }),
      'dev.toolway/operation': `${method} ${path}`,
      ...(deprecated ? { 'dev.toolway/deprecated': true } : {}),
    },
  }
  return { operation, tool, effect }
}

/**
 * The path, and the query that goes with every call, such as `?beta=true`. A fragment, by which a document tells two operations of one
 * address apart, is never sent.
 */
function partsOf(path: string): { sent: string; query: string } {
  const [, sent = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(path) ?? []
  if (!/^[\w.~!$'()*+,;:@/=&%-]*$/.test(query)) throw new Unfit('has a path with a query that cannot be sent as it is')
  return { sent, query }
}

/**
 * Returns the literal parts of a path. They are sent unchanged: nothing in them may begin a query, or be read as another path.
 */
function literal(path: string): string {
  if (!path.startsWith('/')) throw new Unfit('has a path that does not begin with a slash')
  if (path.includes('\\')) throw new Unfit('has a path with a backslash in it')
  const parts = path.split(/(\{[^{}]*\})/)
  const plain = parts.map((part) =>
    part.startsWith('{') ? part : encodeURI(part.toWellFormed()).replaceAll('%25', '%'),
  )
  const shape = parts.map((part) => (part.startsWith('{') ? 'x' : part)).join('')
  if (shape.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    throw new Unfit('has a path with "." or ".." in it')
  return plain.join('')
}

function bodyOf(method: Method, value: JsonObject, taking: Taking, parts: ReadingParts) {
  if (method !== 'GET' && method !== 'HEAD') return takeBody(value['requestBody'], taking, parts)
  const body = parts.references.open(value['requestBody'])
  if (body?.['required'] === true) throw new Unfit('requires a body with a method that has none')
  if (body !== undefined && !isEmpty(body)) parts.note('its body is left out: its method has none')
  return undefined
}

/** Some generators describe an empty form for every operation. */
const isEmpty = ({ content }: JsonObject): boolean =>
  isObject(content) &&
  Object.values(content).every((media) => {
    const properties = isObject(media) && isObject(media['schema']) ? media['schema']['properties'] : undefined
    return isObject(properties) && Object.keys(properties).length === 0
  })

const SUCCESS = /^(?:2\d\d|2XX)$/i
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/

/** Returns the successful response of an operation: its JSON schema, and the media type to request. */
function answersOf({ responses }: JsonObject, { references }: SchemaParts): { schema: unknown; accept: string } {
  const codes = isObject(responses) ? Object.keys(responses) : []
  const named = codes.filter((code) => SUCCESS.test(code)).sort()
  const chosen = named.length > 0 ? named : codes.filter((code) => code === 'default')
  const contents = chosen.flatMap((code) => {
    const content = references.open(isObject(responses) ? responses[code] : undefined)?.['content']
    return isObject(content) ? [content] : []
  })
  const types = [...new Set(contents.flatMap((content) => Object.keys(content)))].filter((type) => isType(type))
  if (types.length > 0 && types.every((type) => type.startsWith('text/event-stream')))
    throw new Unfit('returns a stream that never ends')
  const json = types.find((type) => JSON_TYPE.test(plainOf(type)))
  const described = json === undefined ? undefined : contents.find((content) => json in content)?.[json]
  // Answers of several codes that are not alike are described by none of them.
  const isOne = json !== undefined && contents.filter((content) => json in content).length === 1
  const accept = [
    ...(json === undefined ? ['application/json'] : [json]),
    ...types.filter((type) => type !== json),
    '*/*;q=0.1',
  ]
  return {
    schema: isOne && isObject(described) ? described['schema'] : undefined,
    accept: [...new Set(accept)].slice(0, 6).join(', '),
  }
}

const isType = (type: string) => /^[\w.+*-]{1,80}\/[\w.+*-]{1,80}(?:\s*;\s*[\w-]+=[\w."-]+)*$/.test(type)
const plainOf = (type: string) => type.split(';')[0]?.trim().toLowerCase() ?? ''

function descriptionOf(
  value: JsonObject,
  { method, path, deprecated }: { method: string; path: string; deprecated: boolean },
) {
  const [summary, text] = [textOf(value['summary'], 300), textOf(value['description'], LIMITS.description)]
  const described = [summary, text === summary ? undefined : text].filter((item) => item !== undefined).join('\n\n')
  const words = described === '' ? `${method} ${path}` : described
  return textOf(deprecated ? `Deprecated. ${words}` : words, LIMITS.description) ?? ''
}
