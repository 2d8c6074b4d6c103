/**
 * Sends the requests of a native connector's tools: by the executor that runs OpenAPI operations, with the credential of the account,
 * through one pool for each origin. An address that the vendor signed is asked without the credential, and the permission for private
 * networks is for the connection's own server only.
 */
import type { ApiRequest, Content, KeyAuth, SignedRequest, VendorAnswer } from '@toolway/connectors'
import { Fault } from '@toolway/contract'
import type { Body, Operation } from '@toolway/contract/http-operation'
import type { Pool } from 'undici'
import { createSharedBreaker, type Breaker } from '../breaker.ts'
import type { CallerFiles } from '../caller-files.ts'
import { createPool } from '../http/agent.ts'
import { NO_EXCEPTIONS } from '../http/exceptions.ts'
import { signedAddress } from '../http/signed-address.ts'
import { requestOf } from '../openapi/run/request.ts'
import { send, type Reply } from '../openapi/run/send.ts'
import type { NativeTarget, OpenedCredential, ReachOf } from '../upstream.ts'
import { contentBody } from './content-body.ts'

export interface Exchange {
  /** Throws what the network and the deadline do, `openapi.outside`, and `file.*`. */
  send(request: ApiRequest | SignedRequest, using: ExchangeUse): Promise<VendorAnswer>
  /** Sends them at the same time. The connection counts them as one; `ended` reads what became of each. */
  sendTogether(
    requests: readonly ApiRequest[],
    using: ExchangeUse,
    ended: (answer: Promise<VendorAnswer>) => Promise<VendorAnswer>,
  ): Promise<VendorAnswer[]>
  close(grace: number): Promise<void>
}

export interface ExchangeUse {
  readonly credential: OpenedCredential | undefined
  /** Where the vendor wants a key; undefined: as it comes. */
  readonly key: KeyAuth | undefined
  readonly signal: AbortSignal
  /** Absent where no files are kept. */
  readonly files?: CallerFiles | undefined
}

export function createExchange({ alias, timeout, wire }: ReachOf<NativeTarget>, breaker: Breaker): Exchange {
  const options = {
    alias,
    allowPrivate: wire.private,
    exceptions: wire.exceptions ?? NO_EXCEPTIONS,
    headersTimeout: timeout * 1000,
  }

  const pools = createPools((origin) => createPool(origin, options))

  async function sendApi(
    request: ApiRequest,
    base: URL,
    { credential, key, signal, files }: ExchangeUse,
    counted: Breaker,
  ): Promise<Reply> {
    const shown = presentCredential(credential, wire.key, key)
    const { operation, values } = withMember(request, shown.member)
    const made = requestOf(operation, values, { alias, base, key: undefined })
    const own = request.content && (await encodedBody(request.content, files))
    const headers = joinHeaders(made.headers, request.headers, own?.headers ?? {}, wire.headers, shown.headers)
    const sent = own === undefined ? made : { ...made, body: own.body }
    return send({ alias, pool: pools.of(base.origin), base, timeout, breaker: counted }, sent, headers, signal)
  }

  /** One pool for the one request: the host is the vendor's choice and may never be seen again. */
  async function sendSigned(request: SignedRequest, { signal, files }: ExchangeUse): Promise<Reply> {
    const { method, address, headers, body, content } = request
    const signed = signedAddress(address, wire)
    if (signed === undefined) throw new Fault('egress.refused', { connection: alias })
    const { url, allowPrivate } = signed
    const pool = createPool(url.origin, { ...options, allowPrivate, connections: 1 })
    const base = new URL('/', url)
    const path = url.pathname + url.search
    const own = content && (await encodedBody(content, files))
    const bytes = own?.body ?? (body === undefined ? undefined : Buffer.from(body, 'base64'))
    try {
      const parts = { alias, pool, base, timeout, breaker }
      return await send(
        parts,
        { method, path, headers: {}, body: bytes },
        joinHeaders(headers, own?.headers ?? {}),
        signal,
      )
    } finally {
      await pool.destroy()
    }
  }

  async function vendorAnswer(request: ApiRequest, using: ExchangeUse, counted: Breaker): Promise<VendorAnswer> {
    const at = connectionAddress(request.base, wire)
    const answer = answerOf(await sendApi(request, new URL(at), using, counted), request)
    return at === request.base ? answer : { ...answer, base: at }
  }

  return {
    async send(request, using) {
      if (request.kind === 'signed') return answerOf(await sendSigned(request, using), request)
      return vendorAnswer(request, using, breaker)
    },
    async sendTogether(requests, using, ended) {
      const counted = createSharedBreaker(breaker)
      try {
        return await Promise.all(requests.map((request) => ended(vendorAnswer(request, using, counted))))
      } finally {
        counted.end()
      }
    },
    close: pools.close,
  }
}

