/** The organization of a request, as memory knows it. */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { OrganizationRequest } from '../serve.ts'

/** Throws `thing.unknown`. */
export function snapshotOf({
  parts,
  organization,
}: Pick<OrganizationRequest<Operation>, 'parts' | 'organization'>): Snapshot {
  const snapshot = parts.snapshots.find({ id: organization.id })
  if (snapshot === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return snapshot
}
