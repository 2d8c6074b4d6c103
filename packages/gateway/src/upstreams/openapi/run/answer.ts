/**
 * Converts the answer of a REST server to a tool result: JSON as structure and text, texts and images as such. An error contains
 * the server's own text, bounded and without the secrets that it was sent; refused access and rate limits are faults, for callers
 * that can renew a credential or wait.
 */
import { Fault } from '@toolway/contract'
import { isObject, parseJson, type JsonObject } from '@toolway/protocol'
import { refusedAccess } from '../../access-refused.ts'
import { limitedBy, StatusRefused } from '../../status-refused.ts'
import { headerOf, type Reply } from './send.ts'

/** Characters of a refusal. */
const MOST_WORDS = 4_000
/** Answered by what stands before a server that is away. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504])
const STEP_UP = /\berror\s*=\s*"?insufficient_scope\b/i

export interface AnswerParts {
  readonly alias: string
  readonly reads: boolean
  /** Its tool says what the structure is: there has to be one. */
  readonly structured: boolean
  mask(text: string): string
}

/** Throws `upstream.needs-auth`, `upstream.limited`, `upstream.unreachable`. */
export function resultOf(reply: Reply, parts: AnswerParts): JsonObject {
  const { status } = reply
  if (status >= 200 && status < 300) return success(reply, parts)
  refuse(reply, parts)
  // Callers read this: addresses of servers are not for them.
  if (reply.redirects)
    return failedResult(
      `HTTP ${status}: it redirects to an address outside this connection's, which is not followed with its credential.`,
    )
  // Not changed since: what the caller has is what there is.
  if (status === 304) return withStructure({ content: [text('HTTP 304: not changed.')] }, undefined, parts)
  return failedResult(parts.mask(wordsOf(reply)))
}

function refuse(reply: Reply, { alias, mask }: AnswerParts): void {
  const { status } = reply
  const challenge = challengeOf(reply)
  if (status === 401 || (status === 403 && STEP_UP.test(challenge ?? '')))
    throw refusedAccess(alias, status, challenge === undefined ? undefined : mask(challenge))
  const later = headerOf(reply, 'retry-after')
  // Some say 403 for "too often"; when to come back says that it is that.
  if (status === 429 || (status === 403 && later !== undefined)) throw limitedBy(alias, later)
  if (AWAY.has(status)) {
    const cause = new StatusRefused(status, later)
    throw new Fault(
      'upstream.unreachable',
      { connection: alias, problem: `it responded with HTTP ${status}` },
      { cause },
    )
  }
}

/** A server may challenge in several lines (RFC 9110, section 11.6.1). */
function challengeOf({ headers }: Reply): string | undefined {
  const header = headers['www-authenticate']
  return Array.isArray(header) ? header.join(', ') : header
}

const text = (words: string): JsonObject => ({ type: 'text', text: words })
const failedResult = (words: string): JsonObject => ({ content: [text(words)], isError: true })

function success(reply: Reply, parts: AnswerParts): JsonObject {
  const { status, bytes } = reply
  if (bytes.length === 0) return withStructure({ content: [text(`HTTP ${status}: done.`)] }, undefined, parts)
  const packed = headerOf(reply, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
  const type = typeOf(reply)
  if (packed !== 'identity')
    return unread(reply, `compressed as ${packed.slice(0, 30)}, which was not requested`, parts)
  if (isJson(type)) return ofJson(bytes.toString('utf8'), parts)
  const [family] = type.split('/')
  if (family === 'image' || family === 'audio')
    return withStructure(
      { content: [{ type: family, data: bytes.toString('base64'), mimeType: type }] },
      undefined,
      parts,
    )
  if (family === 'text' || TEXTS.test(type))
    return withStructure({ content: [text(bytes.toString('utf8'))] }, undefined, parts)
  return unread(reply, `${type || 'of no known type'}, ${bytes.length} bytes`, parts)
}

const TEXTS = /^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-yaml|javascript|x-ndjson|jsonl|sql|graphql|toml)$/
const isJson = (type: string) => /^(?:application\/(?:[\w.+-]+\+)?json|text\/json)$/.test(type)
const typeOf = (reply: Reply) => headerOf(reply, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''

const ofJson = (body: string, parts: AnswerParts): JsonObject =>
  withStructure({ content: [text(body)] }, valueOf(body), parts)

/** Returns the value of a JSON text, with the digits of its numbers where it nests no deeper than a message may; undefined for others. */
export function valueOf(body: string): unknown {
  try {
    return parseJson(body)
  } catch (thrown) {
    if (!(thrown instanceof Fault && thrown.code === 'request.too-deep')) return undefined
  }
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Structure is an object: what every revision of MCP carries, and what a tool's schema is of. Nothing in that is required. */
function withStructure(result: JsonObject, value: unknown, { structured }: AnswerParts): JsonObject {
  if (isObject(value)) return { ...result, structuredContent: value }
  return structured ? { ...result, structuredContent: {} } : result
}

/** The answer cannot be passed on. After a successful write it is not an error, so that the write is not repeated. */
function unread(reply: Reply, what: string, parts: AnswerParts): JsonObject {
  const words = `HTTP ${reply.status}: the response is ${what}; it is not passed on.`
  return parts.reads ? failedResult(words) : withStructure({ content: [text(words)] }, undefined, parts)
}

/** The vendor's own words: the message where its JSON has one, else the body as it is. */
function wordsOf(reply: Reply): string {
  const { status, bytes } = reply
  const type = typeOf(reply)
  const isText = isJson(type) || type.startsWith('text/') || TEXTS.test(type)
  const body = isText
    ? bytes
        .subarray(0, MOST_WORDS * 4)
        .toString('utf8')
        .trim()
    : ''
  const shown = type === 'text/html' ? plainOf(body) : body
  const words = shown.length > MOST_WORDS ? `${shown.slice(0, MOST_WORDS).toWellFormed()}…` : shown
  return words === '' ? `HTTP ${status}.` : `HTTP ${status}: ${words}`
}

/** A page for people says little to a model: its words without their marks. */
const plainOf = (html: string) =>
  html
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 500)
