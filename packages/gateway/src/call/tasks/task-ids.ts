/**
 * An upstream's task under a name of ours: `alias.id.signature`, for one principal and one connection.
 *
 * A server binds its tasks to whoever called it, and that is the gateway, for all who share a credential. So a client gets the
 * server's id under our signature; another principal's, another connection's or a changed one names nothing. Pure: the same
 * task has the same name always and in every process, so that nothing has to be remembered to find it again.
 */
import type { ConnectionId } from '@toolway/contract'
import type { Signer } from '../../catalog/page.ts'

export interface TaskPlace {
  readonly connectionId: ConnectionId
  readonly alias: string
}

const PURPOSE = 'task id'
/** Longer ones would not travel in the header that names them. */
const LONGEST = 4096

/** Our name of an upstream's task, for this principal. */
export function bindTaskId(
  signer: Signer,
  principal: string,
  { alias, connectionId }: TaskPlace,
  taskId: string,
): string {
  const encoded = Buffer.from(taskId).toString('base64url')
  return `${alias}.${encoded}.${signer.sign(text(principal, connectionId, encoded), PURPOSE)}`
}

/** Where a task is and what its server calls it; undefined when this principal has no such task at any of these places. */
export function releaseTaskId<Place extends TaskPlace>(
  signer: Signer,
  principal: string,
  places: readonly Place[],
  bound: string,
): { readonly place: Place; readonly taskId: string } | undefined {
  if (bound.length > LONGEST) return undefined
  const [alias, encoded = '', signature = '', ...more] = bound.split('.')
  const place = places.find((one) => one.alias === alias)
  if (place === undefined || more.length > 0) return undefined
  if (!signer.verify(text(principal, place.connectionId, encoded), signature, PURPOSE)) return undefined
  return { place, taskId: Buffer.from(encoded, 'base64url').toString() }
}

const text = (principal: string, connectionId: string, encoded: string) => `${principal}\n${connectionId}\n${encoded}`
