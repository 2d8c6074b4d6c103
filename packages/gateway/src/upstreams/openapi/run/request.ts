/**
 * The arguments of one call as one HTTP request: pure, and refused where it would go anywhere but below the connection's address.
 *
 * What comes out is held against what every reader of addresses makes of it, so that whatever slipped through the encoding of a value
 * still leads nowhere else.
 */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { randomUUID } from 'node:crypto'
import type { Body, Operation } from '@toolway/contract/http-operation'
import { deepPairs, encodeUriText, inCookie, inHeader, inPath, inQuery, isNested, plain, Unsendable } from './encode.ts'

export interface Request {
  readonly method: Operation['method']
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Bytes where it is no text. */
  readonly body: string | Buffer | undefined
}

/** A key that goes into the address or a cookie, as its credential gives it. */
export interface Key {
  readonly in: 'query' | 'cookie'
  readonly name: string
  readonly value: string
}

export interface RequestParts {
  readonly alias: string
  /** The connection's address; its query goes with every call. */
  readonly base: URL
  readonly key: Key | undefined
}

/** Throws `params.shape` and `openapi.outside`. */
export function requestOf(operation: Operation, input: JsonObject, { alias, base, key }: RequestParts): Request {
  const headers: Record<string, string> = { accept: operation.accept }
  const cookies: string[] = []
  const query = [base.search.slice(1), operation.query ?? ''].filter((part) => part !== '')
  const path = new Map<string, string>()
  const taken = takenIn(operation, base)
  wordUnsendable('query', () => {
    for (const name of new URLSearchParams(operation.query).keys()) refuseKey(encodeUriText(name), key, 'query')
  })
  for (const placed of operation.placed) {
    const value = valueOf(input, placed.argument)
    if (value === undefined) {
      if (placed.in === 'path') throw mismatch(placed.argument, 'is missing')
      continue
    }
    wordUnsendable(placed.argument, () => {
      if (placed.in === 'path') path.set(placed.name, inPath(placed, value))
      else if (placed.in === 'header') headers[placed.name.toLowerCase()] = inHeader(placed, value)
      else if (placed.in === 'cookie')
        for (const cookie of inCookie(placed, value)) {
          refuseKey(cookie.split('=', 1)[0] ?? '', key, 'cookie')
          cookies.push(cookie)
        }
      else
        for (const [name, item] of inQuery(placed, value)) {
          refuseKey(name, key, 'query')
          if (name !== encodeUriText(placed.name) && taken.has(name.toLowerCase()))
            throw new Unsendable('must not name another parameter')
          query.push(`${name}=${item}`)
        }
    })
  }
  if (key !== undefined)
    (key.in === 'query' ? query : cookies).push(`${encodeUriText(key.name)}=${encodeUriText(key.value)}`)
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  const written = operation.body === undefined ? undefined : bodyOf(operation.body, input)
  if (written !== undefined) headers['content-type'] = written.media
  return {
    method: operation.method,
    path: addressOf(operation, path, query, { alias, base }),
    headers,
    body: written?.content,
  }
}

const valueOf = (value: JsonObject, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
const mismatch = (argument: string, problem: string) =>
  new Fault('params.shape', { place: `/arguments/${argument}`, problem })

function wordUnsendable(argument: string, work: () => void): void {
  try {
    work()
  } catch (thrown) {
    if (!(thrown instanceof Unsendable)) throw thrown
    throw mismatch(argument, thrown.message)
  }
}

/**
 * An object's own names stand in a query beside the others: what a rule, a schema or the connection's address says of another
 * parameter would be said twice, and servers take the one or the other.
 */
const takenIn = ({ placed, query }: Operation, { searchParams }: URL): ReadonlySet<string> =>
  new Set(
    [
      ...placed.flatMap((item) => (item.in === 'query' ? item.name : [])),
      ...searchParams.keys(),
      ...new URLSearchParams(query).keys(),
    ].map((name) => encodeUriText(name).toLowerCase()),
  )

/** Nor may any of them be the key's. */
function refuseKey(name: string, key: Key | undefined, location: Key['in']): void {
  if (key?.in === location && name.toLowerCase() === encodeUriText(key.name).toLowerCase())
    throw new Unsendable('must not name the key of the connection')
}

function addressOf(
  { path, name }: Operation,
  values: ReadonlyMap<string, string>,
  query: readonly string[],
  { alias, base }: Pick<RequestParts, 'alias' | 'base'>,
): string {
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, inner: string) => values.get(inner) ?? '')
  const prefix = base.pathname.replace(/\/+$/, '')
  const whole = `${prefix}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const read = URL.parse(base.origin + whole)
  const isBelow =
    read !== null &&
    read.origin === base.origin &&
    read.username === '' &&
    read.hash === '' &&
    // Nothing of it is read as something else than was written.
    read.pathname === `${prefix}${filled}` &&
    read.pathname.startsWith(`${prefix}/`)
  if (!isBelow) throw new Fault('openapi.outside', { tool: name, connection: alias })
  return whole
}

interface Written {
  readonly media: string
  readonly content: string | Buffer
}

/** Undefined where the call says nothing of a body that need not be there. */
function bodyOf(body: Body, input: JsonObject): Written | undefined {
  if (body.whole !== undefined) {
    const value = valueOf(input, body.whole)
    if (value !== undefined) return { media: body.media, content: wholeOf(body.kind, value) }
    if (body.required) throw mismatch(body.whole, 'is missing')
    return undefined
  }
  const members = body.members
    .map((member) => ({ ...member, value: valueOf(input, member.argument) }))
    .filter(({ value }) => value !== undefined)
  if (members.length === 0 && !body.required) return undefined
  if (body.kind === 'form') return { media: body.media, content: formOf(members) }
  if (body.kind === 'multipart') return multipartOf(members)
  return {
    media: body.media,
    content: JSON.stringify(Object.fromEntries(members.map(({ name, value }) => [name, value]))),
  }
}

function wholeOf(kind: Body['kind'], value: unknown): string | Buffer {
  if (kind === 'bytes') return Buffer.from(plain(value), 'base64')
  return kind === 'json' ? JSON.stringify(value) : plain(value)
}

interface Member {
  readonly name: string
  readonly value: unknown
  readonly deep: boolean
}

/** As browsers send forms (OpenAPI 3.1, support for x-www-form-urlencoded request bodies): lists by repetition, objects as JSON. */
const formOf = (members: readonly Member[]): string =>
  members
    .flatMap(({ name, value, deep: isDeep }): [string, string][] => {
      if (isDeep && isNested(value)) return deepPairs(encodeUriText(name), value, encodeUriText, 0)
      return (Array.isArray(value) ? value : [value]).map((item) => [encodeUriText(name), encodeUriText(plain(item))])
    })
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** Texts and JSON (RFC 7578); no part has a file name. */
function multipartOf(members: readonly Member[]): Written {
  const boundary = `toolway-${randomUUID()}`
  const parts = members.flatMap(({ name, value }) =>
    (Array.isArray(value) ? value : [value]).map((item: unknown) => {
      const type = isObject(item) || Array.isArray(item) ? '\r\nContent-Type: application/json' : ''
      const quoted = name.replaceAll(/["\r\n]/g, (char) => hexOf(char))
      return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"${type}\r\n\r\n${plain(item)}\r\n`
    }),
  )
  return { media: `multipart/form-data; boundary=${boundary}`, content: `${parts.join('')}--${boundary}--\r\n` }
}

const hexOf = (char: string) => `%${char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
