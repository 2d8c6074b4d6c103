/**
 * Reads the entries of a server's lists: repaired where it is beyond doubt what was meant, left out with its reason where it is not. What
 * comes out is taken by every client; one malformed entry would cost them the whole list otherwise, of all connections.
 *
 * Sources: schema of MCP 2025-11-25 and 2026-07-28 (Tool, Resource, ResourceTemplate, Prompt); what the official clients check.
 */
import { eraOf, type Era, type Revision } from '../era.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import {
  withChanges,
  dropUnfit,
  kindName,
  leftOut,
  type Change,
  type Kind,
  type Repairs,
  readEntries,
  readMember,
  type Reader,
} from './repairs.ts'
import { problemOfSchema, readSchema } from './schema.ts'

export type Definition = 'tool' | 'resource' | 'template' | 'prompt'

export type ReadDefinition =
  | { readonly item: JsonObject; readonly repairs: readonly string[] }
  /** Why it is left out, as the rest of a sentence that begins with its name. */
  | { readonly reason: string }

const COMMON = { title: 'text', description: 'text', _meta: 'object', icons: 'list' } as const
const MEMBERS: Readonly<Record<Definition, Readonly<Record<string, Kind>>>> = {
  tool: { ...COMMON, annotations: 'object', execution: 'object' },
  resource: { ...COMMON, mimeType: 'text', size: 'number', annotations: 'object' },
  template: { ...COMMON, mimeType: 'text', annotations: 'object' },
  prompt: COMMON,
}
const HINTS = {
  title: 'text',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
} as const
const ICON = { mimeType: 'text', sizes: 'list', theme: 'text' } as const
const ARGUMENT = { title: 'text', description: 'text', required: 'boolean' } as const

