/** What the server of a connection has to say of a call that its schema allows, before anything is opened for it (ledger U-06). */
import { kindOf } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import type { ToolTarget } from '../../catalog/view.ts'
import type { Standing } from '../ports.ts'
import type { Trail } from '../trail.ts'

/** Undefined where there is nothing to ask, which costs a call one look. Rejects with what speaks against it. */
export function review(
  { connectionId, connector, name }: ToolTarget,
  standing: Standing,
  trail: Trail,
  { arguments: given }: JsonObject,
): Promise<void> | undefined {
  if (kindOf(connector)?.reviews !== true) return undefined
  return standing.upstream(connectionId).review?.({
    tool: trail.target ?? name,
    name,
    arguments: isObject(given) ? given : {},
    correlationId: trail.correlationId,
    onBehalf: standing.principal.behalf,
  })
}
