/**
 * The tool arguments that are also sent in headers (`x-mcp-header`, specification 2026-07-28), learned from the tool listings
 * that pass by. A tool that no listing has named counts as having none, until the gateway says otherwise.
 */
import { headerParameters, isObject, type HeaderParameter, type JsonObject } from '@toolway/protocol'
import { readJson } from './ask.ts'

export interface HeaderParameters {
  /** The result of a `tools/list`. Returns the cursor of the page that follows. */
  learn(result: JsonObject): string | undefined
  /** The answer to a `tools/list`, as it came. */
  learnFrom(text: string): void
  of(method: string | undefined, params: JsonObject): readonly HeaderParameter[]
}

const MARK = '"x-mcp-header"'
/** Tools that are remembered; an endpoint has a few with such marks, if any. */
const MOST = 10_000

export function createHeaderParameters(): HeaderParameters {
  const known = new Map<string, readonly HeaderParameter[]>()

  function noteParameters(tool: unknown): void {
    if (!isObject(tool) || typeof tool['name'] !== 'string') return
    const found = headerParameters(tool['inputSchema'])
    if (found === undefined || found.length === 0) known.delete(tool['name'])
    else if (known.size < MOST) known.set(tool['name'], found)
  }

  function learnParameters({ tools, nextCursor }: JsonObject): string | undefined {
    if (Array.isArray(tools)) tools.forEach(noteParameters)
    return typeof nextCursor === 'string' ? nextCursor : undefined
  }

  return {
    learn: learnParameters,
    learnFrom(text) {
      // Most lists have no mark at all, and then only what was known before can have changed.
      if (known.size === 0 && !text.includes(MARK)) return
      const message = readJson(text)
      if (isObject(message) && isObject(message['result'])) learnParameters(message['result'])
    },
    of: (method, { name }) => (method === 'tools/call' && typeof name === 'string' ? (known.get(name) ?? []) : []),
  }
}
