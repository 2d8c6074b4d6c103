/** Lists, from what is known in memory: no upstream is asked, and a dead one takes nothing from anybody's list. */
import { TOOL_OF_TEMPLATE } from '@toolway/connectors'
import { Fault, TOOL_EFFECT, WANTS_EFFECTS } from '@toolway/contract'
import { adaptResult, isObject, metaOf, type McpRequest, type Caller, type JsonObject } from '@toolway/protocol'
import { ordered, PAGE_SIZE, pageOf } from '../catalog/page.ts'
import type { ListKind } from '../catalog/tool-listing.ts'
import { listApps } from './discovery/apps.ts'
import { listedTools } from './discovery/listed-tools.ts'
import { itemsOf, listedFor, seenTools, withAccounts } from './discovery/seen.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'

interface Listable {
  readonly kind: ListKind
  /** The member of the result that holds the list, and the member of an item that names it. */
  readonly member: string
  readonly name: string
}

export const LISTS: Readonly<Record<string, Listable>> = {
  'tools/list': { kind: 'tools', member: 'tools', name: 'name' },
  'prompts/list': { kind: 'prompts', member: 'prompts', name: 'name' },
  'resources/list': { kind: 'resources', member: 'resources', name: 'uri' },
  'resources/templates/list': { kind: 'templates', member: 'resourceTemplates', name: 'uriTemplate' },
}

export function list(
  requestContext: RequestContext,
  mcpRequest: McpRequest,
  parts: Pick<CallParts, 'signer' | 'credentials'>,
): Answer {
  const listable = LISTS[mcpRequest.method]
  if (listable === undefined) throw new Fault('method.unknown', { method: mcpRequest.method })
  const { cursor } = mcpRequest.params
  if (cursor !== undefined && typeof cursor !== 'string') throw new Fault('cursor.unknown')
  const { kind, member, name } = listable
  const { revision } = mcpRequest.caller
  const { mode, page: size = PAGE_SIZE } = requestContext.toolListing.discovery
  const whole =
    kind === 'tools'
      ? listedTools(requestContext, mcpRequest.caller)
      : listedItems(requestContext, kind, mcpRequest.caller)
  const { items, nextCursor } = pageOf(ordered(whole, name, size), {
    cursor,
    scope: `${requestContext.owner} ${mcpRequest.method}`,
    member: name,
    signer: parts.signer,
    size,
  })
  const own =
    kind === 'tools'
      ? withEffects(requestContext, mcpRequest, withAccounts(parts, requestContext, ruled(items)))
      : items
  const result: JsonObject = { [member]: own as JsonObject[] }
  if (nextCursor !== undefined) result['nextCursor'] = nextCursor
  return { result: adaptResult(mcpRequest.method, result, { from: revision, to: revision }) }

  /** Where all are listed, rules are asked of those on the page only; where tools are looked for, they were asked of all. */
  function ruled(tools: readonly JsonObject[]): readonly JsonObject[] {
    return mode === 'direct' || mode === 'paged' ? listedFor(requestContext, mcpRequest.caller, tools) : tools
  }
}

/** For whoever asks for it, each tool says which effect counts, and whose word that is (`contract/shown-effects.ts`). */
function withEffects(
  { toolListing }: Pick<RequestContext, 'toolListing'>,
  { params }: Pick<McpRequest, 'params'>,
  tools: readonly JsonObject[],
): readonly JsonObject[] {
  if (metaOf(params)[WANTS_EFFECTS] !== true) return tools
  return tools.map((definition) => {
    const target = toolListing.tool(String(definition['name']))
    if (target === undefined) return definition
    // A value that its server sends under that name is not the gateway's.
    const { [TOOL_EFFECT]: _, ...meta } = metaOf(definition)
    const { effect, effectFrom: from = 'unknown' } = target
    return { ...definition, _meta: { ...meta, [TOOL_EFFECT]: { effect, from } } }
  })
}

/** Apps go before what servers have; where there are none, the list is the one that is kept. */
function listedItems(requestContext: RequestContext, kind: ListKind, caller: Caller): readonly JsonObject[] {
  const items = kind === 'templates' ? listedTemplates(requestContext, caller) : itemsOf(requestContext, kind, caller)
  const apps = kind === 'resources' ? listApps(requestContext, caller) : []
  return apps.length === 0 ? items : [...apps, ...items]
}

/** A template whose addresses a tool reads is listed with that tool. */
function listedTemplates(requestContext: RequestContext, caller: Caller): readonly JsonObject[] {
  const items = itemsOf(requestContext, 'templates', caller)
  const toolOf = ({ _meta: meta }: JsonObject) => (isObject(meta) ? meta[TOOL_OF_TEMPLATE] : undefined)
  if (items.every((item) => toolOf(item) === undefined)) return items
  const { toolListing } = requestContext
  const seen = new Set([...seenTools(requestContext, caller).keys()].map((name) => toolListing.tool(name)?.name))
  return items.filter((item) => {
    const tool = toolOf(item)
    return typeof tool !== 'string' || seen.has(tool)
  })
}
