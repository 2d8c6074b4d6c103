/**
 * The requests to the proxy (source system Uru, sections 1.4 and 1.5). The key goes with each of them as a bearer token, and to no other
 * address: redirects are not followed.
 */
import { ProtocolError } from '@modelcontextprotocol/server'
import { VERSION } from './version.ts'

export interface Namespace {
  readonly name: string
  readonly displayName: string
  readonly app: string
  readonly accountId: string | undefined
  readonly serverId: string | undefined
  readonly status: string
}

export interface ProxyTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** `{data, successful, error, log_id}`; older proxies say `success`. */
export interface Executed {
  readonly data: unknown
  readonly successful: boolean
  readonly error: string | undefined
  readonly code: string | undefined
  readonly logId: string | undefined
  /** The page on which a person has to act first, by the proxy's own word (`x-toolway-link`). */
  readonly link: string | undefined
}

export interface Asking {
  readonly key: string | undefined
  readonly signal: AbortSignal
  /** The trace context of the caller, as headers. */
  readonly trace?: Readonly<Record<string, string>>
}

export interface Proxy {
  health(asking: Asking): Promise<void>
  apps(asking: Asking): Promise<readonly string[]>
  /** All accounts, at least as new as `version`. */
  namespaces(asking: Asking, version?: number): Promise<readonly Namespace[]>
  tools(app: string, asking: Asking): Promise<readonly ProxyTool[]>
  /** Undefined where nothing changed since `etag`. */
  version(etag: string | undefined, asking: Asking): Promise<{ etag: string | undefined; version: number } | undefined>
  execute(slug: string, parameters: object, namespace: Namespace, asking: Asking): Promise<Executed>
}

export interface ProxyParts {
  readonly url: URL
  /** Milliseconds for one request; a list has at most `LIST_TIMEOUT`. */
  readonly timeout: number
  debug(line: string): void
}

/** The errors of the published package by the status of the proxy. */
const CODES: Readonly<Record<number, number>> = { 400: -32_602, 401: -32_001, 403: -32_002, 404: -32_601 }
const UNREACHED = -32_003
const OTHER = -32_000
const ADVICE: Readonly<Record<number, string>> = {
  401: 'Check URU_API_KEY in the configuration of your client: the key is missing, mistyped or revoked. `uru-mcp --test` tries it.',
  403: 'The key is not allowed to do this. Ask an administrator for one that is.',
  404: 'List the tools again: this app or tool no longer exists.',
}

const LIST_TIMEOUT = 30_000
/** A proxy that is still loading is asked again. Milliseconds. */
const LOADING = { tries: 3, least: 200, most: 5_000 }
const MOST_BYTES = 64 * 1024 * 1024

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

interface Sent {
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly timeout?: number
}

export const createProxy = (parts: ProxyParts): Proxy => new HttpProxy(parts)

class HttpProxy implements Proxy {
  readonly #parts: ProxyParts
  readonly #base: string

  constructor(parts: ProxyParts) {
    this.#parts = parts
    this.#base = parts.url.href.replace(/\/+$/, '')
  }

  async health(asking: Asking) {
    await this.#read('/health', asking)
  }

  async apps(asking: Asking) {
    const body = await this.#read('/list/apps', asking)
    if (!Array.isArray(body)) throw malformedResponse('/list/apps')
    return body.flatMap((app: unknown) => textIn(isFields(app) ? app['name'] : app) ?? [])
  }

  async namespaces(asking: Asking, version?: number) {
    const path = version === undefined ? '/namespaces' : `/namespaces?min_version=${version}`
    const body = await this.#whenLoaded(path, asking)
    const listed = isFields(body) ? body['namespaces'] : body
    if (!Array.isArray(listed)) throw malformedResponse('/namespaces')
    return listed.flatMap((value: unknown) => namespaceOf(value))
  }

  async tools(app: string, asking: Asking) {
    const path = `/list/apps/${encodeURIComponent(app)}/tools`
    const body = await this.#read(path, asking)
    const listed = isFields(body) ? body['tools'] : body
    if (!Array.isArray(listed)) throw malformedResponse(path)
    return listed.flatMap((value: unknown) => toolOf(value))
  }

