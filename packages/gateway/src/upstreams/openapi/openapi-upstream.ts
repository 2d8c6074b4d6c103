/**
 * A REST server behind an OpenAPI document, as an upstream that speaks MCP: its operations are tools, and nothing else is there.
 *
 * It holds no caller. Where calls go is the connection's address; the document only says what is appended to it. It is read when it is
 * first needed, and kept as what its calls need of it.
 */
import type { Fault } from '@toolway/contract'
import { isObject, MODERN, withDigits, type JsonObject } from '@toolway/protocol'
import { createBreaker } from '../breaker.ts'
import { createPool } from '../http/agent.ts'
import { NO_EXCEPTIONS } from '../http/exceptions.ts'
import { maskedResult } from '@toolway/protocol/client'
import { bothMasks, createHeaderMask, createReachMask, createResultMask } from '../http/reach-mask.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type ServerInfo,
  type OpenedCredential,
  type Upstream,
  type ReachOf,
  type OpenApiTarget,
} from '../upstream.ts'
import { toolsOf, type ReadApart } from './document/read-apart.ts'
import type { Operation } from '@toolway/contract/http-operation'
import { resultOf, valueOf } from './run/answer.ts'
import { requestOf, type Key } from './run/request.ts'
import { send, type SendParts } from './run/send.ts'

const NO_METHOD = -32601
const NO_PARAMS = -32602
/** Milliseconds that calls may go on once it is closed. */
const GRACE_MS = 5_000

/**
 * The stored part of a document. Its tools are compressed: they are requested every quarter of an hour only, and held elsewhere.
 */
interface Api extends Pick<ReadApart, 'tools'> {
  readonly serverInfo: ServerInfo
  readonly operations: ReadonlyMap<string, Operation>
}

export interface OpenApiUpstreamParts {
  readonly reach: ReachOf<OpenApiTarget>
  /** Its calls are refused from now on, because of this; undefined when they are let through again. */
  onStateChange(failure: Fault | undefined): void
}

export const createOpenApiUpstream = (parts: OpenApiUpstreamParts): Upstream => new OpenApiUpstream(parts)

class OpenApiUpstream implements Upstream {
  readonly #parts: OpenApiUpstreamParts
  readonly #alias
  readonly #timeout
  readonly #wire
  readonly #base
  readonly patience
  readonly #breaker
  readonly #pool
  readonly #sending: SendParts
  readonly #hideReach
  readonly #maskReach
  #api: Promise<Api> | undefined

