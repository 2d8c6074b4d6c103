/**
 * Reading on in a result that was cut: by its resource's address (`?offset=&length=` in characters, `?line=&lines=`), and by the
 * gateway's own tool for clients that read no resources.
 *
 * Only whoever got the result, at the endpoint where it got it, finds it (`results/result-store.ts`).
 */
import { Fault } from '@toolway/contract'
import { adaptResult, isObject, type McpRequest, type Json, type JsonObject } from '@toolway/protocol'
import { readResultTool } from '../../catalog/budgets.ts'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import { pathOf } from '../../lib/parameter-path.ts'
import { isFileId } from '../../snapshot/ports/file-store.ts'
import type { StoredResult } from '../../results/result-store.ts'
import { sentenceOf } from '../steps/argument-schema.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import { keptUri } from './keep-rest.ts'
import { readFileBytes, readFileText } from './read-file.ts'
import type { ShapeParts, Shaping } from './shaping.ts'

const LONGEST = 65_536
const USUAL = 16_384
const ADDRESS = /^toolway:\/\/(?:results\/(?=res_)|files\/(?=file_))([a-z]{3,4}_[0-9a-z]{26})(?:\?([\w=&]*))?$/

interface Range {
  readonly text: string
  /** In characters (UTF-16 units). */
  readonly offset: number
  readonly total: number
}

/** Undefined where the address is none of ours, or of nothing that this caller may read: then it may be a server's. */
export async function readKept(
  parts: ShapeParts,
  requestContext: Shaping,
  mcpRequest: McpRequest,
): Promise<Answer | undefined> {
  const { uri } = mcpRequest.params
  const [, id, query = ''] = (typeof uri === 'string' && ADDRESS.exec(uri)) || []
  if (id === undefined || typeof uri !== 'string') return undefined
  const { revision } = mcpRequest.caller
  const whole = isFileId(id) ? await readFileBytes(parts, requestContext, id) : undefined
  if (whole !== undefined) {
    const contents = [{ uri, ...whole }]
    return { result: adaptResult('resources/read', { contents }, { from: revision, to: revision }) }
  }
  const kept = await find(parts, requestContext, id)
  if (kept === undefined) return undefined
  const { text, offset, total } = rangeOf(kept.text, new URLSearchParams(query), bound(parts))
  const range: JsonObject = { offset, length: text.length, total }
  const result: JsonObject = {
    contents: [{ uri, mimeType: 'text/plain', text, _meta: { 'dev.toolway/range': range } }],
  }
  return { result: adaptResult('resources/read', result, { from: revision, to: revision }) }
}

/** The gateway's own tool. Throws `resource.unknown` and `arguments.invalid`. */
export async function readByTool(
  parts: ShapeParts,
  requestContext: Shaping,
  mcpRequest: McpRequest,
  tool: string,
): Promise<Answer> {
  const given = isObject(mcpRequest.params['arguments']) ? mcpRequest.params['arguments'] : {}
  const { problems, count } = schemaRead(definitionOf(tool)).check(given)
  if (count > 0)
    throw new Fault(
      'arguments.invalid',
      { tool, problems: sentenceOf(problems, count) },
      { data: { errors: problems } },
    )
  const { id, offset = 0, length = USUAL, path } = given
  const kept = await find(parts, requestContext, String(id))
  if (kept === undefined) throw new Fault('resource.unknown', { uri: keptUri(String(id).slice(0, 100)) })
  const text = typeof path === 'string' ? partOf(kept, path) : kept.text
  const part = slice(text, Number(offset), Math.min(Number(length), bound(parts)))
  const end = part.offset + part.text.length
  const more = end < part.total ? `; continue with offset ${end}` : '; end of the result'
  const words = `[Characters ${part.offset} to ${end} of ${part.total}${more}]`
  const result: JsonObject = {
    content: [
      { type: 'text', text: part.text },
      { type: 'text', text: words },
    ],
  }
  const { revision } = mcpRequest.caller
  return { result: adaptResult('tools/call', result, { from: revision, to: revision }) }
}

const definitions = new Map<string, object>()
/** One object for each name, so that it is read once. */
function definitionOf(tool: string): object {
  const definition = definitions.get(tool) ?? (readResultTool(tool)['inputSchema'] as JsonObject)
  definitions.set(tool, definition)
  return definition
}

async function find(parts: ShapeParts, requestContext: Shaping, id: string): Promise<StoredResult | undefined> {
  if (isFileId(id)) return readFileText(parts, requestContext, id)
  const { organizationId, principal, owner } = requestContext
  return parts.results?.find({ organizationId, principal: principal.id, owner }, id)
}

/** A character may have three bytes. */
const bound = ({ resultLimit }: ShapeParts): number =>
  Math.max(1, Math.min(LONGEST, Math.floor((resultLimit - 200) / 3)))

function partOf({ text, mime }: StoredResult, path: string): string {
  if (mime !== 'application/json')
    throw new Fault('params.shape', { place: '/arguments/path', problem: 'is for JSON results' })
  return JSON.stringify(at(JSON.parse(text) as Json, pathOf(path)), undefined, 1)
}

/** A number is a row, a `*` each of them; what is not there is null. */
function at(value: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined) return value
  if (Array.isArray(value)) return name === '*' ? value.map((item) => at(item, rest)) : at(rowOf(value, name), rest)
  return isObject(value) && Object.hasOwn(value, name) ? at(value[name] ?? null, rest) : null
}
const rowOf = (list: readonly Json[], name: string): Json =>
  /^\d{1,9}$/.test(name) ? (list[Number(name)] ?? null) : null

function rangeOf(text: string, query: URLSearchParams, most: number): Range {
  const number = (name: string) => {
    const said = query.get(name)
    return said === null || !/^\d{1,15}$/.test(said) ? undefined : Number(said)
  }
  const line = number('line')
  const lines = number('lines')
  if (line !== undefined || lines !== undefined) {
    const from = startOfLine(text, Math.max(1, line ?? 1))
    const to = lines === undefined ? text.length : startOfLine(text, lines + 1, from)
    return slice(text, from, Math.min(to - from, most))
  }
  return slice(text, number('offset') ?? 0, Math.min(number('length') ?? most, most))
}

/** Where the nth line begins, from there on; the end where there are not so many. */
function startOfLine(text: string, line: number, from = 0): number {
  let at = from
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', at)
    if (end === -1) return text.length
    at = end + 1
  }
  return at
}

/** No half of a surrogate pair at either end. */
function slice(text: string, offset: number, length: number): Range {
  const start = Math.min(offset, text.length)
  const from = isLow(text, start) ? start - 1 : start
  const end = Math.min(text.length, Math.max(from + 1, start + length))
  const to = isLow(text, end) ? end + 1 : end
  return { text: text.slice(from, to), offset: from, total: text.length }
}
const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}
