/**
 * A vendor's server as its published description says it is: it takes only what the description takes, validated by another reader of
 * it than ours (ajv), and answers by its examples. It can fail in the ways that such servers do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

// oxlint-disable-next-line typescript/no-explicit-any -- a document as its vendor wrote it
type Any = any

export interface Heard {
  readonly method: string
  readonly path: string
  readonly query: readonly [string, string][]
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The server's behaviour instead of its answer, for the next request. */
export type Failure =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }
  | 'cut'
  | 'silent'

export interface OpenApiDouble extends AsyncDisposable {
  readonly url: string
  /** Where it publishes its description. */
  readonly document: string
  readonly heard: Heard[]
  /** In this order, one for each request. */
  readonly next: Failure[]
  /** Serve another description from now on. */
  publish(text: string): void
  /** The required credential. A request without it is refused with 401 and a challenge. */
  wants: { header: string; value: string } | { query: string; value: string } | undefined
}

export async function startDouble(text: string, prefix = ''): Promise<OpenApiDouble> {
  let evaluate = createEvaluator(JSON.parse(text))
  let published = text
  const heard: Heard[] = []
  const next: Failure[] = []

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://double')
    if (url.pathname === '/openapi.json')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(published)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = url.pathname.slice(prefix.length)
    const one: Heard = {
      method: request.method ?? '',
      path,
      query: [...url.searchParams],
      headers: request.headers,
      body,
    }
    heard.push(one)
    const failure = next.shift()
    if (failure === 'cut') return void request.socket.destroy()
    if (failure === 'silent') return
    if (failure !== undefined) return void response.writeHead(failure.status, failure.headers).end(failure.body ?? '')
    if (!isLetIn(double.wants, one))
      return void response
        .writeHead(401, { 'www-authenticate': 'Bearer realm="double"' })
        .end('{"message":"Bad credentials"}')
    const { status, answer } = evaluate(one)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(answer === undefined ? '' : JSON.stringify(answer))
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const double: OpenApiDouble = {
    url: origin + prefix,
    document: `${origin}/openapi.json`,
    heard,
    next,
    wants: undefined,
    publish(given) {
      published = given
      evaluate = createEvaluator(JSON.parse(given))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
  return double
}

function isLetIn(wants: OpenApiDouble['wants'], { headers, query }: Heard): boolean {
  if (wants === undefined) return true
  if ('query' in wants) return query.some(([name, value]) => name === wants.query && value === wants.value)
  return headers[wants.header] === wants.value
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head']

function createEvaluator(document: Any) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    coerceTypes: 'array',
    validateFormats: false,
    logger: false,
  })
  ajv.addSchema({ $id: 'doc', components: translated(document.components ?? {}) })
  const compiled = new Map<Any, ValidateFunction>()
  const open = (one: Any): Any => (typeof one?.$ref === 'string' ? open(at(document, one.$ref)) : one)
  const check = (schema: Any, value: unknown): string | undefined => {
    let validate = compiled.get(schema)
    if (validate === undefined) {
      validate = ajv.compile({ type: 'object', properties: { value: translated(schema) } })
      compiled.set(schema, validate)
    }
    return validate({ value: structuredClone(value) }) ? undefined : ajv.errorsText(validate.errors)
  }
  const routes = Object.entries<Any>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      method: method.toUpperCase(),
      names: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name),
      matches: new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`),
      operation: item[method],
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(open),
    })),
  )
  routes.sort((one, other) => one.names.length - other.names.length)

  return ({ method, path, query, body, headers }: Heard): { status: number; answer: unknown } => {
    const route = routes.find((one) => one.method === method && one.matches.test(path))
    if (route === undefined) return { status: 404, answer: { message: `no operation at ${method} ${path}` } }
    const problems: string[] = []
    const inPath = route.matches.exec(path)?.slice(1).map(decodeURIComponent) ?? []
    const said = new Map<string, string[]>()
    for (const [name, value] of query) said.set(name, [...(said.get(name) ?? []), value])
    for (const parameter of route.parameters) {
      const { name, in: place, required, schema } = parameter
      if (place === 'path') problems.push(...wordOf(name, check(schema, inPath[route.names.indexOf(name)])))
      if (place !== 'query') continue
      const values = said.get(name)
      said.delete(name)
      if (values === undefined && required === true) problems.push(`${name} is missing`)
      if (values !== undefined && schema !== undefined && parameter.style === undefined)
        problems.push(...wordOf(name, check(schema, open(schema).type === 'array' ? values : values[0])))
    }
    problems.push(...[...said.keys()].map((name) => `${name} is not known`))
    const described = open(route.operation.requestBody)
    const media = headers['content-type']?.split(';')[0] ?? ''
    if (described?.required === true && body === '') problems.push('the body is missing')
    if (described === undefined && body !== '') problems.push('there is no body')
    const schema = described?.content?.[media]?.schema
    if (body !== '' && described !== undefined && schema === undefined) problems.push(`${media} is not taken`)
    if (body !== '' && schema !== undefined) problems.push(...wordOf('body', check(schema, valueOf(media, body))))
    if (problems.length > 0) return { status: 422, answer: { message: 'Validation Failed', errors: problems } }
    const [code = '200', given] =
      Object.entries<Any>(route.operation.responses).find(([one]) => one.startsWith('2')) ?? []
    const content = open(given)?.content?.['application/json']
    const [example] = Object.values<Any>(content?.examples ?? {})
    return {
      status: Number(code),
      answer: content === undefined ? undefined : (open(example)?.value ?? content.example ?? {}),
    }
  }
}

function valueOf(media: string, body: string): unknown {
  if (media.includes('json')) return JSON.parse(body)
  return media.includes('form') ? Object.fromEntries(new URLSearchParams(body)) : body
}

const wordOf = (name: string, problem: string | undefined) => (problem === undefined ? [] : [`${name}: ${problem}`])

const at = (document: Any, ref: string): Any => {
  let value = document
  for (const part of ref.slice(2).split('/')) value = value?.[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  return value
}

/** A schema of 3.0 as ajv reads it; read-only members are not asked of whoever sends. */
function translated(schema: Any): Any {
  if (Array.isArray(schema)) return schema.map(translated)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, discriminator: _, example: __, examples: ___, $ref, id, ...rest } = schema
  const out: Any = Object.fromEntries(
    Object.entries(rest).map(([key, one]) => [key, key === 'enum' || key === 'default' ? one : translated(one)]),
  )
  if (typeof id === 'object') out.id = translated(id)
  if ($ref !== undefined) out.$ref = String($ref).replace(/^#/, 'doc#')
  if (out.properties !== undefined && Array.isArray(out.required))
    out.required = out.required.filter((name: string) => schema.properties?.[name]?.readOnly !== true)
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (typeof out[flag] === 'boolean') {
      if (out[flag]) out[flag] = out[bound]
      else delete out[flag]
    }
  return nullable === true ? { anyOf: [out, { type: 'null' }] } : out
}
