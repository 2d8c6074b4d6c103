/**
 * Resolves `$ref` within one document and nowhere else: JSON Pointers, anchors, and the `$id` of schemas in it.
 *
 * Nothing is ever fetched. A reference outside the document is not found, and its schema cannot be used.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { Draft } from './draft.ts'

/** Stands for the address of a document that has none. */
const HERE = 'schema:///'
/** Values that only look like schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example'])

export interface Referred {
  readonly schema: Json
  /** The address that references in it are relative to. */
  readonly base: string
}

export interface References {
  readonly base: string
  /** The address within a schema, which may bring one of its own. */
  baseIn(schema: Json, base: string): string
  find(reference: string, base: string): Referred | undefined
}

export function createReferences(root: JsonObject, draft: Draft): References {
  const resources = new Map<string, Json>([[HERE, root]])
  const anchors = new Map<string, Referred>()

  function baseIn(schema: Json, base: string): string {
    if (!isObject(schema)) return base
    const id = schema['$id'] ?? (draft === 'draft-07' ? schema['id'] : undefined)
    // In draft-07, an identifier that is a fragment only is an anchor.
    if (typeof id !== 'string' || id.startsWith('#')) return base
    return plainAddress(id, base) ?? base
  }

  function learnNames(schema: JsonObject, base: string): void {
    for (const name of [schema['$anchor'], schema['$dynamicAnchor'], schema['$id'], schema['id']]) {
      if (typeof name !== 'string') continue
      const anchor = name.startsWith('#') ? name.slice(1) : name
      if (/^[\w.-]+$/.test(anchor) && !anchors.has(`${base}#${anchor}`))
        anchors.set(`${base}#${anchor}`, { schema, base })
    }
  }

  const first = baseIn(root, HERE)
  resources.set(first, root)
  const open: { value: Json; base: string }[] = [{ value: root, base: HERE }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value } = next
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, base: next.base })
    if (!isObject(value)) continue
    const base = baseIn(value, next.base)
    if (base !== next.base && !resources.has(base)) resources.set(base, value)
    learnNames(value, base)
    for (const [name, member] of Object.entries(value))
      if (!DATA.has(name) && typeof member === 'object') open.push({ value: member, base })
  }

  function byPointer(start: Json, pointer: string, base: string): Referred | undefined {
    let at = start
    let here = base
    for (const token of pointer.split('/').slice(1)) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
      at = (at as JsonObject)[key] ?? null
      here = baseIn(at, here)
    }
    return { schema: at, base: here }
  }

  return {
    base: HERE,
    baseIn,
    find(reference, base) {
      const mark = reference.indexOf('#')
      const address = mark === -1 ? reference : reference.slice(0, mark)
      const fragment = mark === -1 ? '' : decodedOrUndefined(reference.slice(mark + 1))
      const resourceAddress = address === '' ? base : plainAddress(address, base)
      if (resourceAddress === undefined || fragment === undefined) return undefined
      if (fragment !== '' && !fragment.startsWith('/')) return anchors.get(`${resourceAddress}#${fragment}`)
      const resource = resources.get(resourceAddress)
      return resource === undefined ? undefined : byPointer(resource, fragment, resourceAddress)
    },
  }
}

function plainAddress(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined
  const url = new URL(reference, base)
  url.hash = ''
  return url.href
}

function decodedOrUndefined(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
