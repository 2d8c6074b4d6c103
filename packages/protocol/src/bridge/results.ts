/**
 * Adapts results for a client of another revision than the server that gave them.
 *
 * Towards a modern client: `resultType` and, on cacheable results, `ttlMs` and `cacheScope` are added. Towards a legacy client:
 * they are dropped, structured results that are not objects are wrapped, and content that its revision does not know becomes
 * text. Everything else passes unchanged, unknown fields and content kinds of the same era included.
 */
import { eraOf, type Revision } from '../era.ts'
import { withDigits } from '../exact.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { ErrorBody } from '../message.ts'
import { STRUCTURED_SINCE } from './definitions.ts'

const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])
const NOT_FOUND_LEGACY = -32002
const INVALID_PARAMS = -32602
const INTERNAL = -32603
const RESERVED = { first: -32020, last: -32099 }

export interface Crossing {
  readonly from: Revision
  readonly to: Revision
  /** The tool's output schema is not an object's: its structured result is wrapped for legacy clients. */
  readonly wraps?: boolean
}

/** The server asks for input before it gives its result (specification 2026-07-28, multi round-trip requests). */
export const wantsInput = ({ resultType }: JsonObject): boolean => resultType === 'input_required'

export function adaptResult(method: string, result: JsonObject, { from, to, wraps = false }: Crossing): JsonObject {
  const toEra = eraOf(to)
  const crossed = eraOf(from) === toEra ? within(method, result, to, wraps) : cross(method, result, to, wraps)
  const stamped = toEra === 'modern' ? stamp(method, crossed) : crossed
  return to < STRUCTURED_SINCE ? simplify(method, stamped, to) : stamped
}

/** Some legacy servers have structured results that are no objects, which official clients of their revisions refuse. */
const within = (method: string, result: JsonObject, to: Revision, wraps: boolean): JsonObject =>
  eraOf(to) === 'legacy' ? wrapStructured(method, result, to, wraps) : result

function cross(method: string, result: JsonObject, to: Revision, wraps: boolean): JsonObject {
  // A legacy server knows none of these: a member of that name would be taken at its modern word.
  const { resultType: _, ttlMs: __, cacheScope: ___, ...rest } = result
  if (eraOf(to) === 'modern') return method === 'tools/call' && !('content' in rest) ? { content: [], ...rest } : rest
  return wrapStructured(method, rest, to, wraps)
}

function wrapStructured(method: string, result: JsonObject, to: Revision, wraps: boolean): JsonObject {
  if (method !== 'tools/call' || !('structuredContent' in result) || to < STRUCTURED_SINCE) return result
  const structured = result['structuredContent'] ?? null
  if (!wraps && isObject(structured)) return result
  return { ...withText(result, structured), structuredContent: { result: structured } }
}

/** Every modern result says what kind it is; a missing hint means "do not cache, and never for others". */
function stamp(method: string, result: JsonObject): JsonObject {
  const type = result['resultType'] ?? 'complete'
  if (type !== 'complete' || !CACHEABLE.has(method))
    return 'resultType' in result ? result : { ...result, resultType: type }
  return { ttlMs: 0, cacheScope: 'private', ...result, resultType: type }
}

const TEXT_KINDS = new Map<Json | undefined, Revision>([
  ['resource_link', '2025-06-18'],
  ['audio', '2025-03-26'],
])

/** For revisions before 2025-06-18: no structured result, no content kind that a strict client would refuse. */
function simplify(method: string, result: JsonObject, to: Revision): JsonObject {
  if (method === 'prompts/get')
    return { ...result, messages: listOf(result['messages']).map((item) => simplifyMessage(item, to)) }
  if (method !== 'tools/call') return result
  const { structuredContent, ...rest } = structuredAsText(result)
  return { ...rest, content: listOf(rest['content']).map((block) => simplifyBlock(block, to)) }
}

const structuredAsText = (result: JsonObject): JsonObject =>
  'structuredContent' in result ? withText(result, result['structuredContent'] ?? null) : result

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

const simplifyMessage = (message: Json, to: Revision): Json =>
  isObject(message) && 'content' in message
    ? { ...message, content: simplifyBlock(message['content'] ?? null, to) }
    : message

function simplifyBlock(block: Json, to: Revision): Json {
  if (!isObject(block)) return block
  const since = TEXT_KINDS.get(block['type'])
  if (since === undefined || to >= since) return block
  const text =
    block['type'] === 'audio'
      ? `[audio, ${String(block['mimeType'] ?? 'unknown type')}, left out: the protocol revision of this client does not support audio]`
      : String(block['uri'] ?? '')
  return { type: 'text', text }
}

/** A result whose structured part is also there as text, for whoever cannot read the structured part. */
function withText(result: JsonObject, structured: Json): JsonObject {
  const content = listOf(result['content'])
  const text = JSON.stringify(structured)
  if (content.some((block) => saysJson(block, text))) return result
  return { ...result, content: [...content, { type: 'text', text: JSON.stringify(withDigits(structured)) }] }
}

/** Whether a block is the text of that very JSON, however it is indented. */
function saysJson(block: Json, text: string): boolean {
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return false
  if (block['text'] === text) return true
  // Most texts are prose: only what begins like the JSON is worth parsing.
  if (block['text'].trimStart()[0] !== text[0]) return false
  try {
    return JSON.stringify(JSON.parse(block['text'])) === text
  } catch {
    return false
  }
}

/**
 * An error in the other era's numbers. "Resource not found" has another one; -32020 to -32099 speak of this hop in the modern
 * era and of nothing in the others, and a modern client must not be told -32002 at all. Within an era errors pass as they are.
 */
export function adaptError(method: string, error: ErrorBody, { from, to }: Crossing): ErrorBody {
  if (eraOf(from) === eraOf(to)) return error
  const { code } = error
  if (eraOf(to) === 'modern' && code === NOT_FOUND_LEGACY) {
    return { ...error, code: method === 'resources/read' ? INVALID_PARAMS : INTERNAL }
  }
  return code <= RESERVED.first && code >= RESERVED.last ? { ...error, code: INTERNAL } : error
}
