/**
 * PATCH of a person (RFC 7644, section 3.5.2), also as Entra ID and Okta write it: operations in capitals, "True" and "False", a
 * filter in a path that matches no entry yet, values without a path whose names are paths.
 */
import { isDeepStrictEqual } from 'node:util'
import { matches, needed, readFilter, type Filter } from './filter.ts'
import { checkInput, checkName } from './input.ts'
import { refused } from './refuse.ts'
import { ENTERPRISE, isObject, MESSAGES, toBoolean, USER, type Attribute, type Json, type Schemas } from './schemas.ts'

export interface PatchStep {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string | undefined
  readonly value: unknown
}

const MOST_STEPS = 1_000
const STEPS: ReadonlySet<string> = new Set(['add', 'replace', 'remove'])

/** Throws `scim.refused`. */
export function stepsOf(body: Json): PatchStep[] {
  const entry = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1]
  if (!Array.isArray(body['schemas']) || !body['schemas'].includes(`${MESSAGES}PatchOp`))
    throw refused('invalidSyntax', 'the schema of a PATCH is missing')
  if (!Array.isArray(entry) || entry.length === 0) throw refused('invalidSyntax', 'there are no operations')
  if (entry.length > MOST_STEPS) throw refused('tooMany', `there are more than ${MOST_STEPS} operations`)
  return entry.map((step: unknown) => {
    const op = isObject(step) && typeof step['op'] === 'string' ? step['op'].toLowerCase() : ''
    if (!isObject(step) || !STEPS.has(op)) throw refused('invalidSyntax', 'an operation is not add, replace or remove')
    const { value } = step
    const path = step['path'] ?? undefined
    if (path !== undefined && typeof path !== 'string') throw refused('invalidPath', 'a path is not a text')
    if (op !== 'remove' && value === undefined) throw refused('invalidValue', 'an operation has no value')
    if (path !== undefined) checkName(path)
    checkInput(value)
    return { op: op as PatchStep['op'], path, value }
  })
}

interface Target {
  readonly schema: string
  readonly attribute: Attribute | undefined
  readonly filter: Filter | undefined
  readonly sub: string | undefined
}

const FORM = /^([A-Za-z$][\w$-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w$-]*))?$/

/** Throws `scim.refused`. */
function targetOf(schemas: Schemas, path: string): Target {
  const schema = path.toLowerCase().startsWith(ENTERPRISE.toLowerCase()) ? ENTERPRISE : USER
  const rest = path.toLowerCase().startsWith(schema.toLowerCase())
    ? path.slice(schema.length).replace(/^[:.]/, '')
    : path
  if (rest === '') return { schema, attribute: undefined, filter: undefined, sub: undefined }
  const [, name = '', filter, sub] = FORM.exec(rest) ?? []
  const attribute = schemas.attribute(schema, name)
  if (attribute === undefined) throw refused('invalidPath', `"${path.slice(0, 100)}" is not an attribute`)
  const known = sub === undefined ? undefined : subOf(attribute, sub)
  if (sub !== undefined && known === undefined)
    throw refused('invalidPath', `"${path.slice(0, 100)}" is not an attribute`)
  if (attribute.name === 'id' || attribute.name === 'meta' || attribute.name === 'groups')
    throw refused('mutability', `"${attribute.name}" cannot be changed`)
  return { schema, attribute, filter: filter === undefined ? undefined : readFilter(filter), sub: known?.name }
}

const subOf = (attribute: Attribute, name: string) =>
  attribute.subAttributes?.find((item) => item.name.toLowerCase() === name.toLowerCase())

/** The person as it is afterwards. Throws `scim.refused`. */
export function patched(schemas: Schemas, before: Json, steps: readonly PatchStep[]): Json {
  const after = structuredClone(before)
  for (const step of steps) apply(schemas, after, step)
  return after
}

function apply(schemas: Schemas, resource: Json, { op, path, value }: PatchStep): void {
  if (path !== undefined && path !== '' && path.toLowerCase() !== USER.toLowerCase())
    return change(resource, targetOf(schemas, path), op, value)
  if (op === 'remove') throw refused('noTarget', 'a removal names no path')
  if (!isObject(value)) throw refused('invalidValue', 'a value without a path is not an object')
  for (const [name, item] of Object.entries(value)) {
    if (name === 'schemas' || (name === 'id' && item === resource['id'])) continue
    change(resource, targetOf(schemas, name), op, item)
  }
}