  async version(etag: string | undefined, asking: Asking) {
    const path = '/tools/sync/version'
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag }
    const answer = await this.#send({ path, headers }, asking)
    if (answer.status === 304) return undefined
    if (answer.status >= 300) throw errorOf(answer.status, answer.body)
    const version = isFields(answer.body) ? Number(answer.body['version']) : Number.NaN
    if (!Number.isFinite(version)) throw malformedResponse(path)
    return { etag: answer.headers.get('etag') ?? undefined, version }
  }

  async execute(slug: string, parameters: object, { name, accountId, serverId }: Namespace, asking: Asking) {
    const account = accountId === undefined ? {} : { _connected_account_id: accountId }
    const server = serverId === undefined ? {} : { _server_id: serverId }
    const { status, body, headers } = await this.#send(
      {
        path: `/execute/${encodeURIComponent(slug)}`,
        timeout: this.#parts.timeout,
        body: { ...parameters, _app_context: name, ...account, ...server },
        headers: {
          'x-app-context': name,
          ...(accountId === undefined ? {} : { 'x-connected-account-id': accountId }),
          ...(serverId === undefined ? {} : { 'x-server-id': serverId }),
        },
      },
      asking,
    )
    const link = headers.get('x-toolway-link') ?? undefined
    if (status >= 300) throw errorOf(status, body, link)
    return { ...executedOf(body), link }
  }

  async #read(path: string, asking: Asking): Promise<unknown> {
    const { status, body } = await this.#send({ path }, asking)
    if (status < 300) return body
    throw errorOf(status, body)
  }

  async #whenLoaded(path: string, asking: Asking): Promise<unknown> {
    for (let tried = 1; ; tried++) {
      const { status, body } = await this.#send({ path }, asking)
      if (status < 300) return body
      const loading = status === 409 && isFields(body) && body['code'] === 'TOOLS_NOT_READY'
      if (!loading || tried >= LOADING.tries) throw errorOf(status, body)
      const wait = Number(body['retry_after_ms'] ?? LOADING.least)
      const milliseconds = Number.isFinite(wait) ? wait : LOADING.least
      await pause(Math.min(LOADING.most, Math.max(LOADING.least, milliseconds)), asking.signal)
    }
  }

  async #send({ path, body, headers = {}, timeout: most = LIST_TIMEOUT }: Sent, { key, signal, trace }: Asking) {
    const { url, timeout, debug } = this.#parts
    const began = Date.now()
    const patience = Math.min(most, timeout)
    try {
      const answer = await fetch(`${this.#base}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
        headers: { ...headersFor(key, body), ...trace, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await textOf(answer)
      debug(`${body === undefined ? 'GET' : 'POST'} ${path} ${answer.status} in ${Date.now() - began} ms`)
      // A proxy may repeat what it was sent where it complains.
      const hidden = key === undefined ? text : text.replaceAll(key, '[key]')
      return { status: answer.status, headers: answer.headers, body: parseOrUndefined(hidden) }
    } catch (thrown) {
      if (thrown instanceof ProtocolError || signal.aborted) throw thrown
      const late = thrown instanceof Error && thrown.name === 'TimeoutError'
      debug(`${path} failed: ${late ? 'timeout' : 'no connection'}`)
      throw new ProtocolError(UNREACHED, late ? tooLate(patience) : unreachableProxy(url))
    }
  }
}

const headersFor = (key: string | undefined, body: object | undefined): Record<string, string> => ({
  accept: 'application/json',
  'user-agent': `uru-mcp/${VERSION}`,
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
})

const tooLate = (patience: number) => `The proxy did not respond within ${patience / 1000} seconds.`
const unreachableProxy = ({ origin }: URL) =>
  `The proxy at ${origin} cannot be reached. Check URU_PROXY_URL; \`uru-mcp --test\` tests it.`

const malformedResponse = (path: string) =>
  new ProtocolError(OTHER, `The proxy returned an unexpected response to ${path}.`)

/** In results and errors, for the client that starts this program. */
export const linkMeta = (link: string | undefined) => (link === undefined ? {} : { 'dev.toolway/link': link })

/** The proxy's own sentence, and what to do. */
function errorOf(status: number, body: unknown, link?: string): ProtocolError {
  const message = isFields(body)
    ? (textIn(body['detail']) ?? textIn(body['message']) ?? textIn(body['title']))
    : undefined
  const mend = (isFields(body) ? textIn(body['mend']) : undefined) ?? ADVICE[status]
  const sentence = message ?? `The proxy responded with HTTP ${status}.`
  const code = isFields(body) ? textIn(body['code']) : undefined
  const data = { status, ...(code === undefined ? {} : { code }), ...linkMeta(link) }
  return new ProtocolError(
    CODES[status] ?? OTHER,
    [sentence, mend, status === 401 ? ADVICE[401] : undefined].filter(isNew).join(' '),
    data,
  )
}

const isNew = (sentence: string | undefined, at: number, all: readonly (string | undefined)[]): boolean =>
  sentence !== undefined && all.indexOf(sentence) === at

function executedOf(body: unknown): Omit<Executed, 'link'> {
  if (!isFields(body)) return { data: body, successful: true, error: undefined, code: undefined, logId: undefined }
  const flag = body['successful'] ?? body['success']
  const { error } = body
  const failed = error !== undefined && error !== null && error !== false && error !== ''
  return {
    data: 'data' in body ? body['data'] : body,
    successful: typeof flag === 'boolean' ? flag : !failed,
    error: failed ? (textIn(error) ?? JSON.stringify(error)) : undefined,
    code: textIn(body['code']),
    logId: textIn(body['log_id']),
  }
}

function namespaceOf(value: unknown): Namespace[] {
  if (!isFields(value)) return []
  const name = textIn(value['name'])
  if (name === undefined) return []
  const displayName = textIn(value['displayName']) ?? name
  return [
    {
      name,
      displayName,
      app: textIn(value['app']) ?? name,
      accountId: textIn(value['connected_account_id']),
      serverId: textIn(value['server_id']),
      status: textIn(value['connection_status']) ?? 'active',
    },
  ]
}

function toolOf(value: unknown): ProxyTool[] {
  if (!isFields(value)) return []
  const name = textIn(value['name'])
  const schema = value['inputSchema']
  if (name === undefined) return []
  return [
    {
      name,
      description: textIn(value['description']) ?? '',
      inputSchema: isFields(schema) ? schema : { type: 'object' },
    },
  ]
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.length
    if (size > MOST_BYTES) throw new ProtocolError(OTHER, 'The response of the proxy is too large.')
    chunks.push(part.value)
  }
  return Buffer.concat(chunks).toString()
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
