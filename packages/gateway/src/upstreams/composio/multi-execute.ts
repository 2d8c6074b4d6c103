/**
 * COMPOSIO_MULTI_EXECUTE_TOOL, taken apart: each of its calls is made by the gateway, under the rules, the approvals and the record of
 * the tool that it names (ledger S4-CMP-04). Composio's own tool would make them where nobody sees them.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { InnerCall, InnerCalls } from '../upstream.ts'
import { normalFormOf, resultOf } from './normal-form.ts'

export const MULTI_EXECUTE = 'COMPOSIO_MULTI_EXECUTE_TOOL'
/** As many as Composio takes. */
const MOST = 50

/** Throws `params.shape`. */
export function multiExecute(value: JsonObject): InnerCalls {
  const { tools } = value
  const wrong = (place: string, problem: string) =>
    new Fault('params.shape', { place: `/arguments/tools${place}`, problem })
  if (!Array.isArray(tools) || tools.length === 0) throw wrong('', 'must be a list of calls')
  if (tools.length > MOST) throw wrong('', `has ${tools.length} calls, but may have at most ${MOST}`)
  const calls = tools.map((tool, index): InnerCall => {
    const slug = isObject(tool) ? (tool['tool_slug'] ?? tool['slug']) : undefined
    // The source system says `params` (ledger S4-CMP-04).
    const args = isObject(tool) ? (tool['arguments'] ?? tool['params'] ?? {}) : undefined
    if (typeof slug !== 'string' || slug === '') throw wrong(`/${index}/tool_slug`, 'must be the slug of a tool')
    if (!isObject(args)) throw wrong(`/${index}/arguments`, 'must be an object')
    return { tool: slug, arguments: args }
  })
  return { calls, gather: (results) => gatherResults(calls, results) }
}

function gatherResults(calls: readonly InnerCall[], results: readonly JsonObject[]): JsonObject {
  const all = results.map((result, index): JsonObject => {
    const form = normalFormOf(result['structuredContent'])
    const response: JsonObject = form === undefined ? plain(result) : { ...form }
    return { index, tool_slug: calls[index]?.tool ?? '', response, error: response['error'] ?? null }
  })
  const good = all.filter(({ response }) => isObject(response) && response['successful'] === true).length
  const failed = all.length - good
  return resultOf({
    data: { results: all, total_count: all.length, success_count: good, error_count: failed },
    successful: failed === 0,
    error: failed === 0 ? null : `${failed} of ${all.length} calls failed.`,
    log_id: null,
  })
}

/** A refusal of ours, which is in no form of Composio's. */
function plain({ content, structuredContent, isError }: JsonObject): JsonObject {
  const texts = (Array.isArray(content) ? content : []).flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  )
  const data: Json = structuredContent ?? texts.join('\n')
  return isError === true
    ? { data: {}, successful: false, error: texts.join('\n') }
    : { data, successful: true, error: null }
}
