/**
 * Whether the filters of a call name facets and fields that there are (ledger S1-FAC-03 to -05). Pure.
 *
 * Models make names up, and a backend that ignores what it does not know would answer as if it had filtered. A filter is
 * `{facet: value}`, or `{namespace: {field: value}}`, or `{"namespace.field": value}`; a value may say how it is meant:
 * `{facet: {in: […]}}`.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { nearestNames } from '../../lib/nearest-names.ts'
import type { Metadata } from './metadata.ts'

export interface FacetProblem {
  /** JSON Pointer into the arguments. */
  readonly path: string
  readonly message: string
}

const FILTERS = 'facet_filters'
const MOST_PROBLEMS = 20
const MOST_NAMED = 5
const MOST_SHOWN = 100

/** Whether there is anything to check, wherever in the arguments it stands. */
export const hasFacets = (value: Json): boolean => {
  if (Array.isArray(value)) return value.some(hasFacets)
  if (!isObject(value)) return false
  return Object.entries(value).some(([key, item]) => (key === FILTERS && item !== null) || hasFacets(item))
}

export function facetProblems(value: JsonObject, metadata: Metadata): FacetProblem[] {
  const problems: FacetProblem[] = []
  walk(value, '', (filters, path) => {
    for (const problem of problemsOf(filters, path, metadata)) {
      // Each looks for what was meant: a caller that makes up thousands is told of some.
      if (problems.length >= MOST_PROBLEMS) return
      problems.push(problem)
    }
  })
  return problems
}

function walk(value: Json, path: string, found: (filters: Json, path: string) => void): void {
  if (Array.isArray(value)) value.forEach((item, at) => walk(item, `${path}/${at}`, found))
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      const itemPath = `${path}/${pointerStep(key)}`
      if (key !== FILTERS) walk(item, itemPath, found)
      else if (item !== null) found(item, itemPath)
    }
}

function* problemsOf(filters: Json, path: string, metadata: Metadata): Generator<FacetProblem> {
  if (!isObject(filters)) yield { path, message: 'must be an object of facets and their values' }
  else for (const [name, value] of Object.entries(filters)) yield* problemsOfOne(name, value, path, metadata)
}

function* problemsOfOne(name: string, value: Json, path: string, metadata: Metadata): Generator<FacetProblem> {
  const { facets, namespaces } = metadata
  const itemPath = `${path}/${pointerStep(name)}`
  const [fields, operators] = [namespaces.get(name), facets.get(name)]
  if (fields !== undefined && isObject(value)) {
    for (const field of Object.keys(value))
      if (!fields.has(field) && operators?.has(field) !== true)
        yield noField(`${itemPath}/${pointerStep(field)}`, field, name, fields)
    return
  }
  if (facets.has(name)) {
    if (!isObject(value) || operators === undefined) return
    for (const operator of Object.keys(value))
      if (!operators.has(operator))
        yield {
          path: `${itemPath}/${pointerStep(operator)}`,
          message: `"${short(operator)}" is not a way to filter by ${short(name)}${nearestOrSome(operator, operators)}`,
        }
    return
  }
  const dot = name.indexOf('.')
  const namespace = dot > 0 ? name.slice(0, dot) : ''
  const within = namespaces.get(namespace)
  if (within !== undefined) {
    const field = name.slice(dot + 1)
    if (!within.has(field)) yield noField(itemPath, field, namespace, within)
    return
  }
  if (fields !== undefined)
    yield { path: itemPath, message: `must be an object of fields of ${short(name)}${nearestOrSome('', fields)}` }
  else
    yield {
      path: itemPath,
      message: `"${short(name)}" is neither a facet nor a namespace${nearestOrSome(name, [...facets.keys(), ...namespaces.keys()])}`,
    }
}

const noField = (path: string, field: string, namespace: string, fields: ReadonlySet<string>): FacetProblem => ({
  path,
  message: `"${short(field)}" is not a field of ${short(namespace)}${nearestOrSome(field, fields)}`,
})

/** Returns the nearest names, else some of the existing ones. */
function nearestOrSome(name: string, known: Iterable<string>): string {
  const all = [...known]
  if (all.length === 0) return '; there are none here'
  const close = nearestNames(name, all)
  const quotedNames = (names: readonly string[]) => names.map((value) => `"${short(value)}"`).join(', ')
  return close.length === 0
    ? `; there are ${quotedNames(all.slice(0, MOST_NAMED))}`
    : `; did you mean ${quotedNames(close)}?`
}

const short = (name: string): string => (name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name)

/** A step of a JSON Pointer (RFC 6901). */
const pointerStep = (key: string): string => short(key).replaceAll('~', '~0').replaceAll('/', '~1')
