/** Tools as Composio's REST interface lists them, under their slugs (ledger S0-PRX-04). */
import { statesEffect } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { offerReferences } from './offer-references.ts'
import type { LeftOut } from '../upstream.ts'
import type { ListedTool, ToolList } from '../listed/listed-upstream.ts'

export interface ComposioTool extends ListedTool {
  readonly slug: string
  readonly toolkit: string
  /** It acts for an account of the user. */
  readonly needsAccount: boolean
  /** It is one of a session's own, which its MCP server runs. */
  readonly isSessionTool: boolean
}

/** Hints among the tags of a tool. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

export function toolListOf(listed: readonly JsonObject[], more: readonly ComposioTool[] = []): ToolList<ComposioTool> {
  const tools = new Map(more.map((tool) => [tool.slug, tool]))
  const leftOut: LeftOut[] = []
  for (const value of listed) {
    const tool = toolOf(value)
    const slug = String(value['slug'] ?? value['name'] ?? 'a tool').slice(0, 200)
    if (typeof tool === 'string') leftOut.push({ name: slug, reason: tool })
    else if (tools.has(tool.slug)) leftOut.push({ name: slug, reason: 'an earlier tool has the same slug' })
    else tools.set(tool.slug, tool)
  }
  return { tools, leftOut }
}

/** A tool, or why it is left out. */
function toolOf(value: JsonObject): ComposioTool | string {
  const {
    slug,
    name,
    description,
    toolkit,
    input_parameters: input,
    no_auth: noAuth,
    is_deprecated: deprecated,
  } = value
  if (typeof slug !== 'string' || !/^[A-Za-z0-9_-]{1,128}$/.test(slug)) return 'its slug is not a valid tool name'
  if (deprecated === true) return 'Composio marks it as deprecated'
  if (!isObject(input)) return 'it has no schema for its arguments'
  return {
    slug,
    toolkit: isObject(toolkit) && typeof toolkit['slug'] === 'string' ? toolkit['slug'] : '',
    needsAccount: noAuth !== true,
    isSessionTool: false,
    definition: withEffect({
      name: slug,
      ...(typeof name === 'string' ? { title: name } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema: { ...offerReferences(input), type: 'object' },
      annotations: { ...hintsIn(value['tags']), openWorldHint: true },
    }),
  }
}

const hintsIn = (tags: Json | undefined): JsonObject =>
  Object.fromEntries(HINTS.filter((hint) => Array.isArray(tags) && tags.includes(hint)).map((hint) => [hint, true]))

const withReferences = (definition: JsonObject): JsonObject =>
  isObject(definition['inputSchema'])
    ? { ...definition, inputSchema: offerReferences(definition['inputSchema']) }
    : definition

/**
 * Tools that run any code, with the accounts of the user beside it: whatever a tool may do, such code may do, so that it counts as
 * destructive whatever its list says or leaves out. RUBE is Composio's other name of the same tools.
 */
const RUNS_CODE = /^(?:COMPOSIO|RUBE)_REMOTE_(?:WORKBENCH|BASH_TOOL)$/

/**
 * Tools of a session that do nothing at any vendor: they search, they lead to a page where a person connects an account, and each call that
 * is executed is judged by itself (`multi-execute.ts`). The effect of any other tool is unknown unless its list states one.
 */
const ONLY_PREPARES =
  /^(?:COMPOSIO|RUBE)_(?:SEARCH_TOOLS|GET_TOOL_SCHEMAS|(?:MANAGE|WAIT_FOR)_CONNECTIONS|MULTI_EXECUTE_TOOL)$/

const withEffect = (definition: JsonObject): JsonObject => {
  const { name, annotations } = definition
  if (typeof name !== 'string') return definition
  const hints = isObject(annotations) ? annotations : {}
  if (RUNS_CODE.test(name))
    return { ...definition, annotations: { ...hints, readOnlyHint: false, destructiveHint: true } }
  return ONLY_PREPARES.test(name) && !statesEffect(annotations)
    ? { ...definition, annotations: { ...hints, readOnlyHint: false, destructiveHint: false } }
    : definition
}

/** The tools of an MCP server at Composio, as it lists them. */
export function mcpToolsOf(result: JsonObject, isSessionTool: boolean): ComposioTool[] {
  const { tools } = result
  return (Array.isArray(tools) ? tools : []).filter(isObject).flatMap((definition) => {
    const { name } = definition
    return typeof name === 'string'
      ? [
          {
            slug: name,
            toolkit: '',
            needsAccount: !isSessionTool,
            isSessionTool,
            definition: withEffect(withReferences(definition)),
          },
        ]
      : []
  })
}
