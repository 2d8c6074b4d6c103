/**
 * The headers that mirror a modern request's body (specification 2026-07-28, transports: standard and custom headers).
 *
 * One table serves both hops: what a server checks on the way in is what a client computes on the way out, from the
 * *final* body and the *upstream's* schema. A header is never copied from the caller, because names change on the way.
 */
import { Fault } from '@toolway/contract'
import { MODERN } from '../../era.ts'
import { ExactNumber } from '../../exact.ts'
import { isObject, type Json, type JsonObject } from '../../json.ts'

export type HeaderReader = (name: string) => string | undefined

/** The member of params that each method's `Mcp-Name` mirrors. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const SENTINEL = /^=\?base64\?(.*)\?=$/s
/** Padding and alphabet are checked by hand: decoders in the field skip what they do not know. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const toBase64 = (text: string) =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

/** A header value: visible ASCII as it is, everything else (or what looks like the sentinel) as `=?base64?…?=`. */
export const encodeHeader = (text: string): string =>
  PLAIN.test(text) && !SENTINEL.test(text) ? text : `=?base64?${toBase64(text)}?=`

/** The text behind a header value, or undefined when its Base64 is broken. */
export function decodeHeader(value: string): string | undefined {
  const encoded = SENTINEL.exec(value)?.[1]
  if (encoded === undefined) return value
  if (!BASE64.test(encoded)) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Refuse (-32020, HTTP 400) unless `Mcp-Method` and `Mcp-Name` are there and say what the body says. */
export function checkHeaders(header: HeaderReader, method: string, params: JsonObject): void {
  checkHeader(header, 'Mcp-Method', method)
  const member = NAMED[method]
  const name = member === undefined ? undefined : params[member]
  if (typeof name === 'string') checkHeader(header, 'Mcp-Name', name)
}

export const checkVersionHeader = (header: HeaderReader, version: string): void =>
  checkHeader(header, 'MCP-Protocol-Version', version)

function checkHeader(header: HeaderReader, name: string, expected: string): void {
  const value = header(name.toLowerCase())
  if (value === undefined) throw new Fault('envelope.header', { header: name, problem: 'is missing' })
  const decoded = decodeHeader(value.trim())
  if (decoded === undefined) throw new Fault('envelope.header', { header: name, problem: 'has invalid Base64' })
  if (decoded !== expected) throw new Fault('envelope.header', { header: name, problem: 'does not match the body' })
}

/** A property of a tool's input that travels in a header too (`x-mcp-header`). */
export interface HeaderParameter {
  readonly header: string
  readonly path: readonly string[]
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const MARK = 'x-mcp-header'
const HEADER_TYPES = new Set<Json>(['string', 'integer', 'boolean'])

/**
 * The header parameters of an input schema. Returns undefined when the schema breaks a rule of `x-mcp-header` (a token,
 * unique without regard to case, only on string, integer or boolean, only below `properties`): such a tool is not offered.
 */
export function headerParameters(schema: Json | undefined): readonly HeaderParameter[] | undefined {
  if (!isObject(schema)) return []
  const before = read.get(schema)
  if (before !== undefined) return before === INVALID ? undefined : before
  const found = readMarks(schema)
  read.set(schema, found ?? INVALID)
  return found
}

const INVALID = Symbol('invalid')
/** A schema never changes while it is in memory, and each endpoint with the tool asks for its marks. */
const read = new WeakMap<JsonObject, readonly HeaderParameter[] | typeof INVALID>()

function readMarks(schema: JsonObject): readonly HeaderParameter[] | undefined {
  const found: HeaderParameter[] = []
  const valid = collect(schema, [], found) && countMarks(schema) === found.length && !(MARK in schema)
  const names = new Set(found.map(({ header }) => header.toLowerCase()))
  return valid && names.size === found.length ? found : undefined
}

function collect(schema: JsonObject, path: readonly string[], found: HeaderParameter[]): boolean {
  const properties = schema['properties']
  if (!isObject(properties)) return true
  return Object.entries(properties).every(([key, property]) => {
    if (!isObject(property)) return true
    const mark = property[MARK]
    if (mark !== undefined) {
      if (typeof mark !== 'string' || !TOKEN.test(mark) || !HEADER_TYPES.has(property['type'] ?? null)) return false
      found.push({ header: mark, path: [...path, key] })
    }
    return collect(property, [...path, key], found)
  })
}

/** The keywords of JSON Schema 2020-12 (and of draft-07) whose value is a schema, a list of schemas, or a map of them. */
const ONE = ['additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not']
const ONE_MORE = ['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties']
const LIST = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']
const MAP = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']

function subschemas(schema: JsonObject): JsonObject[] {
  const single = [...ONE, ...ONE_MORE].map((keyword) => schema[keyword])
  const lists = LIST.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []))
  const maps = MAP.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : []))
  return [...single, ...lists, ...maps].filter(isObject)
}

/** Every mark below this schema, wherever a schema may stand: one that `collect` cannot reach stands where none may. */
const countMarks = (schema: JsonObject): number =>
  subschemas(schema).reduce((sum, below) => sum + (MARK in below ? 1 : 0) + countMarks(below), 0)

function valueAt(parameters: Json | undefined, path: readonly string[]): Json | undefined {
  const step = (value: Json | undefined, key: string) =>
    isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return path.reduce(step, parameters)
}

function textOf(value: Json | undefined): string | undefined {
  if (value instanceof ExactNumber) return value.source
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value)
}

/** Refuse (-32020) when a marked argument and its `Mcp-Param-*` header disagree, or only one of them is there. */
export function checkParameterHeaders(
  header: HeaderReader,
  parameters: readonly HeaderParameter[],
  input: Json | undefined,
): void {
  for (const parameter of parameters) {
    const name = `Mcp-Param-${parameter.header}`
    const value = valueAt(input, parameter.path)
    const expected = textOf(value)
    if (expected !== undefined && typeof value !== 'number') checkHeader(header, name, expected)
    else if (expected !== undefined) checkNumber(header, name, Number(expected))
    else if (header(name.toLowerCase()) !== undefined) {
      throw new Fault('envelope.header', { header: name, problem: 'is given, but the body has no such argument' })
    }
  }
}

/** `7`, `7.0` and `7e0` are one number; `0x7` and the empty text are none. */
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function checkNumber(header: HeaderReader, name: string, expected: number): void {
  const value = header(name.toLowerCase())
  if (value === undefined) throw new Fault('envelope.header', { header: name, problem: 'is missing' })
  const decoded = decodeHeader(value.trim())
  if (decoded === undefined || !DECIMAL.test(decoded) || Number(decoded) !== expected) {
    throw new Fault('envelope.header', { header: name, problem: 'does not match the body' })
  }
}

/** The headers of a modern request, computed from its final body and the upstream's schema. */
export function headersFor(
  method: string,
  params: JsonObject,
  parameters: readonly HeaderParameter[],
): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-protocol-version': MODERN, 'mcp-method': method }
  const member = NAMED[method]
  const name = member === undefined ? undefined : params[member]
  if (typeof name === 'string') headers['mcp-name'] = encodeHeader(name)
  for (const { header, path } of parameters) {
    const text = textOf(valueAt(params['arguments'], path))
    if (text !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = encodeHeader(text)
  }
  return headers
}
