/**
 * Reduces a tool's result to its budget for the caller (ledger U-16), with a note of the parts left out and where they can be
 * read.
 *
 * Parts left out are stored for the caller, except those that a rule redacts, which are stored nowhere. Where nothing is left
 * out, the result passes as the same object.
 */
import type { ConnectionId, Rule } from '@toolway/contract'
import { isObject, type McpRequest, type JsonObject } from '@toolway/protocol'
import type { CallParts, RequestContext } from '../ports.ts'
import { budgetOf, type Budget } from './budget.ts'
import { bytesBeyond, cutResult } from './cut-result.ts'
import { reduceResult, wholeOf, type Reduced, type Whole } from './reduce-result.ts'

export type Shaping = Pick<RequestContext, 'organizationId' | 'principal' | 'owner' | 'toolListing'>
export type ShapeParts = Pick<CallParts, 'results' | 'resultLimit'>

/** Where what is kept can be read. */
export const keptUri = (id: string): string => `toolway://results/${id}`
/** Bytes that stand for one token of a model, roughly: of English text and JSON. */
const PER_TOKEN = 4

/** A promise only where something was left out. */
export function shapeResult(
  parts: ShapeParts,
  requestContext: Shaping,
  result: JsonObject,
  sizes: readonly Rule<'size'>[],
  { revision }: Pick<McpRequest['caller'], 'revision'>,
): JsonObject | Promise<JsonObject> {
  const budget = budgetOf(sizes, parts.resultLimit)
  const reduced = reduceResult(result, budget)
  const over = bytesBeyond(reduced.result, budget.text) !== undefined
  if (!over && reduced.cut.length === 0) return result
  return told({ parts, requestContext, result, budget, reduced, over, revision })
}

/** A result that comes by way of a task: on its own in answer to `tasks/result`, or in the task that has ended. */
export async function shapeTask(
  parts: ShapeParts,
  requestContext: Shaping,
  connectionId: ConnectionId,
  task: JsonObject,
  caller: Pick<McpRequest['caller'], 'revision'>,
): Promise<JsonObject> {
  const sizes = requestContext.toolListing.sizes(connectionId)
  const { result } = task
  if (!isObject(result)) return shapeResult(parts, requestContext, task, sizes, caller)
  const shaped = await shapeResult(parts, requestContext, result, sizes, caller)
  return shaped === result ? task : { ...task, result: shaped }
}

interface Cutting {
  readonly parts: ShapeParts
  readonly requestContext: Shaping
  readonly result: JsonObject
  readonly budget: Budget
  readonly reduced: Reduced
  readonly over: boolean
  readonly revision: string
}

async function told({ parts, requestContext, result, budget, reduced, over, revision }: Cutting): Promise<JsonObject> {
  const id = await keep(parts, requestContext, reduced, over)
  const shaped = withNotice(reduced, {
    budget,
    over,
    id,
    tool: requestContext.toolListing.readResult,
    seconds: parts.results?.seconds,
  })
  const linked = id === undefined || !LINKS.has(revision) ? shaped : withLink(shaped, id)
  return withReport(linked, { before: result, reduced, over, id })
}

/** Revisions whose results may link to a resource (2025-06-18, tool results). */
const LINKS: ReadonlySet<string> = new Set(['2025-06-18', '2025-11-25', '2026-07-28'])

async function keep(
  { results }: ShapeParts,
  { organizationId, principal, owner }: Shaping,
  { result, whole }: Reduced,
  over: boolean,
): Promise<string | undefined> {
  const { content, structuredContent } = result
  const kept: Whole | undefined =
    whole ?? (over ? wholeOf(Array.isArray(content) ? content : [], structuredContent) : undefined)
  if (results === undefined || kept === undefined) return undefined
  // Without its rest the result is still an answer.
  return results.keep({ organizationId, principal: principal.id, owner }, kept).catch(() => undefined)
}

interface Notice {
  readonly budget: Budget
  readonly over: boolean
  readonly id: string | undefined
  readonly tool: string | undefined
  readonly seconds: number | undefined
}

function nextOf({ id, tool, seconds = 0 }: Notice): string {
  if (id === undefined) return 'Ask for less, or for a part of it.'
  const ways = [...(tool === undefined ? [] : [`the tool ${tool} and the id ${id}`]), `the resource ${keptUri(id)}`]
  return `For ${Math.round(seconds / 60)} minutes all of it can be read by ${ways.join(', or ')}.`
}

function withNotice({ result, cut, rows }: Reduced, notice: Notice): JsonObject {
  const { content } = result
  const told = notice.over ? cutResult(result, notice.budget.text, nextOf(notice)) : result
  const left = cut.filter((how) => how !== 'redact')
  if (notice.over || left.length === 0 || !Array.isArray(content)) return told
  const what = rows === undefined ? 'some members' : `rows: ${rows.shown} of ${rows.of} are shown`
  const text = `[Left out by Toolway: ${what}. ${nextOf(notice)}]`
  return { ...told, content: [...content, { type: 'text', text }] }
}

const withLink = (result: JsonObject, id: string): JsonObject => ({
  ...result,
  content: [
    ...(Array.isArray(result['content']) ? result['content'] : []),
    { type: 'resource_link', uri: keptUri(id), name: 'all of this result', mimeType: 'text/plain' },
  ],
})

interface Report {
  readonly before: JsonObject
  readonly reduced: Reduced
  readonly over: boolean
  readonly id: string | undefined
}

/** For programs and for whoever wants to know what the budget saves. */
function withReport(result: JsonObject, { before, reduced, over, id }: Report): JsonObject {
  const bytes = { before: sizeOf(before), after: sizeOf(result) }
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const report: JsonObject = {
    bytes,
    tokens_saved: Math.max(0, Math.round((bytes.before - bytes.after) / PER_TOKEN)),
    cut: [...reduced.cut, ...(over ? ['text'] : [])],
    ...(reduced.rows === undefined ? {} : { rows: { ...reduced.rows } }),
    ...(id === undefined ? {} : { result: keptUri(id) }),
  }
  return { ...result, _meta: { ...meta, 'dev.toolway/budget': report } }
}

/** The size in bytes of the parts that a model may read. */
const sizeOf = ({ content, structuredContent }: JsonObject): number =>
  Buffer.byteLength(JSON.stringify(content ?? [])) + Buffer.byteLength(JSON.stringify(structuredContent ?? null))
