/** The connection that a path names, by id or alias, in the organization that is addressed. */
import { Fault } from '@toolway/contract'
import type { ConnectionRow } from '../connections/connections.ts'
import type { OperationBase } from './serve.ts'

/** Throws `thing.unknown`, for another organization's too. */
export function findConnectionOf(
  { snapshots }: Pick<OperationBase, 'snapshots'>,
  organizationId: string,
  name: string,
): ConnectionRow {
  const known = snapshots.find({ id: organizationId })?.connections ?? []
  const connection = known.find(({ id }) => id === name) ?? known.find(({ alias }) => alias === name)
  if (connection === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
  return connection
}
