/** A vendor's OpenAPI description as a judge of requests and a source of answers. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import { isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Json } from '../../packages/connectors/src/index.ts'
import type { Wire } from './drive.ts'
import { resolved, sample, tidy, tidyMap } from './schema.ts'

/** A description of a vendor's API. */
export interface Description {
  /** Whether the request is for this API. */
  knows(request: Wire): boolean
  /** Everything that the vendor would not accept; empty is good. */
  problems(request: Wire): readonly string[]
  /** An answer to the request with all members, or with the required ones alone. */
  answer(request: Wire, all: boolean): unknown
}

interface Found {
  readonly operation: Json
  readonly params: readonly Json[]
  readonly inPath: Readonly<Record<string, string>>
}

export function openApiDescription(file: string): Description {
  const document = JSON.parse(readFileSync(file, 'utf8')) as Json
  const at = (value: unknown) => resolved(document, value)
  const check = checker(document)
  const bases = listOf(document['servers']).map((server) => String(at(server)['url']).replace(/\/$/, ''))
  const routes = Object.entries(at(document['paths'])).map(([path, item]) => routeOf(path, at(item)))
  routes.sort((a, b) => a.names.length - b.names.length || b.path.length - a.path.length)

  function find({ method, url }: Wire): Found | undefined {
    const path = pathBelow(bases, url)
    for (const route of path === undefined ? [] : routes) {
      const operation = route.item[method.toLowerCase()]
      const match = route.pattern.exec(path ?? '')
      if (match === null || !isJson(operation)) continue
      const params = [...listOf(route.item['parameters']), ...listOf(operation['parameters'])].map(at)
      return {
        operation,
        params,
        inPath: Object.fromEntries(route.names.map((name, index) => [name, match[index + 1] ?? ''])),
      }
    }
    return undefined
  }

  const mediaOf = (content: unknown): Json => {
    const types = Object.entries(at(content))
    return at(
      (types.find(([type]) => type === 'application/json') ??
        types.find(([type]) => /json/.test(type)) ??
        types[0])?.[1],
    )
  }

  return {
    knows: (request) => find(request) !== undefined,
    problems(request) {
      const found = find(request)
      if (found === undefined) return [`no operation ${request.method} ${request.url.pathname}`]
      const { operation, params, inPath } = found
      const schemaOf = (name: string, where: string) =>
        params.find((one) => one['in'] === where && one['name'] === name)?.['schema']
      const ofPath = Object.entries(inPath).flatMap(([name, value]) =>
        check.text(schemaOf(name, 'path'), decodeURIComponent(value), `path ${name}`),
      )
      return [
        ...ofPath,
        ...queryProblems(check, params, request.url),
        ...bodyProblems(check, at(operation['requestBody']), request, mediaOf),
      ]
    },
    answer(request, all) {
      const found = find(request)
      const responses = Object.entries(at(found?.operation['responses']))
      const [, response] = responses.find(([status]) => status.startsWith('2')) ?? []
      return sample(document, mediaOf(at(response)['content'])['schema'], all)
    },
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const escaped = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)

function routeOf(path: string, item: Json) {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '')
  // These span slashes.
  const inner = escaped(path).replaceAll(/\{([^}]+)\}/g, (_, name: string) => (name === 'path' ? '(.+)' : '([^/]+?)'))
  return { path, item, names, pattern: new RegExp(`^${inner}$`) }
}

function pathBelow(bases: readonly string[], url: URL): string | undefined {
  for (const base of bases) {
    const rest = new RegExp(`^${escaped(base).replaceAll(/\{[^}]+\}/g, '[^/]+')}(/.*)$`).exec(url.origin + url.pathname)
    if (rest?.[1] !== undefined) return rest[1]
  }
  return undefined
}

interface Checker {
  value(schema: unknown, value: unknown, closed: boolean): readonly string[]
  /** A text that stands for a value of another type. */
  text(schema: unknown, text: string, where: string): readonly string[]
}

function checker(document: Json): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, inlineRefs: false })
  const components = resolved(document, document['components'])['schemas']
  for (const closed of [false, true])
    ajv.addSchema({
      $id: closed ? 'closed' : 'open',
      components: { schemas: tidyMap(components, { closed, inside: false }) },
    })
  const compiled = new Map<unknown, ValidateFunction>()
  const value: Checker['value'] = (schema, given, closed) => {
    const known = compiled.get(schema) ?? ajv.compile(tidy(schema, { closed, inside: false }) as Json)
    compiled.set(schema, known)
    if (known(given)) return []
    return (known.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    )
  }
  return {
    value,
    text(schema, text, where) {
      if (schema === undefined || saysNothing(schema)) return []
      const number = text.trim() === '' ? Number.NaN : Number(text)
      const readings = [
        text,
        ...(Number.isNaN(number) ? [] : [number]),
        ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
        [text],
        text.split(','),
        text.split(',').map(Number),
      ]
      return readings.some((one) => value(schema, one, false).length === 0) ? [] : [`${where}: ${text} does not fit`]
    },
  }
}

/** `name[member]` is a member of a parameter that is an object. */
const deepObject = (known: ReadonlyMap<string, Json>, name: string): Json | undefined =>
  /\[\w+\]$/.test(name) ? known.get(name.replace(/\[\w+\]$/, '')) : undefined

/** Old descriptions write an object without members for texts of a query. */
const saysNothing = (schema: unknown): boolean =>
  isJson(schema) && (schema['type'] === 'object' ? schema['properties'] === undefined : saysNothing(schema['items']))

function queryProblems(check: Checker, params: readonly Json[], { searchParams }: URL): readonly string[] {
  const known = new Map(params.filter((one) => one['in'] === 'query').map((one) => [String(one['name']), one]))
  const given = [...searchParams].flatMap(([name, value]) => {
    if (deepObject(known, name) !== undefined) return []
    const param = known.get(name) ?? known.get(`${name}[]`)
    return param === undefined ? [`query ${name}: unknown`] : check.text(param['schema'], value, `query ${name}`)
  })
  const missing = [...known].filter(([name, one]) => one['required'] === true && !searchParams.has(name))
  return [...given, ...missing.map(([name]) => `query ${name}: missing`)]
}

function bodyProblems(
  check: Checker,
  described: Json,
  { body }: Wire,
  mediaOf: (content: unknown) => Json,
): readonly string[] {
  if (body === undefined) return described['required'] === true ? ['body: missing'] : []
  if (described['content'] === undefined) return ['body: none is accepted']
  const { schema } = mediaOf(described['content'])
  return schema === undefined ? [] : check.value(schema, body, true).map((problem) => `body ${problem}`)
}
