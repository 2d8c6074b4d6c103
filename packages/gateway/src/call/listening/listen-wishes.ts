/** Splits a listen request's filter by server: each server's part under its own names, beside the names of the client. */
import { Fault } from '@toolway/contract'
import { eraOf, isObject, type Json, type JsonObject } from '@toolway/protocol'
import { targetOf, type Target } from '../../catalog/tool-listing.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { taskOwner } from '../tasks/task-owner.ts'

/** One server's part. The maps lead from the server's own name to the client's. */
export interface Wishes {
  readonly target: Target
  readonly uris: Map<string, string>
  readonly tasks: Map<string, string>
}

/** Resources, and tasks, that one listen stream may name. */
const MOST = 1_000

/** Throws `params.shape`. Entries that the caller may not see, or that the server does not notify of, are left out. */
export function wishesOf(
  { tasks }: Pick<CallParts, 'tasks'>,
  requestContext: RequestContext,
  value: JsonObject,
): readonly Wishes[] {
  const found = new Map<string, Wishes>()
  const at = (target: Target): Wishes => {
    const held = found.get(target.connectionId) ?? { target, uris: new Map(), tasks: new Map() }
    found.set(target.connectionId, held)
    return held
  }
  for (const uri of namesIn(value, 'resourceSubscriptions')) {
    const target = requestContext.toolListing.resource(uri)
    if (target !== undefined && tellsOfUpdates(requestContext, target)) at(target).uris.set(target.name, uri)
  }
  for (const id of namesIn(value, 'taskIds')) {
    const task = tasks.release(taskOwner(requestContext.principal), requestContext.toolListing.offered, id)
    if (task !== undefined && eraOf(task.place.revision) === 'modern')
      at(targetOf(task.place, { name: '' })).tasks.set(task.taskId, id)
  }
  return [...found.values()]
}

function namesIn(value: JsonObject, member: string): readonly string[] {
  const names: Json | undefined = value[member]
  if (names === undefined) return []
  const place = `/notifications/${member}`
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new Fault('params.shape', { place, problem: 'must be an array of strings' })
  if (names.length > MOST) throw new Fault('params.shape', { place, problem: `must contain at most ${MOST}` })
  return names
}

const tellsOfUpdates = ({ toolListing }: RequestContext, { connectionId }: Target): boolean =>
  toolListing.offered.some(
    ({ connectionId: id, capabilities: { resources } }) =>
      id === connectionId && isObject(resources) && resources['subscribe'] === true,
  )
