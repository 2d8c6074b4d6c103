/**
 * Search results over the tools of an endpoint: names, descriptions and, for the first ones, parameters, within a budget of
 * tokens.
 */
import type { Effect } from '@toolway/contract'
import { isObject, MODERN, type McpRequest, type JsonObject } from '@toolway/protocol'
import { ordered, pageOf, type Signer } from '../../catalog/page.ts'
import { createRanking, type Ranking } from '../../catalog/search/ranking.ts'
import { categoryOf, type Offered, type ToolListing } from '../../catalog/tool-listing.ts'
import { tokensOf } from '../../lib/tokens.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { cut, TIER_PAGE } from './own-tools.ts'
import { seenTools } from './seen.ts'

const rankings = new WeakMap<ToolListing, Ranking>()

/** Made when it is first asked; it goes with its view, whatever changes. */
function rankingOf(toolListing: ToolListing): Ranking {
  const ranking = rankings.get(toolListing)
  if (ranking !== undefined) return ranking
  const made = createRanking(findable(toolListing))
  rankings.set(toolListing, made)
  return made
}

function* findable(toolListing: ToolListing) {
  for (const definition of toolListing.list('tools', MODERN)) {
    const name = String(definition['name'])
    const target = toolListing.tool(name)
    if (target !== undefined) yield { name, own: target.name, alias: target.alias, definition }
  }
}

export interface ToolSearch {
  readonly query: string
  readonly limit: number
  readonly effect: Effect | undefined
}

export function findTools(
  requestContext: RequestContext,
  mcpRequest: McpRequest,
  { query, limit, effect }: ToolSearch,
): JsonObject {
  const seen = seenTools(requestContext, mcpRequest.caller)
  const found: string[] = []
  for (const name of rankingOf(requestContext.toolListing).find(query))
    if (seen.has(name) && (effect === undefined || requestContext.toolListing.tool(name)?.effect === effect))
      found.push(name)
  let left = SCHEMA_TOKENS
  const tools = found.slice(0, limit).map((name) => {
    const definition = seen.get(name) ?? {}
    const { inputSchema } = definition
    const cost = tokensOf(inputSchema)
    // In the order of the list, so that nobody wonders why the second has none and the third one has.
    const fits = cost <= left
    left = fits ? left - cost : 0
    return toldOf(requestContext, name, definition, fits && isObject(inputSchema) ? { inputSchema } : {})
  })
  return { tools, total: found.length }
}

/** The budget in tokens for the input schemas of the first results together; `describe_tool` shows the others. */
const SCHEMA_TOKENS = 1_000
const LONGEST_DESCRIPTION = 200

export function toldOf(
  { toolListing }: Pick<RequestContext, 'toolListing'>,
  name: string,
  definition: JsonObject,
  more: JsonObject = {},
): JsonObject {
  const target = toolListing.tool(name)
  const { title, description } = definition
  const status = toolListing.offered.find(({ connectionId }) => connectionId === target?.connectionId)?.status
  return {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    description: describes(description) ? cut(description, LONGEST_DESCRIPTION) : readable(target?.name ?? name),
    effect: target?.effect ?? 'write',
    connection: target?.alias ?? '',
    ...(status === undefined ? {} : { status }),
    ...more,
  }
}

const describes = (input: unknown): input is string => typeof input === 'string' && input.trim() !== ''

/** A readable form of the name, for tools without a description. */
const readable = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()

export interface Page {
  readonly filter: string | undefined
  readonly category: string | undefined
  readonly cursor: string | undefined
  readonly signer: Signer
}

/** The tools of one connection, page by page: by name, or the best first where something is looked for. */
export function listOf(requestContext: RequestContext, mcpRequest: McpRequest, from: Offered, page: Page): JsonObject {
  const { filter = '', category, cursor, signer } = page
  const { toolListing } = requestContext
  const seen = seenTools(requestContext, mcpRequest.caller)
  const own = [...seen].filter(
    ([name, definition]) =>
      toolListing.tool(name)?.connectionId === from.connectionId &&
      (category === undefined || categoryOf(definition) === category),
  )
  const tell = (definitions: readonly JsonObject[]) =>
    definitions.map((definition) => {
      const { inputSchema = { type: 'object' } } = definition
      return toldOf(requestContext, String(definition['name']), definition, { inputSchema })
    })
  if (filter.trim() !== '') {
    const names = new Set(own.map(([name]) => name))
    const found = rankingOf(toolListing)
      .find(filter)
      .filter((name) => names.has(name))
    return { tools: tell(found.slice(0, TIER_PAGE).map((name) => seen.get(name) ?? {})), total: found.length }
  }
  const definitions = own.map(([, definition]) => definition)
  const scope = `${requestContext.owner} ${from.alias} ${category ?? ''}`
  const { items, nextCursor } = pageOf(ordered(definitions, 'name', TIER_PAGE), {
    cursor,
    scope,
    member: 'name',
    signer,
    size: TIER_PAGE,
  })
  return {
    tools: tell(items),
    total: definitions.length,
    ...(nextCursor === undefined ? {} : { nextCursor }),
  }
}
