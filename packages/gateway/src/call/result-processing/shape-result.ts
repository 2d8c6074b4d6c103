/**
 * Reduces a tool's result to its budget for the caller (ledger U-16), with a note of the parts left out and where they can be
 * read.
 *
 * Parts left out are stored for the caller, except those that a rule redacts, which are stored nowhere. Where nothing is left
 * out, the result passes as the same object.
 */
import type { ConnectionId, Rule } from '@toolway/contract'
import { isObject, type McpRequest, type JsonObject } from '@toolway/protocol'
import { budgetOf, type Budget } from './budget.ts'
import { bytesBeyond, cutResult, hasLargeContent } from './cut-result.ts'
import { reduceResult, wholeOf, type Reduced, type Whole } from './reduce-result.ts'
import { withoutLargeMembers } from './large-members.ts'
import { mayLink, storeContent } from './store-content.ts'
import { keepRest, storeOf, type Kept } from './keep-rest.ts'
import type { Reading, ShapeParts, Shaping } from './shaping.ts'

/** Bytes that stand for one token of a model, roughly: of English text and JSON. */
const PER_TOKEN = 4

/** A promise only where something was left out. */
export function shapeResult(
  parts: ShapeParts,
  requestContext: Shaping,
  result: JsonObject,
  sizes: readonly Rule<'size'>[],
  reading: Reading,
): JsonObject | Promise<JsonObject> {
  const budget = budgetOf(sizes, Math.max(parts.resultLimit, reading.direct ?? 0))
  const reduced = reduceResult(result, budget)
  const over = bytesBeyond(reduced.result, budget.text) !== undefined
  const large = parts.files !== undefined && hasLargeContent(reduced.result)
  if (!over && !large && reduced.cut.length === 0) return result
  const shaping = { parts, requestContext, result, sizes, budget, reduced, over, reading }
  return large ? stored(shaping) : told(shaping)
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
  readonly sizes: readonly Rule<'size'>[]
  readonly budget: Budget
  readonly reduced: Reduced
  readonly over: boolean
  readonly reading: Reading
}

/** Content that no model reads goes first: often nothing is over the limit then. */
async function stored(cutting: Cutting): Promise<JsonObject> {
  const { parts, requestContext, reduced, budget, reading } = cutting
  const result = await storeContent(reduced.result, storeOf(parts, requestContext, reading), reading.revision)
  const over = bytesBeyond(result, budget.text) !== undefined
  if (!over && reduced.cut.length === 0) return result
  return told({ ...cutting, reduced: { ...reduced, result }, over })
}

async function told(cutting: Cutting): Promise<JsonObject> {
  const { parts, requestContext, result, sizes, reduced, over, reading } = cutting
  const kept = await keepRest(parts, requestContext, wholeIn(reduced, over), reading)
  // Where large results are passed on whole, a larger one is shown as others are.
  const budget = reading.direct === undefined ? cutting.budget : budgetOf(sizes, parts.resultLimit)
  const shaped = withNotice(reduced, { budget, over, kept, tool: requestContext.toolListing.readResult })
  const slim = over && reading.direct !== undefined ? withoutLargeMembers(shaped, kept?.file) : shaped
  const linked = kept === undefined || !mayLink(reading.revision) ? slim : withLink(slim, kept)
  return withReport(linked, { before: result, reduced, over, kept })
}

const wholeIn = ({ result: { content, structuredContent }, whole }: Reduced, over: boolean): Whole | undefined =>
  whole ?? (over ? wholeOf(Array.isArray(content) ? content : [], structuredContent) : undefined)

interface Notice {
  readonly budget: Budget
  readonly over: boolean
  readonly kept: Kept | undefined
  readonly tool: string | undefined
}

function nextOf({ kept, tool }: Notice): string {
  if (kept === undefined) return 'Request less, or only part of it.'
  const ways = [...(tool === undefined ? [] : [`the tool ${tool} and the ID ${kept.id}`]), `the resource ${kept.uri}`]
  return `For ${Math.round(kept.seconds / 60)} minutes, all of it can be read with ${ways.join(', or ')}.`
}

function withNotice({ result, cut, rows }: Reduced, notice: Notice): JsonObject {
  const { content } = result
  const value = notice.over ? cutResult(result, notice.budget.text, nextOf(notice)) : result
  const left = cut.filter((how) => how !== 'redact')
  if (notice.over || left.length === 0 || !Array.isArray(content)) return value
  const what = rows === undefined ? 'some members' : `rows: ${rows.shown} of ${rows.of} are shown`
  const text = `[Left out by Toolway: ${what}. ${nextOf(notice)}]`
  return { ...value, content: [...content, { type: 'text', text }] }
}

const withLink = (result: JsonObject, { link }: Kept): JsonObject => ({
  ...result,
  content: [...(Array.isArray(result['content']) ? result['content'] : []), link],
})

interface Report {
  readonly before: JsonObject
  readonly reduced: Reduced
  readonly over: boolean
  readonly kept: Kept | undefined
}

/** For programs and for whoever wants to know what the budget saves. */
function withReport(result: JsonObject, { before, reduced, over, kept }: Report): JsonObject {
  const bytes = { before: sizeOf(before), after: sizeOf(result) }
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const report: JsonObject = {
    bytes,
    tokens_saved: Math.max(0, Math.round((bytes.before - bytes.after) / PER_TOKEN)),
    cut: [...reduced.cut, ...(over ? ['text'] : [])],
    ...(reduced.rows === undefined ? {} : { rows: { ...reduced.rows } }),
    ...(kept === undefined ? {} : { result: kept.uri }),
  }
  return { ...result, _meta: { ...meta, 'dev.toolway/budget': report } }
}

/** The size in bytes of the parts that a model may read. */
const sizeOf = ({ content, structuredContent }: JsonObject): number =>
  Buffer.byteLength(JSON.stringify(content ?? [])) + Buffer.byteLength(JSON.stringify(structuredContent ?? null))