function change(resource: Json, { schema, attribute, filter, sub }: Target, op: PatchStep['op'], value: unknown): void {
  const holder = schema === USER ? resource : extensionOf(resource)
  if (attribute === undefined) return changeExtension(resource, op, value)
  const { name } = attribute
  if (attribute.config.required === true) {
    if (op === 'remove') throw refused('mutability', `"${name}" cannot be removed`)
    // An empty value takes an attribute away, and a default in its place would let in whoever is suspended.
    if (value === null || value === '') throw refused('invalidValue', `"${name}" cannot be empty`)
  }
  if (attribute.config.multiValued === true) return changeEntries(holder, { attribute, filter, sub }, op, value)
  if (filter !== undefined) throw refused('invalidPath', `"${name}" has no entries to choose from`)
  if (attribute.type !== 'complex')
    return set(holder, name, op, attribute.type === 'boolean' ? toBoolean(value) : value)
  if (sub !== undefined) {
    const inner = isObject(holder[name]) ? holder[name] : {}
    set(inner, sub, op, value)
    holder[name] = inner
  } else if (op === 'remove' || value === null) delete holder[name]
  else holder[name] = { ...(isObject(holder[name]) ? holder[name] : {}), ...(isObject(value) ? value : { value }) }
}

/** An empty text takes a value away, as Okta and Entra mean it. */
function set(holder: Json, name: string, op: PatchStep['op'], value: unknown): void {
  if (op === 'remove' || value === null || value === '') delete holder[name]
  else holder[name] = value
}

function extensionOf(resource: Json): Json {
  const held = resource[ENTERPRISE]
  const extension = isObject(held) ? held : {}
  resource[ENTERPRISE] = extension
  return extension
}

function changeExtension(resource: Json, op: PatchStep['op'], value: unknown): void {
  if (op === 'remove') delete resource[ENTERPRISE]
  else if (!isObject(value)) throw refused('invalidValue', 'an extension is not an object')
  else Object.assign(extensionOf(resource), value)
}

type Entries = Pick<Target, 'filter' | 'sub'> & { readonly attribute: Attribute }

function changeEntries(holder: Json, { attribute, filter, sub }: Entries, op: PatchStep['op'], value: unknown): void {
  const { name } = attribute
  const entries = Array.isArray(holder[name]) ? (holder[name] as unknown[]) : []
  const chosen = filter === undefined ? entries : entries.filter((item) => matches(filter, item))
  const after = () => {
    if (op === 'remove') return without(entries, { chosen, filter, sub }, value)
    if (sub !== undefined || filter !== undefined) return rewritten(entries, { chosen, filter, sub }, op, value)
    const added = (Array.isArray(value) ? value : [value]).map((item: unknown) =>
      isObject(item) ? item : { value: item },
    )
    return op === 'replace' ? added : merged(entries, added)
  }
  const left = after()
  if (left.length === 0) delete holder[name]
  else holder[name] = left
}

interface Chosen {
  readonly chosen: readonly unknown[]
  readonly filter: Filter | undefined
  readonly sub: string | undefined
}

/** With a value, the entries that it names. */
function without(entries: readonly unknown[], { chosen, filter, sub }: Chosen, value: unknown): unknown[] {
  if (filter !== undefined && chosen.length === 0) return [...entries]
  if (sub !== undefined)
    return entries.flatMap((item) => {
      if (!chosen.includes(item) || !isObject(item)) return [item]
      const { [sub]: _, ...rest } = item
      return Object.keys(rest).length === 0 ? [] : [rest]
    })
  if (filter === undefined && Array.isArray(value))
    return entries.filter((item) => !value.some((gone: unknown) => isSame(item, gone)))
  return entries.filter((item) => !chosen.includes(item))
}

const isSame = (item: unknown, other: unknown): boolean =>
  isObject(item) && isObject(other) && item['value'] !== undefined
    ? item['value'] === other['value']
    : isDeepStrictEqual(item, other)

function rewritten(entries: readonly unknown[], { chosen, filter, sub }: Chosen, op: PatchStep['op'], value: unknown) {
  const words = (item: unknown): Json => {
    const before = isObject(item) ? item : {}
    if (sub !== undefined) return { ...before, [sub]: sub === 'primary' ? toBoolean(value) : value }
    return op === 'replace' && isObject(value) ? value : { ...before, ...(isObject(value) ? value : { value }) }
  }
  if (chosen.length > 0) return entries.map((item) => (chosen.includes(item) ? words(item) : item))
  // An entry that is not there yet begins with what its filter says of it.
  const said = needed(filter)
  if (filter !== undefined && (said.length === 0 || said.some(({ by }) => by !== 'eq')))
    throw refused('noTarget', 'no entry matches the filter of a path')
  return [...entries, words(Object.fromEntries(said.map(({ path, value: is }) => [path, is])))]
}

/** Of two entries that are primary, the new one is. */
function merged(entries: readonly unknown[], added: readonly Json[]): unknown[] {
  const fresh = added.filter((item) => !entries.some((other) => isDeepStrictEqual(item, other)))
  const primary = fresh.some(({ primary: is }) => toBoolean(is) === true)
  const before = entries.filter(
    (item) =>
      !fresh.some((other) => isObject(item) && item['value'] === other['value'] && item['type'] === other['type']),
  )
  return [...before.map((item) => (primary && isObject(item) ? { ...item, primary: false } : item)), ...fresh]
}
