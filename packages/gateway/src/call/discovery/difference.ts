/**
 * Whether a change of what connections offer changes what the list of an endpoint names: where tools are looked for, most changes
 * do not, and a client that is told of each would list the same three tools again and again.
 */
import type { Caller } from '@toolway/protocol'
import type { Changed } from '../../catalog/changes.ts'
import { announcedLists } from '../introduce.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { listedTools } from './listed-tools.ts'

/**
 * To be made where somebody begins to listen, and asked at every change. `announced`: the lists of whose changes the client was
 * told that it would hear; what the endpoint announces by now, where that is not known.
 */
export function createListChangeDetector(
  requestContext: RequestContext,
  caller: Caller,
  announced: ReadonlySet<Changed> = announcedLists(requestContext, caller.revision),
): (kind: Changed) => boolean {
  let before = namesOf(requestContext, caller)
  return (kind) => {
    if (!announced.has(kind)) return false
    if (kind !== 'tools') return true
    const now = namesOf({ ...requestContext, ...requestContext.now() }, caller)
    const differs = now === undefined || before === undefined || now !== before
    before = now
    return differs
  }
}

/** Undefined where the list has all tools: then whoever says that one has changed is believed. */
function namesOf(requestContext: RequestContext, caller: Caller): string | undefined {
  const { mode } = requestContext.toolListing.discovery
  return mode === 'direct' || mode === 'paged' ? undefined : JSON.stringify(listedTools(requestContext, caller))
}
