/**
 * Five hundred tools to look for: the 358 of a source system's catalog under their real names, and beside them tools of services
 * that there are not, with the verbs and nouns that every such service has, so that what is wanted has neighbours.
 */
import { readFileSync } from 'node:fs'

interface CatalogTool {
  readonly name: string
  readonly effect: 'read' | 'write' | 'destructive'
  readonly about: string
  /** Names of parameters, the required ones with a `*` behind. */
  readonly takes: readonly string[]
}

interface CatalogConnector {
  readonly alias: string
  readonly title: string
  readonly tools: readonly CatalogTool[]
}

export interface Query {
  readonly query: string
  /** Any of these is what was meant. */
  readonly wanted: readonly string[]
}

export interface Definition {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: unknown }
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

export const QUERIES = read('./queries.json') as readonly Query[]

const NOUNS = ['deal', 'invoice', 'contact', 'order', 'shipment', 'contract', 'campaign', 'asset', 'survey']
const VERBS = [
  ['list', 'read'],
  ['get', 'read'],
  ['search', 'read'],
  ['create', 'write'],
  ['update', 'write'],
  ['assign', 'write'],
  ['archive', 'write'],
  ['delete', 'destructive'],
] as const
const INVENTED = ['crm', 'erp']

const invented = (alias: string): CatalogConnector => ({
  alias,
  title: alias.toUpperCase(),
  tools: NOUNS.flatMap((noun) =>
    VERBS.map(([verb, effect]) => ({
      name: `${verb}_${noun}`,
      effect,
      about: `${verb} one or more ${noun} records`,
      takes: verb === 'list' || verb === 'search' ? ['query', 'limit'] : ['id*', 'fields'],
    })),
  ),
})

export const CONNECTORS: readonly CatalogConnector[] = [
  ...(read('./catalog.json') as CatalogConnector[]),
  ...INVENTED.map(invented),
]

/** As its server lists it. */
export function definitionOf({ name, effect, about, takes }: CatalogTool): Definition {
  const names = takes.map((one) => one.replace('*', ''))
  return {
    name,
    description: about,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        names.map((one) => [one, { type: 'string', description: one.replaceAll('_', ' ') }]),
      ),
      required: takes.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1)),
    },
    annotations: { readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive' },
  }
}
