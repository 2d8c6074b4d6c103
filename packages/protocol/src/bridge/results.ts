/**
 * What a result must look like for a client of another revision than the server that gave it.
 *
 * Towards a modern client: `resultType` and, on what can be cached, `ttlMs` and `cacheScope` are stamped. Towards a legacy
 * client: they are dropped, structured results that are not objects are wrapped, and content that its revision does not
 * know becomes text. Whatever is not named here passes as it is, unknown fields and content kinds of the same era included.
 */
import { eraOf, type Era, type Revision } from '../era.ts'
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

export interface Crossing {
  readonly from: Revision
  readonly to: Revision
  /** The tool's output schema is not an object's: its structured result is wrapped for legacy clients. */
  readonly wraps?: boolean
}

export function adaptResult(method: string, result: JsonObject, { from, to, wraps = false }: Crossing): JsonObject {
  const toEra = eraOf(to)
  const crossed = eraOf(from) === toEra ? result : cross(method, result, toEra, wraps)
  const stamped = toEra === 'modern' ? stamp(method, crossed) : crossed
  return to < STRUCTURED_SINCE ? simplify(method, stamped, to) : stamped
}

function cross(method: string, result: JsonObject, to: Era, wraps: boolean): JsonObject {
  if (to === 'modern') return method === 'tools/call' && !('content' in result) ? { content: [], ...result } : result
  const { resultType: _, ttlMs: __, cacheScope: ___, ...rest } = result
  if (method !== 'tools/call' || !('structuredContent' in rest)) return rest
  const structured = rest['structuredContent'] ?? null
  if (!wraps && isObject(structured)) return rest
  return { ...withText(rest, structured), structuredContent: { result: structured } }
}

/** Every modern result says what kind it is; a missing hint means "do not cache, and never for others". */
function stamp(method: string, result: JsonObject): JsonObject {
  const type = result['resultType'] ?? 'complete'
  if (type !== 'complete' || !CACHEABLE.has(method))
    return 'resultType' in result ? result : { ...result, resultType: type }
  return { ttlMs: 0, cacheScope: 'private', ...result, resultType: type }
}

const TEXT_KINDS: Readonly<Record<string, Revision>> = { resource_link: '2025-06-18', audio: '2025-03-26' }

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
  const since = TEXT_KINDS[String(block['type'])]
  if (since === undefined || to >= since) return block
  const text =
    block['type'] === 'audio'
      ? `[audio, ${String(block['mimeType'] ?? 'unknown type')}, left out: this client's protocol revision has none]`
      : String(block['uri'] ?? '')
  return { type: 'text', text }
}

/** A result whose structured part is also there as text, for whoever cannot read the structured part. */
function withText(result: JsonObject, structured: Json): JsonObject {
  const content = listOf(result['content'])
  const hasText = content.some((block) => isObject(block) && block['type'] === 'text')
  return hasText ? result : { ...result, content: [...content, { type: 'text', text: JSON.stringify(structured) }] }
}

/** "Resource not found" has another number in the modern era; all other errors pass as they are. */
export function adaptError(method: string, error: ErrorBody, { from, to }: Crossing): ErrorBody {
  if (method !== 'resources/read' || eraOf(from) === eraOf(to)) return error
  if (eraOf(to) === 'modern' && error.code === NOT_FOUND_LEGACY) return { ...error, code: INVALID_PARAMS }
  return error
}
