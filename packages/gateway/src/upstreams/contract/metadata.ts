/**
 * Reads the facets of an organization at a contract backend, and the fields of its namespaces, from the backend's two endpoints,
 * in all formats that backends and gateways of this kind use. An unknown format is refused, so that no value bypasses the check
 * (ledger S1-FAC-06).
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json } from '@toolway/protocol'

export interface Metadata {
  /** The operators that each facet supports; undefined where the backend does not say. */
  readonly facets: ReadonlyMap<string, ReadonlySet<string> | undefined>
  readonly namespaces: ReadonlyMap<string, ReadonlySet<string>>
}

/** Throws `contract.malformed`. */
export function readMetadata(catalog: Json, facets: Json, connection: string): Metadata {
  const refuse = (problem: string) => new Fault('contract.malformed', { connection, problem })
  const named = isObject(facets) ? facets['facets'] : facets
  if (!Array.isArray(named)) throw refuse('its facets are not a list')
  if (!isObject(catalog)) throw refuse('its metadata catalog is not an object')
  const namespaces = namespacesOf(catalog['namespaces'])
  if (namespaces === undefined) throw refuse('its metadata catalog has no namespaces')
  const known = new Map<string, ReadonlySet<string> | undefined>()
  for (const facet of named) {
    const name = nameOf(facet, 'facet_name')
    if (name === undefined) throw refuse('a facet has no name')
    known.set(name, operatorsOf(facet))
  }
  return { facets: known, namespaces }
}

/** A list of namespaces with lists of fields, or either as an object by name. */
function namespacesOf(input: Json | undefined): Map<string, ReadonlySet<string>> | undefined {
  const entries = entriesOf(input, 'namespace')
  return entries === undefined
    ? undefined
    : new Map(entries.map(([name, value]) => [name, new Set(fieldsOf(value).map(([field]) => field))]))
}

const fieldsOf = (namespace: Json): [string, Json][] =>
  entriesOf(isObject(namespace) && 'fields' in namespace ? namespace['fields'] : namespace, 'field_name') ?? []

function entriesOf(input: Json | undefined, member: string): [string, Json][] | undefined {
  if (Array.isArray(input))
    return input.flatMap((value): [string, Json][] => {
      const name = nameOf(value, member)
      return name === undefined ? [] : [[name, value]]
    })
  return isObject(input) ? Object.entries(input) : undefined
}

function nameOf(value: Json, member: string): string | undefined {
  if (typeof value === 'string') return value
  if (!isObject(value)) return undefined
  const name = value[member] ?? value['name']
  return typeof name === 'string' && name !== '' ? name : undefined
}

function operatorsOf(facet: Json): ReadonlySet<string> | undefined {
  const operators = isObject(facet) ? facet['operators'] : undefined
  return Array.isArray(operators) && operators.length > 0 ? new Set(operators.map(String)) : undefined
}
