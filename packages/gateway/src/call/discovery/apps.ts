/**
 * The first of two tiers as resources: each connection is an app, `app://alias`, which tells what its tools are (ledger S0-DSC-02,
 * U-09). Only where connections are joined: an endpoint of one connection has no tier above it, and its server's own addresses
 * stay its own.
 */
import { adaptResult, MODERN, type McpRequest, type Caller, type JsonObject } from '@toolway/protocol'
import type { Offered, ToolListing } from '../../catalog/tool-listing.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { AuditEntryBuilder } from '../audit-entry.ts'
import { toldOf } from './find-tools.ts'
import { aboutOf, TIER_PAGE } from './own-tools.ts'
import { seenTools, type Seeing } from './seen.ts'

const SCHEME = 'app://'

const hasApps = ({ joined, discovery }: ToolListing): boolean => joined && discovery.mode === 'two-tier'

/** Those of which the caller sees a tool. */
export function listApps(requestContext: Seeing, caller: Caller): JsonObject[] {
  const { toolListing } = requestContext
  if (!hasApps(toolListing)) return []
  const seen = new Set(
    [...seenTools(requestContext, caller).keys()].map((name) => toolListing.tool(name)?.connectionId),
  )
  return toolListing.offered.filter(({ connectionId }) => seen.has(connectionId)).map(appOf)
}

const appOf = (from: Offered): JsonObject => ({
  uri: `${SCHEME}${from.alias}`,
  name: from.alias.toUpperCase(),
  description: `The tools of ${from.alias}${aboutOf(from)}; ${from.alias}__list_tools lists them.`,
  mimeType: 'application/json',
})

/** Describes an app and its first tools; undefined where the address is not that of an app. */
export function readApp(
  requestContext: RequestContext,
  mcpRequest: McpRequest,
  audit: AuditEntryBuilder,
): Answer | undefined {
  const { uri } = mcpRequest.params
  const { toolListing } = requestContext
  if (typeof uri !== 'string' || !uri.startsWith(SCHEME) || !hasApps(toolListing)) return undefined
  const from = toolListing.offered.find(({ alias }) => uri === `${SCHEME}${alias}`)
  const own = [...seenTools(requestContext, mcpRequest.caller)].filter(
    ([name]) => from !== undefined && toolListing.tool(name)?.connectionId === from.connectionId,
  )
  if (from === undefined || own.length === 0) return undefined
  // It is made of what lists are made of, and no server is asked.
  audit.note({ method: 'resources/list' })
  const tools = own.slice(0, TIER_PAGE).map(([name, definition]) => toldOf(requestContext, name, definition))
  const text = JSON.stringify({
    app: from.alias.toUpperCase(),
    connection: from.alias,
    status: from.status ?? 'unknown',
    tools,
    total: own.length,
    list: `${from.alias}__list_tools`,
    execute: `${from.alias}__execute_tool`,
  })
  const { revision } = mcpRequest.caller
  const result = { contents: [{ uri, mimeType: 'application/json', text }] }
  return { result: adaptResult('resources/read', result, { from: MODERN, to: revision }) }
}
