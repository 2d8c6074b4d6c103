/**
 * Puts the parts of a document that stand behind a reference into their places, where a reader expects the part itself.
 *
 * The containers of every version (`paths`, `components/schemas` …) may be one reference. In a document of 2.0 path items, operations,
 * parameters and answers of other files are put in place, too, since only what stands in place is carried over to 3.0. Schemas stay
 * behind their references.
 */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import { createReferences } from './references.ts'

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const

type Opening = (value: unknown) => unknown

export function openedInPlace(root: JsonObject): JsonObject {
  const { find } = createReferences(root)
  const open: Opening = (value) => {
    let end = value
    for (let step = 0; isObject(end) && typeof end['$ref'] === 'string' && step < 20; step++) {
      const found = find(end['$ref'])
      if (found === undefined) return value
      end = found
    }
    return end
  }
  const top = eachOf(root, open)
  if (isObject(top['components'])) top['components'] = eachOf(top['components'], open)
  if (root['swagger'] === undefined || !isObject(top['paths'])) return top
  for (const name of ['parameters', 'responses']) if (isObject(top[name])) top[name] = eachOf(top[name], open)
  return { ...top, paths: mapMembers(top['paths'], (item) => itemOf(open(item), open)) }
}

const mapMembers = (record: JsonObject, change: Opening): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)])) as JsonObject

const eachOf = (record: JsonObject, open: Opening): JsonObject => mapMembers(record, open)

function itemOf(item: unknown, open: Opening): unknown {
  if (!isObject(item)) return item
  const out: JsonObject = { ...item, ...parametersOf(item, open) }
  for (const method of METHODS) {
    const operation = open(item[method])
    if (isObject(operation)) out[method] = operationOf(operation, open)
  }
  return out
}

const operationOf = (operation: JsonObject, open: Opening): JsonObject => ({
  ...operation,
  ...parametersOf(operation, open),
  ...(isObject(operation['responses']) ? { responses: mapMembers(operation['responses'], open) } : {}),
})

const parametersOf = ({ parameters }: JsonObject, open: Opening): JsonObject =>
  Array.isArray(parameters) ? { parameters: parameters.map((parameter) => open(parameter)) as JsonObject[] } : {}
