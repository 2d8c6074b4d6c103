/** The tool of one connection that a name means at an endpoint: as it is listed, or as its server calls it. */
import type { McpRequest } from '@toolway/protocol'
import type { Offered } from '../../catalog/tool-listing.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { seenTools } from './seen.ts'

/** The name by which it is called here; undefined where the caller has no such tool. */
export function toolOfConnection(
  requestContext: RequestContext,
  { caller }: Pick<McpRequest, 'caller'>,
  { connectionId, alias }: Pick<Offered, 'connectionId' | 'alias'>,
  name: string,
): string | undefined {
  const { toolListing } = requestContext
  const isOf = (known: string) => toolListing.tool(known)?.connectionId === connectionId
  if (isOf(name)) return name
  for (const known of seenTools(requestContext, caller).keys())
    if (isOf(known) && toolListing.tool(known)?.name === name) return known
  // A tool that is held for review or blocked is in no listing; a call by its name is told so.
  const joined = `${alias}__${name}`
  return isOf(joined) ? joined : undefined
}
