/**
 * The result of a call in the form of the source system: `{data, successful, error, log_id}` (ledger S0-CMP-06). A server that
 * answers in this form already, as Composio does, is passed on as it is, but for a `code`.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'

/** @param correlationId the id under which the call is recorded, where the server gave none of its own */
export function executedForm(result: JsonObject, correlationId: string): JsonObject {
  const { structuredContent: structured, content, isError } = result
  if (isObject(structured) && typeof structured['successful'] === 'boolean' && 'data' in structured) {
    // A code is the gateway's word for a fault of its own.
    const { code: _, ...own } = structured
    return { error: null, ...own, log_id: own['log_id'] ?? correlationId }
  }
  const data = structured ?? dataOf(content)
  if (isError !== true) return { data, successful: true, error: null, log_id: correlationId }
  return {
    data: structured ?? null,
    successful: false,
    error: textOf(content),
    ...codeOf(result),
    log_id: correlationId,
  }
}

const isText = (block: Json): block is { type: 'text'; text: string } =>
  isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string'

/** One text that is JSON is what it says; several blocks, or pictures, stay as they are. */
function dataOf(content: Json | undefined): Json {
  const blocks = Array.isArray(content) ? content : []
  const [only] = blocks
  if (blocks.length !== 1 || only === undefined || !isText(only)) return blocks
  if (!/^\s*[[{]/.test(only.text)) return only.text
  try {
    return JSON.parse(only.text) as Json
  } catch {
    return only.text
  }
}

const textOf = (content: Json | undefined): string => {
  const texts = (Array.isArray(content) ? content : []).filter(isText).map(({ text }) => text)
  return texts.length === 0 ? 'The tool failed and did not say why.' : texts.join('\n')
}

/** The word of a fault of ours, by which a program tells errors apart; `call/forward.ts` removes it from results of servers. */
function codeOf({ _meta: meta }: JsonObject): JsonObject {
  const fault = isObject(meta) ? meta['dev.toolway/fault'] : undefined
  return isObject(fault) && typeof fault['code'] === 'string' ? { code: fault['code'] } : {}
}
