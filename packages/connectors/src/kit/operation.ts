/** A route and the arguments of one call as an operation of the executor. */
import type { Body, Method, Operation, Placed } from '@toolway/contract/http-operation'
import { refusal } from './failure.ts'
import type { Json } from './tool.ts'

export interface RouteWords {
  readonly accept: string
  /** How lists are written in a query: as one value with commas, or by repetition. */
  readonly lists: 'comma' | 'repeat'
  /** `bytes` sends the argument `content`, in base64, as a file of the type `media`. */
  readonly body: 'json' | 'form' | 'multipart' | 'bytes'
  readonly media?: string
  /** A write without arguments sends `{}`; else it has no body. */
  readonly emptyBody?: boolean
  /** A DELETE sends its arguments in the body, as a few vendors want it. */
  readonly deleteBody?: boolean
}

const MEDIA = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  bytes: 'application/octet-stream',
} as const

export interface Compiled {
  readonly operation: Operation
  readonly arguments: Json
}

/**
 * `GET /repos/{owner}/{repo}`: names in braces go into the path, `{+path}` keeps its slashes. The other arguments go to the query,
 * for POST, PUT and PATCH to the body; `?name` after the path of a write names those that go to the query all the same.
 */
export function compile(route: string, input: Json, words: RouteWords): Compiled {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) if (value !== undefined) values[name] = value
  const own = route.includes('{+') ? spread(route, values) : route
  const of = compiled.get(words) ?? new Map<string, Operation>()
  compiled.set(words, of)
  const names = Object.keys(values)
  const key = `${own} ${names.join(' ')}`
  const operation = of.get(key) ?? operationOf(own, names, { ...words, name: route })
  if (of.size >= MOST_KEPT) of.clear()
  of.set(key, operation)
  return { operation, arguments: values }
}

/** An API's operations by route and names of arguments: which arguments are given decides what an operation places. */
const compiled = new WeakMap<RouteWords, Map<string, Operation>>()
const MOST_KEPT = 300

function operationOf(
  route: string,
  names: readonly string[],
  words: RouteWords & { readonly name: string },
): Operation {
  const [head = '', ...inQuery] = route.split('?')
  const [method, path] = head.split(' ') as [Method, string]
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? '')
  const rest = names.filter((name) => !inPath.includes(name))
  const writes = method !== 'GET' && (method !== 'DELETE' || words.deleteBody === true)
  const members = writes ? rest.filter((name) => !inQuery.includes(name)) : []
  const query = rest.filter((name) => !members.includes(name))
  return {
    name: words.name,
    method,
    path,
    placed: [
      ...inPath.map((name) => placed(name, 'path', words)),
      ...query.map((name) => placed(name, 'query', words)),
    ],
    body: members.length === 0 && !(writes && words.emptyBody === true) ? undefined : bodyOf(members, words),
    accept: words.accept,
    structured: false,
  }
}

const placed = (name: string, where: Placed['in'], { lists }: RouteWords): Placed => ({
  argument: name,
  name,
  in: where,
  style: where === 'path' ? 'simple' : 'form',
  explode: where === 'query' && lists === 'repeat',
  reserved: false,
  json: false,
})

const bodyOf = (members: readonly string[], { body, media }: RouteWords): Body => ({
  kind: body,
  media: media ?? MEDIA[body],
  required: true,
  whole: body === 'bytes' ? 'content' : undefined,
  members: members.map((name) => ({ argument: name, name, deep: false })),
})

/** Writes `{+path}` as one name for each part between slashes, since the executor encodes the slashes of a value. */
function spread(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{\+([^{}]+)\}/g, (_, name: string) => {
    const parts = String(values[name] ?? '')
      .split('/')
      .filter((part) => part !== '')
    if (parts.length === 0) throw refusal('INVALID_ARGUMENT', `${name} must not be empty: it is part of the URL.`)
    delete values[name]
    return parts
      .map((part, index) => {
        values[`${name}.${index}`] = part
        return `{${name}.${index}}`
      })
      .join('/')
  })
}
