/**
 * The body of an operation: which of its media types can be written, and whether its members are arguments of their own.
 *
 * Members stand beside the parameters where the body is one plain object; a name that a parameter has gets `body_` in front. Anything
 * else (a list, alternatives, an object with names of the caller's choosing) is the one argument `body`.
 */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import type { Body, BodyKind } from '@toolway/contract/http-operation'
import { LIMITS } from './limits.ts'
import { nameFor, type Taking } from './parameters.ts'
import { standalone, Unfit, type SchemaParts } from './schema.ts'
import { textOf } from './texts.ts'

const KINDS: readonly (readonly [kind: BodyKind, media: RegExp])[] = [
  ['json', /^application\/json$/],
  ['json', /^application\/[\w.+-]+\+json$/],
  ['json', /^\*\/\*$/],
  ['form', /^application\/x-www-form-urlencoded$/],
  ['multipart', /^multipart\/form-data$/],
  ['text', /^text\/(?!event-stream)[\w.+-]+$/],
]

/** Undefined where nothing is sent. Throws Unfit. */
export function takeBody(input: unknown, taking: Taking, parts: SchemaParts): Body | undefined {
  if (input === undefined) return undefined
  const body = parts.references.open(input)
  if (body === undefined) throw new Unfit(`has a body that ${parts.references.whyNot(input)}`)
  const required = body['required'] === true
  const content = isObject(body['content']) ? body['content'] : {}
  const chosen = choose(content)
  if (chosen === undefined) {
    const media = Object.keys(content)[0]?.slice(0, 80) ?? 'nothing'
    if (required || Object.keys(content).length > 0)
      throw new Unfit(`requires a body of the type ${media}, which cannot be expressed as arguments`)
    return undefined
  }
  const { kind, media, described } = chosen
  const schema = withoutFiles(kind, standalone(described['schema'], 'sent', LIMITS.input, parts), parts)
  const text = textOf(body['description'], LIMITS.note)
  const plain = kind === 'text' ? undefined : flattenSchema(schema)
  if (plain === undefined) {
    if (kind === 'form' || kind === 'multipart') return withoutFields(schema, required, parts)
    const whole = nameFor('body', taking, 'request')
    const base = kind === 'text' ? { type: 'string' } : schema
    taking.properties.set(whole, text === undefined || 'description' in base ? base : { ...base, description: text })
    if (required) taking.required.add(whole)
    return { kind, media, required, whole, members: [] }
  }
  const encoding = isObject(described['encoding']) ? described['encoding'] : {}
  const members = Object.entries(plain.properties).map(([name, value]) => {
    const argument = nameFor(name, taking, 'body')
    taking.properties.set(argument, isObject(value) ? value : {})
    if (required && plain.required.has(name)) taking.required.add(argument)
    const written = encoding[name]
    return { argument, name, deep: isObject(written) && written['style'] === 'deepObject' }
  })
  return { kind, media, required, whole: undefined, members }
}

/** A form without a field has nothing to be sent; one with fields of any name cannot be written. */
function withoutFields(schema: JsonObject, required: boolean, { note }: SchemaParts): undefined {
  const { properties } = schema
  const isEmpty = isObject(properties) && Object.keys(properties).length === 0 && !isOpen(schema)
  if (isEmpty) return undefined
  if (required) throw new Unfit('requires a form whose fields are not described')
  note('its form is left out, since its fields are not described')
  return undefined
}

function choose(content: JsonObject) {
  for (const [kind, pattern] of KINDS) {
    for (const [media, described] of Object.entries(content)) {
      const type = media.split(';')[0]?.trim().toLowerCase() ?? ''
      if (!pattern.test(type) || !isObject(described)) continue
      return { kind, media: type === '*/*' ? 'application/json' : type, described }
    }
  }
  return undefined
}

const isFile = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema['format'] === 'binary' ||
    ('contentMediaType' in schema && schema['contentEncoding'] === undefined) ||
    (schema['type'] === 'array' && isFile(schema['items'])))

/** A form may be sent without its files where they need not be there. */
function withoutFiles(kind: BodyKind, schema: JsonObject | undefined, { note }: SchemaParts): JsonObject {
  if (schema === undefined) throw new Unfit('has a body that is too large for a tool')
  const { properties, required } = schema
  if (kind !== 'multipart' && kind !== 'form') return schema
  if (!isObject(properties)) return schema
  const files = Object.keys(properties).filter((name) => isFile(properties[name]))
  const needed = files.find((name) => Array.isArray(required) && required.includes(name))
  if (needed !== undefined) throw new Unfit(`requires a file, "${needed.slice(0, 50)}"`)
  if (files.length === 0) return schema
  if (files.length === Object.keys(properties).length) throw new Unfit('accepts only files')
  note(`files are left out: ${files.join(', ').slice(0, 100)}`)
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !files.includes(name))),
  }
}

interface Plain {
  readonly properties: JsonObject
  readonly required: ReadonlySet<string>
}

/** The members of one plain object, also where `allOf` puts it together; undefined where it is anything else. */
function flattenSchema(schema: JsonObject, level = 0): Plain | undefined {
  const { properties, required, allOf, type } = schema
  const types = Array.isArray(type) ? type : [type ?? 'object']
  if (level > 8 || !types.includes('object') || isOpen(schema) || hasAlternatives(schema)) return undefined
  const parts = (Array.isArray(allOf) ? allOf : []).map((value) =>
    isObject(value) ? flattenSchema(value, level + 1) : undefined,
  )
  if (parts.includes(undefined)) return undefined
  const whole = parts as Plain[]
  const members = Object.fromEntries([
    ...whole.flatMap((part) => Object.entries(part.properties)),
    ...Object.entries(isObject(properties) ? properties : {}),
  ])
  const named = [
    ...whole.flatMap((part) => [...part.required]),
    ...(Array.isArray(required) ? required.map(String) : []),
  ]
  // Nothing said of the inside is a part of it that says nothing, and as a whole it is anything.
  if (level === 0 && Object.keys(members).length === 0) return undefined
  return { properties: members, required: new Set(named.filter((name) => Object.hasOwn(members, name))) }
}

const isOpen = ({ additionalProperties: open, patternProperties: patterns }: JsonObject): boolean =>
  patterns !== undefined || open === true || (isObject(open) && Object.keys(open).length > 0)

/** Alternatives that only say which members are needed together are the server's to check. */
function hasAlternatives(schema: JsonObject): boolean {
  const lists = [schema['anyOf'], schema['oneOf']].filter((list) => Array.isArray(list))
  const isRequirement = (value: unknown) => isObject(value) && Object.keys(value).every((key) => key === 'required')
  const decides = lists.some((list) => !list.every(isRequirement))
  return decides || ['not', 'if', 'const', 'enum', 'propertyNames'].some((name) => name in schema)
}