  constructor(parts: OpenApiUpstreamParts) {
    this.#parts = parts
    const { alias, timeout, wire } = this.#parts.reach
    this.#alias = alias
    this.#timeout = timeout
    this.#wire = wire
    this.#base = new URL(this.#wire.url)
    this.patience = this.#timeout * 1000
    this.#breaker = createBreaker({
      alias: this.#alias,
      patience: this.patience,
      now: Date.now,
      onStateChange: this.#parts.onStateChange,
    })
    this.#pool = createPool(this.#base.origin, {
      alias: this.#alias,
      allowPrivate: this.#wire.private,
      exceptions: this.#wire.exceptions ?? NO_EXCEPTIONS,
      headersTimeout: this.patience,
    })
    this.#sending = {
      alias: this.#alias,
      pool: this.#pool,
      base: this.#base,
      timeout: this.#timeout,
      breaker: this.#breaker,
    }
    this.#maskReach = createReachMask(this.#base, this.#wire.headers)
    this.#hideReach = createResultMask(this.#wire.headers, this.#base)
  }

  /** Read once for all who wait; what failed is tried again by the next. */
  #open(): Promise<Api> {
    if (this.#api !== undefined) return this.#api
    const opening = this.#wire.load().then(apiOf)
    opening.catch(() => {
      if (this.#api === opening) this.#api = undefined
    })
    this.#api = opening
    return opening
  }

  async #list(): Promise<Answer> {
    return { result: { tools: await toolsOf(await this.#open()) } }
  }

  async #call({ params, credential, signal, owner }: Ask): Promise<Answer> {
    const refusal = this.#breaker.closed || owner === GATEWAY ? undefined : this.#breaker.admit()
    if (refusal !== undefined) throw refusal
    const { name, arguments: value = {} } = params
    const operation = (await this.#open()).operations.get(String(name))
    if (operation === undefined)
      return { error: { code: NO_PARAMS, message: `There is no operation ${String(name).slice(0, 100)}` } }
    if (!isObject(value)) return { error: { code: NO_PARAMS, message: 'The arguments are not an object' } }
    const shown = presentCredential(credential, this.#wire.key)
    const request = requestOf(operation, value, { alias: this.#alias, base: this.#base, key: shown.key })
    const sent = joinHeaders(request.headers, this.#wire.headers, shown.headers)
    const reply = await send(this.#sending, request, sent, signal)
    const ofCredential = createHeaderMask(credential?.headers ?? {})
    const mask = (text: string) => this.#maskReach(ofCredential(text))
    const reads = operation.method === 'GET' || operation.method === 'HEAD'
    const result = resultOf(reply, { alias: this.#alias, reads, structured: operation.structured, mask })
    const hide = bothMasks(createResultMask(credential?.headers ?? {}), this.#hideReach)
    return { result: hiddenIn(maskedResult({ mask }, result), hide) }
  }

  async introduce() {
    return (await this.#open()).serverInfo
  }

  ask({ method, ...rest }: Ask) {
    if (method === 'tools/call') return this.#call({ method, ...rest })
    if (method === 'tools/list') return this.#list()
    return Promise.resolve({ error: { code: NO_METHOD, message: `Not available here: ${method}` } })
  }

  watch() {}

  listen() {
    return Promise.resolve({ uris: [], tasks: [] })
  }

  tell() {}

  // There is no question that every REST server answers; calls tell how it is.
  check() {
    return Promise.resolve(false)
  }

  doubt() {}

  forget() {}

  async close() {
    const ended = this.#pool.close()
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())])
    await this.#pool.destroy()
  }
}

function apiOf({ title, version, tools, plan }: ReadApart): Api {
  return {
    serverInfo: {
      revision: MODERN,
      server: { name: title, version },
      capabilities: { tools: {} },
      instructions: undefined,
    },
    operations: new Map(plan.map((operation) => [operation.name, operation])),
    tools,
  }
}

interface KeyHeader {
  readonly in: 'query' | 'cookie'
  readonly name: string
  /** The header that the credential comes in, in small letters, and what stands before it there. */
  readonly header: string
  readonly prefix: string
}

/** A credential comes as a header; one that goes elsewhere is taken out of it. */
function presentCredential(
  credential: OpenedCredential | undefined,
  keyHeader: KeyHeader | undefined,
): { headers: Readonly<Record<string, string>>; key: Key | undefined } {
  const presentedHeaders = Object.fromEntries(
    Object.entries(credential?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  if (keyHeader === undefined) return { headers: presentedHeaders, key: undefined }
  const { [keyHeader.header]: value, ...headers } = presentedHeaders
  if (value === undefined) return { headers, key: undefined }
  const plain = value.startsWith(keyHeader.prefix) ? value.slice(keyHeader.prefix.length) : value
  return { headers, key: { in: keyHeader.in, name: keyHeader.name, value: plain } }
}

/** A call's own headers below the connection's and its credential's: no argument speaks for either. Cookies stand beside one another. */
function joinHeaders(...all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const cookies = all.flatMap(({ cookie }) => (cookie === undefined ? [] : [cookie]))
  return {
    ...Object.fromEntries(all.flatMap((item) => Object.entries(item))),
    'accept-encoding': 'identity',
    'user-agent': 'toolway',
    ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
  }
}

/** A result without the secrets that its server repeats. Written once as text, in which they are looked for. */
function hiddenIn(result: JsonObject, hide: ((text: string) => string) | undefined): JsonObject {
  if (hide === undefined) return result
  const { structuredContent: structured } = result
  const whole = JSON.stringify(
    structured === undefined ? result : { ...result, structuredContent: withDigits(structured) },
  )
  const text = hide(whole)
  if (text === whole) return result
  const hidden = valueOf(text)
  if (isObject(hidden)) return hidden
  // A secret of digits alone may stand where a number was: what it came to is told as a text.
  const { isError } = result
  return {
    content: [{ type: 'text', text }],
    ...(structured === undefined ? {} : { structuredContent: {} }),
    ...(isError === undefined ? {} : { isError }),
  }
}