/** One pool for each origin. */
function createPools(open: (origin: string) => Pool) {
  const pools = new Map<string, Pool>()
  return {
    of(origin: string): Pool {
      const found = pools.get(origin) ?? open(origin)
      pools.set(origin, found)
      return found
    },
    async close(grace: number): Promise<void> {
      const all = [...pools.values()]
      const ended = Promise.all(all.map((pool) => pool.close()))
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, grace).unref())])
      await Promise.all(all.map((pool) => pool.destroy()))
    },
  }
}

/**
 * The base address of a request at the connection's server. Below the vendor's own address only the beginning differs; another host
 * of the vendor becomes the first part of the path.
 */
function connectionAddress(base: string, target: Pick<NativeTarget, 'url' | 'own'>): string {
  const [at, own] = [target.url, target.own].map((address) => address.replace(/\/+$/, '')) as [string, string]
  if (at === own) return base
  return base.startsWith(own) ? at + base.slice(own.length) : `${at}/${base.replace(/^https:\/\//, '')}`
}

/** A body of texts and files with the headers that belong to it. */
async function encodedBody(content: Content, files: CallerFiles | undefined) {
  const { stream, length } = await contentBody(content, files)
  return { body: stream, headers: { 'content-type': content.type, 'content-length': String(length) } }
}

interface Shown {
  readonly headers: Readonly<Record<string, string>>
  /** A member of the body that holds the key. */
  readonly member?: { readonly name: string; readonly value: string }
}

/** A credential comes as a header; a key goes where the vendor wants it. */
function presentCredential(
  credential: OpenedCredential | undefined,
  { header, prefix }: NativeTarget['key'],
  keyAuth: KeyAuth | undefined,
): Shown {
  const presentedHeaders = Object.fromEntries(
    Object.entries(credential?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const { [header]: value, ...headers } = presentedHeaders
  if (keyAuth === undefined || value === undefined) return { headers: presentedHeaders }
  const key = value.startsWith(prefix) ? value.slice(prefix.length) : value
  if (keyAuth.in === 'body') return { headers, member: { name: keyAuth.name, value: key } }
  if (keyAuth.in === 'basic-user')
    return { headers: { ...headers, authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` } }
  return { headers: { ...headers, [keyAuth.name.toLowerCase()]: `${keyAuth.prefix ?? ''}${key}` } }
}

const NO_BODY: Body = { kind: 'json', media: 'application/json', required: true, whole: undefined, members: [] }

function withMember({ operation, arguments: values }: ApiRequest, member: Shown['member']) {
  if (member === undefined) return { operation, values: values as Values }
  const { name, value } = member
  const body = operation.body ?? NO_BODY
  const members = [...body.members, { argument: name, name, deep: false }]
  const whole: Operation = { ...operation, body: { ...body, members } }
  return { operation: whole, values: { ...values, [name]: value } as Values }
}
type Values = Parameters<typeof requestOf>[1]

/** A tool's own headers below the connection's and the account's: no argument speaks for either. */
const joinHeaders = (...all: readonly Readonly<Record<string, string>>[]): Record<string, string> => ({
  'user-agent': 'toolway',
  ...Object.fromEntries(
    all.flatMap((item) => Object.entries(item)).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  'accept-encoding': 'identity',
})

function answerOf({ status, headers, location, bytes }: Reply, { raw }: Pick<ApiRequest, 'raw'>): VendorAnswer {
  const flat = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
  if (location !== undefined) flat['location'] = location
  const type = flat['content-type'] ?? ''
  const answer = { status, headers: flat, at: Date.now() }
  if (status < 300 && (raw === true || BINARY.test(type)))
    return { ...answer, body: undefined, bytes: bytes.toString('base64') }
  return { ...answer, body: bodyOf(bytes, type) }
}

/** Types whose bytes are no text. */
const BINARY = /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip|vnd\.(?:openxmlformats|ms-))/i

/** JSON where it can be read as such, else the text; undefined where there is none. */
function bodyOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined
  const text = bytes.toString('utf8')
  if (!/\bjson\b/i.test(type) && !/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
