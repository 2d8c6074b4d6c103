/**
 * The result of a call for a model that reads all of the answer, such as Open WebUI's by its OpenAPI door: everything once. MCP repeats
 * structured data as text for older clients and a refusal in `_meta` for programs; here the data is structured or content, and a
 * refusal is its sentence and its code.
 */
import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson, type Json, type JsonObject } from '@toolway/protocol'

const FAULT = 'dev.toolway/fault'

/** A member `code` of the server's own is left out: it would pass for that of a refusal. `call/forward.ts` removes such facts from `_meta`. */
export function resultOnce(result: JsonObject): JsonObject {
  const { content, structuredContent, isError, _meta: meta, code: _, ...rest } = result
  const blocks = Array.isArray(content) ? content : []
  const others = structuredContent === undefined ? blocks : blocks.filter((block) => !repeats(block, structuredContent))
  return {
    ...rest,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(others.length === 0 && structuredContent !== undefined ? {} : { content: others }),
    ...(isError === true ? { isError, ...codeOf(meta) } : {}),
  }
}

/** Whether a block is the text of the structured data, or of the value that was wrapped into an object for it. */
function repeats(block: Json, structured: Json): boolean {
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return false
  const { text } = block
  if (text === JSON.stringify(structured)) return true
  try {
    const json = parseJson(text)
    return isDeepStrictEqual(json, structured) || (isObject(structured) && isWrapped(structured, json))
  } catch {
    return false
  }
}

const isWrapped = (structured: JsonObject, value: Json): boolean =>
  Object.keys(structured).length === 1 && 'result' in structured && isDeepStrictEqual(structured['result'], value)

/** The code of a fault of the gateway, as problem+json has it. */
function codeOf(meta: Json | undefined): JsonObject {
  const fault = isObject(meta) ? meta[FAULT] : undefined
  return isObject(fault) && typeof fault['fault'] === 'string' ? { code: fault['fault'] } : {}
}
