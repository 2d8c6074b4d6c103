/**
 * The tools that a caller may see at an endpoint, listed at once or not: lists, searches and descriptions are all made of this
 * one answer, so that none of them finds a hidden tool.
 */
import type { ConnectionId, Facts } from '@toolway/contract'
import { APPS, declares, type Caller, type JsonObject } from '@toolway/protocol'
import { nameAccounts } from '../../catalog/account-choice.ts'
import type { ListKind } from '../../catalog/tool-listing.ts'
import { factsOf } from '../policy/facts.ts'
import { listedBy } from '../steps.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'

export const itemsOf = (
  { toolListing }: Pick<RequestContext, 'toolListing'>,
  kind: ListKind,
  { revision, capabilities }: Caller,
): readonly JsonObject[] => toolListing.list(kind, revision, declares(capabilities, APPS))

/** The name that a client gives itself, for rules. */
function callerOf({ client }: Caller): { readonly client: string | undefined } {
  const name = client?.['name']
  return { client: typeof name === 'string' ? name : undefined }
}

/**
 * Definitions as this caller may see them, by the steps of a call. The part that is the same for every caller was done when the
 * tool listing was built.
 */
export function listedFor(
  requestContext: Seeing,
  caller: Caller,
  definitions: readonly JsonObject[],
): readonly JsonObject[] {
  const { toolListing } = requestContext
  if (!toolListing.varies) return definitions
  let known: Facts | undefined
  const facts = () => (known ??= factsOf(requestContext, callerOf(caller)))
  return definitions.flatMap((definition) => {
    const tool = toolListing.tool(String(definition['name']))
    const listed = tool === undefined ? definition : listedBy(tool, definition, facts)
    return listed === undefined ? [] : [listed]
  })
}

/** The tools that a caller sees. */
export const toolsFor = (requestContext: Seeing, caller: Caller): readonly JsonObject[] =>
  listedFor(requestContext, caller, itemsOf(requestContext, 'tools', caller))

export type Seeing = Pick<RequestContext, 'toolListing' | 'who' | 'organization' | 'toolset'>

const named = new WeakMap<readonly JsonObject[], ReadonlyMap<string, JsonObject>>()

/** The same, by name. */
export function seenTools(requestContext: Seeing, caller: Caller): ReadonlyMap<string, JsonObject> {
  const list = toolsFor(requestContext, caller)
  const held = named.get(list)
  if (held !== undefined) return held
  const made = new Map(list.map((definition) => [String(definition['name']), definition]))
  named.set(list, made)
  return made
}

/** Where a tool takes the name of an account, the caller reads which ones it has. */
export function withAccounts(
  { credentials }: Pick<CallParts, 'credentials'>,
  { toolListing, principal, organizationId }: RequestContext,
  tools: readonly JsonObject[],
): readonly JsonObject[] {
  if (credentials === undefined || toolListing.offered.every(({ chooses }) => chooses !== true)) return tools
  const accounts = new Map<ConnectionId, readonly string[]>()
  return tools.map((definition) => {
    const target = toolListing.tool(String(definition['name']))
    if (target?.account === undefined) return definition
    const { connectionId } = target
    const own = accounts.get(connectionId) ?? credentials.accounts({ organizationId, connectionId, principal })
    accounts.set(connectionId, own)
    return own.length === 0 ? definition : nameAccounts(definition, target.account, own)
  })
}
