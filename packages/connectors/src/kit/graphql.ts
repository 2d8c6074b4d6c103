/**
 * Tools of a GraphQL API. A route names the fields on the way to what a tool reads, with their arguments and types:
 * `query team(id: String!).cycles(first: Int, after: String)`. The document is made from the route and the shape of the output.
 */
import type { Effect } from '@toolway/contract'
import type { FailureReader } from './failure.ts'
import { toolOf, type ApiParts, type Spec } from './make.ts'
import { compile } from './operation.ts'
import { relay } from './paging.ts'
import { bool, shape, type Shape } from './shape.ts'
import type { Inputs, Json, PageSize, Tool } from './tool.ts'

export interface GraphqlFacts {
  /** Without the path. */
  readonly base: string
  readonly path: string
  readonly size: PageSize
  readonly failures?: readonly FailureReader[]
}

type GraphqlRoute = `${'query' | 'mutation'} ${string}`
export type MakeGraphqlTool = <I extends Inputs = Record<never, never>>(
  route: GraphqlRoute,
  spec: Omit<Spec<I>, 'route' | 'at' | 'paging' | 'once' | 'each'>,
) => Tool

const SUCCESS = shape({ success: bool() })

export function graphql(facts: GraphqlFacts): Record<'read' | 'write' | 'destroy', MakeGraphqlTool> {
  const { base, path, size, failures = [] } = facts
  const maker =
    (effect: Effect): MakeGraphqlTool =>
    (route, spec) => {
      const { document, at } = documentOf(route, spec.list ?? spec.output ?? SUCCESS, spec.list !== undefined)
      const words = { accept: 'application/json', lists: 'repeat', body: 'json' } as const
      const api: ApiParts = {
        paging: relay(at, size),
        failures,
        request: (_, sent) => ({
          kind: 'api',
          base,
          ...compile(`POST ${path}`, { query: document, variables: withoutUnset(sent) }, words),
          headers: {},
          repeat: effect === 'read' ? 'read' : 'never',
        }),
      }
      const found = spec.list === undefined ? at : `${at}.nodes`
      return toolOf(effect, { output: SUCCESS, ...spec, at: found }, api)
    }
  return { read: maker('read'), write: maker('write'), destroy: maker('destructive') }
}

/** Members with a value: a null comparator is an error at some vendors. Nested objects too. */
export function withoutUnset(value: Json): Json {
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    if (item === undefined) return []
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [[name, item]]
    const inner = withoutUnset(item as Json)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(entries)
}

function documentOf(route: string, read: Shape, isList: boolean): { document: string; at: string } {
  const [kind = '', ...rest] = route.split(' ')
  const fields = [...rest.join(' ').matchAll(/(\w+)(?:\(([^)]*)\))?/g)].map(([, name = '', args = '']) => ({
    name,
    args: [...args.matchAll(/(\w+):\s*([\w![\]]+)/g)].map(([, arg = '', type = '']) => ({ arg, type })),
  }))
  const variables = fields.flatMap(({ args }) => args).map(({ arg, type }) => `$${arg}: ${type}`)
  const selected = selectionOf(read)
  const innermost = isList ? `{ nodes ${selected} pageInfo { hasNextPage endCursor } }` : selected
  const body = fields.reduceRight((inner, { name, args }) => {
    const passed = args.length === 0 ? '' : `(${args.map(({ arg }) => `${arg}: $${arg}`).join(', ')})`
    return `{ ${name}${passed} ${inner} }`
  }, innermost)
  const head = variables.length === 0 ? kind : `${kind}(${variables.join(', ')})`
  return { document: `${head} ${body}`, at: ['data', ...fields.map(({ name }) => name)].join('.') }
}

type Tree = Map<string, Tree>

function selectionOf(read: Shape): string {
  const tree: Tree = new Map()
  grow(tree, read)
  return printed(tree)
}

function grow(tree: Tree, { fields }: Shape): void {
  for (const [name, { path, inner }] of Object.entries(fields)) {
    let node = tree
    for (const step of (path ?? name).split('.')) {
      const key = step.replace(/\[\]$/, '')
      const next = node.get(key) ?? new Map()
      node.set(key, next)
      node = next
    }
    if (inner !== undefined) grow(node, inner)
  }
}

const printed = (tree: Tree): string =>
  `{ ${[...tree].map(([name, inner]) => (inner.size === 0 ? name : `${name} ${printed(inner)}`)).join(' ')} }`