/** `revision`: what the server speaks. */
export function readDefinition(kind: Definition, value: JsonObject, revision: Revision): ReadDefinition {
  const address = kind === 'resource' ? 'uri' : kind === 'template' ? 'uriTemplate' : undefined
  if (address !== undefined && !isText(value[address]))
    return { reason: `its ${address} is ${kindName(value[address])}` }
  const repairs: Repairs = []
  const item = address === undefined ? value : withName(value, String(value[address]), repairs)
  if (!isText(item['name'])) return { reason: `its name is ${kindName(item['name'])}` }
  const plain = withChanges(item, '', dropUnfit(item, MEMBERS[kind]), repairs)
  const iconed = readMember(plain, 'icons', readIcons, repairs)
  const noted = readMember(iconed, 'annotations', kind === 'tool' ? readHints : readAnnotations, repairs)
  if (kind === 'prompt') return { item: readMember(noted, 'arguments', readArguments, repairs), repairs }
  return kind === 'tool' ? readSchemas(noted, eraOf(revision), repairs) : { item: noted, repairs }
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''

/** A resource without a name has that of its address. */
function withName(item: JsonObject, address: string, repairs: Repairs): JsonObject {
  if (isText(item['name'])) return item
  return withChanges(
    item,
    '',
    [{ name: 'name', value: address, repair: 'was missing and is its address now' }],
    repairs,
  )
}

const readHints: Reader = (value, place, repairs) =>
  isObject(value) ? withChanges(value, place, dropUnfit(value, HINTS), repairs) : undefined

/** Of resources and of content (schema, Annotations). */
export const readAnnotations: Reader = (value, place, repairs) => {
  if (!isObject(value)) {
    repairs.push(`${place} ${leftOut(value, 'an object')}`)
    return undefined
  }
  const changes = dropUnfit(value, { audience: 'list', priority: 'number', lastModified: 'text' })
  const { audience, priority, lastModified } = value
  if (Array.isArray(audience) && !audience.every((role) => role === 'user' || role === 'assistant')) {
    const roles = audience.filter((role) => role === 'user' || role === 'assistant')
    changes.push({ name: 'audience', value: roles, repair: 'had entries other than user and assistant' })
  }
  if (typeof priority === 'number' && !(priority >= 0 && priority <= 1))
    changes.push({ name: 'priority', value: undefined, repair: 'was not between 0 and 1, and is left out' })
  if (typeof lastModified === 'string' && !TIME.test(lastModified))
    changes.push({ name: 'lastModified', value: undefined, repair: 'was no time as ISO 8601 has it, and is left out' })
  return withChanges(value, place, changes, repairs)
}

/** What clients take: date, time and zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

export const readIcons: Reader = (value, place, repairs) =>
  readEntries(value, place, repairs, (icon, at) => {
    if (!isObject(icon) || !isText(icon['src'])) return undefined
    const changes = dropUnfit(icon, ICON)
    if (Array.isArray(icon['sizes']) && !icon['sizes'].every((size) => typeof size === 'string'))
      changes.push({ name: 'sizes', value: undefined, repair: 'had entries that are no texts, and is left out' })
    if (typeof icon['theme'] === 'string' && icon['theme'] !== 'light' && icon['theme'] !== 'dark')
      changes.push({ name: 'theme', value: undefined, repair: 'was neither light nor dark, and is left out' })
    return withChanges(icon, at, changes, repairs)
  })

const readArguments: Reader = (value, place, repairs) => {
  if (!Array.isArray(value)) {
    repairs.push(`${place} ${leftOut(value, 'a list')}`)
    return undefined
  }
  return readEntries(value, place, repairs, (argument, at) =>
    isObject(argument) && isText(argument['name'])
      ? withChanges(argument, at, dropUnfit(argument, ARGUMENT), repairs)
      : undefined,
  )
}

const TASKS: ReadonlySet<Json | undefined> = new Set([undefined, 'required', 'optional', 'forbidden'])

function readSchemas(tool: JsonObject, era: Era, repairs: Repairs): ReadDefinition {
  const input = readInput(tool['inputSchema'], repairs)
  if (typeof input === 'string') return { reason: input }
  const changes: Change[] = []
  const { execution, outputSchema: output } = tool
  if (isObject(execution) && !TASKS.has(execution['taskSupport']))
    changes.push({ name: 'execution', value: undefined, repair: 'has a taskSupport that is none, and is left out' })
  const plain = withChanges(tool, '', changes, repairs)
  const withInput = input === tool['inputSchema'] ? plain : { ...plain, inputSchema: input }
  if (output === undefined) return { item: withInput, repairs }
  const read = readOutput(output, era, repairs)
  if (read === output) return { item: withInput, repairs }
  const { outputSchema: _, ...rest } = withInput
  return { item: read === undefined ? rest : { ...withInput, outputSchema: read }, repairs }
}

/** The schema of the arguments, which are an object; or why there is none. */
function readInput(input: Json | undefined, repairs: Repairs): JsonObject | string {
  if (input === undefined || input === null || input === true || (Array.isArray(input) && input.length === 0)) {
    repairs.push(`inputSchema was ${kindName(input)} and takes any object now`)
    return { type: 'object' }
  }
  if (!isObject(input)) return `its inputSchema is ${kindName(input)}, not an object`
  const { type } = input
  const isObjectOr = Array.isArray(type) && type.includes('object')
  if (type !== undefined && type !== null && type !== 'object' && !isObjectOr)
    return `its inputSchema is not of an object: its type is ${typeof type === 'string' ? type : kindName(type)}`
  const read = readSchema(input, 'inputSchema', repairs)
  return withoutBooleans(typedObject(read, 'inputSchema', repairs), 'inputSchema', repairs)
}

function typedObject(schema: JsonObject, place: string, repairs: Repairs): JsonObject {
  if (schema['type'] === 'object') return schema
  const change = { name: 'type', value: 'object', repair: 'was not "object" and is now' }
  return withChanges({ type: 'object', ...schema }, place, [change], repairs)
}

/** Clients want an object for each argument: `true` allows everything, `false` nothing. */
function withoutBooleans(schema: JsonObject, place: string, repairs: Repairs): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const changes = Object.entries(properties).flatMap(([name, member]) =>
    typeof member === 'boolean'
      ? [{ name, value: member ? {} : { not: {} }, repair: `was ${member} and is the same as an object now` }]
      : [],
  )
  const made = withChanges(properties, `${place}/properties`, changes, repairs)
  return made === properties ? schema : { ...schema, properties: made }
}

/** Without it a result is not described, and comes all the same. */
function readOutput(value: Json, era: Era, repairs: Repairs): JsonObject | undefined {
  if (!isObject(value)) {
    repairs.push(`outputSchema ${leftOut(value, 'an object')}`)
    return undefined
  }
  const read = readSchema(value, 'outputSchema', repairs)
  const problem = problemOfSchema(read)
  if (problem !== undefined) {
    repairs.push(`outputSchema ${problem}, and is left out`)
    return undefined
  }
  // Clients compile all schemas together, and two of one name end that.
  const unnamed = withChanges(read, 'outputSchema', read['$id'] === undefined ? [] : [UNNAMED], repairs)
  // Before 2026-07-28 a structured result is an object.
  const typed =
    era === 'legacy' && unnamed['type'] === undefined ? typedObject(unnamed, 'outputSchema', repairs) : unnamed
  return typed['type'] === 'object' ? withoutBooleans(typed, 'outputSchema', repairs) : typed
}

const UNNAMED: Change = { name: '$id', value: undefined, repair: 'is left out' }
