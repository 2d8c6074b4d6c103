/** The parameters of an operation: which arguments they are, and how each is written. */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import type { Placed, Style } from '@toolway/contract/http-operation'
import { LIMITS } from './limits.ts'
import type { References } from './references.ts'
import { standalone, Unfit, type SchemaParts } from './schema.ts'
import { textOf } from './texts.ts'

/** The parameters of an operation as one object: unique property names, and the required ones. */
export interface Taking {
  readonly properties: Map<string, JsonObject>
  readonly required: Set<string>
}

const STYLES: Readonly<Record<Placed['in'], readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}
/** Written by the gateway, or by whoever carries the credential (OpenAPI 3.1, parameter object, name). */
const OWN =
  /^(?:accept|accept-encoding|authorization|connection|content-.*|cookie|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i
const CREDENTIAL = /^(?:x[-_])?(?:token|access_token|oauth_token|auth_token|api_?key|key)$/i
const OF_CREDENTIAL = /\b(?:auth\w*|access|bearer|oauth(?: 2\.0)?) token\b|\bapi key\b/i

/** Names of the document's API keys, with their location: `query token`. */
export type KeyNames = ReadonlySet<string>

/** Throws Unfit. */
export function takeParameters(
  lists: readonly unknown[],
  path: string,
  taking: Taking,
  parts: SchemaParts & { keys: KeyNames; fixed: URLSearchParams },
): Placed[] {
  const inPath = new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''))
  const placed: Placed[] = []
  for (const value of mergeParameters(lists, parts.references)) {
    const { name, in: location, required } = value
    if (typeof name !== 'string' || name === '') continue
    if (!isPlace(location)) {
      refuseElsewhere(value, parts)
      continue
    }
    if (location === 'path' && !inPath.has(name)) continue
    // Its value stands in the path of the operation.
    if (location === 'query' && parts.fixed.has(name)) continue
    if (location === 'header' && OWN.test(name)) continue
    if (isCredential(value, parts.keys)) {
      if (location === 'path')
        throw new Unfit(`requires the credential "${name.slice(0, 50)}" in its path, where no connection sends one`)
      parts.note(`"${name.slice(0, 50)}" is left to the connection's credential`)
      continue
    }
    const [schema, json] = schemaOf(value, parts)
    const argument = nameFor(name, taking, location)
    taking.properties.set(argument, schema)
    if (required === true || location === 'path') taking.required.add(argument)
    placed.push({ argument, name, in: location, ...writingOf(value, location), json })
    inPath.delete(name)
  }
  for (const name of inPath) {
    if (placed.some((item) => item.in === 'path' && item.name === name)) continue
    if (name === '') throw new Unfit('has a path with a parameter without a name')
    parts.note(`"${name.slice(0, 50)}" in its path is not described: it is taken as a string`)
    const argument = nameFor(name, taking, 'path')
    taking.properties.set(argument, { type: 'string' })
    taking.required.add(argument)
    placed.push({ argument, name, in: 'path', style: 'simple', explode: false, reserved: false, json: false })
  }
  return placed
}

/** The whole query as one value (3.2), and places of other versions. */
function refuseElsewhere({ name, in: location, required }: JsonObject, { note }: SchemaParts): void {
  const words = `"${String(name).slice(0, 50)}" in the ${String(location).slice(0, 20)}`
  if (required === true) throw new Unfit(`requires the parameter ${words}, which cannot be sent`)
  note(`the parameter ${words} is left out, since it cannot be sent`)
}

const isPlace = (value: unknown): value is Placed['in'] =>
  value === 'path' || value === 'query' || value === 'header' || value === 'cookie'

/** Those of the operation over those of its path, each named by name and place. */
function mergeParameters(lists: readonly unknown[], references: References): JsonObject[] {
  const found = new Map<string, JsonObject>()
  for (const list of lists) {
    if (!Array.isArray(list)) continue
    for (const value of list.slice(0, 500)) {
      const parameter = references.open(value)
      if (parameter === undefined) throw new Unfit(`has a parameter that ${references.whyNot(value)}`)
      found.set(`${String(parameter['in'])} ${String(parameter['name'])}`, parameter)
    }
  }
  return [...found.values()]
}

function isCredential({ name, in: location, description }: JsonObject, keys: KeyNames): boolean {
  if (keys.has(`${String(location)} ${String(name).toLowerCase()}`)) return true
  return CREDENTIAL.test(String(name)) && OF_CREDENTIAL.test(String(description))
}

function schemaOf(value: JsonObject, parts: SchemaParts): [schema: JsonObject, json: boolean] {
  const { content, schema, description, deprecated } = value
  const [media] = isObject(content) ? Object.values(content) : []
  const json = isObject(media)
  const made = standalone(json ? media['schema'] : schema, 'sent', LIMITS.input, parts)
  if (made === undefined) throw new Unfit('has a parameter that is too large for a tool')
  const text = textOf(description, LIMITS.note)
  return [
    {
      ...made,
      ...(text === undefined ? {} : { description: text }),
      ...(deprecated === true ? { deprecated: true } : {}),
    },
    json,
  ]
}

function writingOf(value: JsonObject, location: Placed['in']): Pick<Placed, 'style' | 'explode' | 'reserved'> {
  const fallback = STYLES[location][0] ?? 'simple'
  const style = STYLES[location].find((item) => item === value['style']) ?? fallback
  const explode = typeof value['explode'] === 'boolean' ? value['explode'] : style === 'form' || style === 'deepObject'
  return { style, explode, reserved: location === 'query' && value['allowReserved'] === true }
}

/** A name that clients take for an argument, and that no other has: `filter[name]` is `filter_name`. */
export function nameFor(name: string, { properties }: Pick<Taking, 'properties'>, prefix: string): string {
  const plain =
    name
      .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
      .replaceAll(/^_+(?=.)|(?<=.)_+$/g, '')
      .slice(0, 50) || prefix
  // A leading underscore is part of a name where nothing was replaced.
  const clean = /^[A-Za-z0-9_.-]{1,50}$/.test(name) ? name : plain
  if (!properties.has(clean)) return clean
  const apart = `${prefix}_${clean}`
  let free = apart
  for (let at = 2; properties.has(free); at++) free = `${apart}_${at}`
  return free
}
