/**
 * A contract backend over real HTTP, with the addresses, shapes and failures of Curatore's: a redirect to the address with a slash,
 * `{contracts, total}`, facets as a bare list, 4xx with `detail`, 422 with a list of places, answers with `status`.
 *
 * It notes what it is sent. How it behaves is changed while it runs: by its `state`, or over HTTP where it is a process.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { contractPack, type Contract, type Fields } from './contracts.ts'
import { runFunction } from './functions.ts'
import { catalogOf, EMPTY, facetsOf, METADATA } from './metadata.ts'

/**
 * `failing`: 500 with detail; `refusing`: 422 with places; `forbidding`: 403 with detail; `failed`: 200 with a status that says so;
 * `dropping`: the connection breaks; `silent`: no answer; `nonsense`: no JSON; `page`: a proxy's 502 in HTML.
 */
export const MODES = [
  'well',
  'slow',
  'failing',
  'refusing',
  'forbidding',
  'failed',
  'dropping',
  'silent',
  'nonsense',
  'page',
] as const
export type Mode = (typeof MODES)[number]

export const PARTS = ['contracts', 'metadata', 'execute'] as const
export type Part = (typeof PARTS)[number]

export interface BackendRequest {
  readonly method: string
  /** As it came, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Fields | undefined
}

export interface BackendState {
  /** How each part of it behaves. */
  modes: Record<Part, Mode>
  /** Milliseconds of `slow`. */
  delay: number
  contracts: Contract[]
  facetShape: 'list' | 'object'
  /** Answers of functions instead of their own. */
  answers: Record<string, unknown>
  /** Bodies of functions, as they are sent. */
  texts: Record<string, string>
  /** Its own words for what it refuses and fails with. */
  detail: string
  readonly requests: BackendRequest[]
}

export interface ContractBackend extends AsyncDisposable {
  readonly url: string
  readonly state: BackendState
  /** Returns the requests to that part, oldest first. */
  asked(part: Part): readonly BackendRequest[]
}

export interface BackendOptions {
  readonly port?: number
  /** The required value of `X-API-Key`; undefined admits everyone. */
  readonly key?: string
  readonly base?: string
}

const MOST_NOTED = 10_000

const PATHS: Readonly<Record<Part, RegExp>> = {
  contracts: /^\/api\/v1\/cwr\/contracts\/?$/,
  metadata: /^\/api\/v1\/data\/metadata\/(catalog|facets)$/,
  execute: /^\/api\/v1\/cwr\/functions\/([^/]+)\/execute$/,
}
const partOf = (path: string): Part | undefined => PARTS.find((part) => PATHS[part].test(path))

export const createState = (): BackendState => ({
  modes: { contracts: 'well', metadata: 'well', execute: 'well' },
  delay: 200,
  contracts: contractPack(),
  facetShape: 'list',
  answers: {},
  texts: {},
  detail: 'Function execution failed: the database is away',
  requests: [],
})

export async function startContractBackend({
  port = 0,
  key,
  base = '',
}: BackendOptions = {}): Promise<ContractBackend> {
  const state = createState()
  const http = createServer((request, response) => {
    void serve({ state, key, base }, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${base}`,
    state,
    asked: (part) => state.requests.filter(({ path }) => PATHS[part].test(path.slice(base.length))),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      http.closeAllConnections()
      await closed
    },
  }
}

interface Serving {
  readonly state: BackendState
  readonly key: string | undefined
  readonly base: string
}

const say = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

async function serve({ state, key, base }: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://backend')
  const text = await textOf(request)
  if (url.pathname === '/_fake/state') return control(state, request.method, text, response)
  if (state.requests.length >= MOST_NOTED) state.requests.shift()
  const noted = note(request, url, text)
  state.requests.push(noted)
  const path = url.pathname.slice(base.length)
  const part = url.pathname.startsWith(base) ? partOf(path) : undefined
  if (key !== undefined && request.headers['x-api-key'] !== key)
    return void say(response, 401, { detail: 'Invalid or missing API key' }, { 'www-authenticate': 'ApiKey' })
  if (part === undefined) return void say(response, 404, { detail: 'Not Found' })
  // As the framework of the real one does with an address that has none.
  if (part === 'contracts' && !path.endsWith('/'))
    return void response.writeHead(307, { location: `${base}${path}/${url.search}` }).end()
  if (await behave(state, state.modes[part], response)) return
  const organization = METADATA[noted.query['org_id'] ?? 'acme'] ?? EMPTY
  if (part === 'contracts')
    return void say(response, 200, { contracts: state.contracts, total: state.contracts.length })
  if (part === 'metadata')
    return void say(
      response,
      200,
      path.endsWith('catalog') ? catalogOf(organization) : facetsOf(organization, state.facetShape),
    )
  execute(state, decodeURIComponent(PATHS.execute.exec(path)?.[1] ?? ''), noted, response)
}

const note = ({ method = '', headers }: IncomingMessage, url: URL, text: string): BackendRequest => ({
  method,
  path: url.pathname,
  query: Object.fromEntries(url.searchParams),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body: text === '' ? undefined : (JSON.parse(text) as Fields),
})

/** Whether that was the answer. */
async function behave({ delay, detail }: BackendState, mode: Mode, response: ServerResponse): Promise<boolean> {
  switch (mode) {
    case 'well':
      return false
    case 'slow':
      await pause(delay)
      return false
    case 'failing':
      say(response, 500, { detail })
      return true
    case 'refusing':
      say(response, 422, {
        detail: [{ type: 'int_parsing', loc: ['body', 'params', 'limit'], msg: detail, input: 'x' }],
      })
      return true
    case 'forbidding':
      say(response, 403, { detail })
      return true
    case 'failed':
      say(response, 200, {
        status: 'failed',
        message: `Failed: ${detail}`,
        data: null,
        error: detail,
        metadata: {},
        items_processed: 0,
        items_failed: 1,
        duration_ms: 5,
      })
      return true
    case 'dropping':
      response.destroy()
      return true
    case 'silent':
      return true
    case 'nonsense':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"contracts": [')
      return true
    case 'page':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
      return true
  }
}

function execute(state: BackendState, name: string, { body }: BackendRequest, response: ServerResponse): void {
  if (!state.contracts.some((one) => one.name === name))
    return void say(response, 404, { detail: `Function not found: ${name}` })
  if (Object.hasOwn(state.answers, name)) return void say(response, 200, state.answers[name])
  const raw = Object.hasOwn(state.texts, name) ? state.texts[name] : undefined
  if (raw !== undefined) return void response.writeHead(200, { 'content-type': 'application/json' }).end(raw)
  const outcome = runFunction(name, (body?.['params'] ?? {}) as Fields)
  const shared = { metadata: {}, items_processed: 0, items_failed: 0, duration_ms: 5 }
  if ('error' in outcome)
    return void say(response, 200, {
      status: 'failed',
      message: `Failed: ${outcome.error}`,
      data: null,
      error: outcome.error,
      ...shared,
    })
  say(response, 200, {
    status: 'success',
    message: outcome.message ?? 'Success',
    data: outcome.data,
    error: null,
    ...shared,
  })
}

/** `GET /_fake/state` tells, `POST` changes what is named: for a backend that is a process. */
function control(state: BackendState, method: string | undefined, text: string, response: ServerResponse): void {
  if (method === 'POST') {
    const { modes, ...rest } = JSON.parse(text) as Partial<BackendState>
    Object.assign(state.modes, modes)
    Object.assign(state, rest)
  }
  say(response, 200, state)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
