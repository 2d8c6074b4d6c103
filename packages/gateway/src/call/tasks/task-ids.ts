/**
 * An upstream's task under a name of ours: `alias.id.signature`, for one principal and one connection; where that principal may have
 * several accounts there, `alias.id.account.signature`.
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
  /** The account that made it, where there is a choice: it is asked after with that one. */
  readonly acting?: string | undefined
}

const PURPOSE = 'task id'
/** Longer ones would not travel in the header that names them. */
const LONGEST = 4096

/** Our name of an upstream's task, for this principal. */
export function bindTaskId(
  signer: Signer,
  principal: string,
  { alias, connectionId, acting }: TaskPlace,
  taskId: string,
): string {
  const encoded = Buffer.from(taskId).toString('base64url')
  const named = acting === undefined ? encoded : `${encoded}.${acting}`
  return `${alias}.${named}.${signer.sign(text(principal, connectionId, named), PURPOSE)}`
}

/** Where a task is and what its server calls it; undefined when this principal has no such task at any of these places. */
export function releaseTaskId<Place extends TaskPlace>(
  signer: Signer,
  principal: string,
  places: readonly Place[],
  bound: string,
): ReleasedTask<Place> | undefined {
  if (bound.length > LONGEST) return undefined
  const parts = bound.split('.')
  const [alias, encoded = '', ...rest] = parts
  const signature = rest.pop() ?? ''
  const [acting, ...more] = rest
  const place = places.find((item) => item.alias === alias)
  if (place === undefined || more.length > 0) return undefined
  const named = acting === undefined ? encoded : `${encoded}.${acting}`
  if (!signer.verify(text(principal, place.connectionId, named), signature, PURPOSE)) return undefined
  return { place, taskId: Buffer.from(encoded, 'base64url').toString(), acting }
}

export interface ReleasedTask<Place> {
  readonly place: Place
  readonly taskId: string
  readonly acting: string | undefined
}

const text = (principal: string, connectionId: string, named: string) => `${principal}\n${connectionId}\n${named}`
