/** The parts that operations on all tools work with, the way to serve them, and the organization of a request as memory knows it. */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { ListPreviews } from '../../call/list-preview.ts'
import { operationServers, type OperationBase } from '../../operations/serve.ts'
import type * as operations from '../../operations/serve.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'

export interface ToolParts extends OperationBase {
  readonly previewList: ListPreviews
}

export type Served = operations.Served<ToolParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, ToolParts>

export const { serveOrganization } = operationServers<ToolParts>()

/** Throws `thing.unknown`. */
export function snapshotOf({
  parts,
  organization,
}: Pick<OrganizationRequest<Operation>, 'parts' | 'organization'>): Snapshot {
  const snapshot = parts.snapshots.find({ id: organization.id })
  if (snapshot === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return snapshot
}
