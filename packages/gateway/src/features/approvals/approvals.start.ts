/** Approvals of calls: what asks, who may answer, and what ends in time. */
import type { AdminApprovals } from './admin-approvals.ts'
import { createKeepApprovals } from './keep-approvals.job.ts'
import { effectsOf } from '../../snapshot/tools-of.ts'
import { createApprovals } from '../../call/approvals/approvals.ts'
import { createApproverLookup, type ApproverLookup } from '../../call/approvals/approver-lookup.ts'
import { createWaits } from '../../call/approvals/waiting.ts'
import type { Approvals } from '../../call/approvals/approval-port.ts'
import type { CallCredentials } from '../../snapshot/ports/credentials.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

export interface StartedApprovals {
  readonly approvals: Approvals
  readonly lookup: ApproverLookup
  readonly admin: AdminApprovals
  /** A question is another; without an id, any may be. */
  hear(id?: string): void
  close(): void
}

export interface StartApprovalsParts {
  readonly accounts: Pick<Accounts, 'find'>
  readonly snapshots: Pick<KeepSnapshots, 'find'>
  readonly credentials: Pick<CallCredentials, 'accounts'>
  publicUrl(): string
}

export function startApprovals(
  { db, vault, log, opened }: BaseWithDatabase,
  parts: StartApprovalsParts,
): StartedApprovals {
  const { accounts, snapshots, credentials, publicUrl } = parts
  const link = (id?: string) => `${publicUrl()}/approvals${id === undefined ? '' : `/${id}`}`
  const lookup = createApproverLookup({
    account: (id) => accounts.find(id),
    membersOf: (id) => snapshots.find({ id })?.members ?? new Map(),
    groupsOf: (id, userId) => snapshots.find({ id })?.groupsOf(userId) ?? [],
  })
  const waits = createWaits()
  opened.defer(() => waits.close())
  const keep = createKeepApprovals({ db, log })
  opened.defer(() => keep.close())
  const approvals = createApprovals({
    db,
    vault,
    signer: vault,
    lookup,
    waits,
    link,
    definitionOf: ({ organizationId, target }) =>
      snapshots
        .find({ id: organizationId })
        ?.catalogs.get(target.connectionId)
        ?.tools?.find(({ name }) => name === target.name),
    usualAccount: ({ organizationId, target: { connectionId }, principal }) =>
      credentials.accounts({ organizationId, connectionId, principal })[0],
  })
  const describe: AdminApprovals['describe'] = (id) => ({
    lookup,
    link,
    aliasOf: (connection) => snapshots.find({ id })?.connections.find((item) => item.id === connection)?.alias,
    effectOf: effectsOf(snapshots.find({ id })),
    log,
  })
  return {
    approvals,
    lookup,
    admin: { lookup, link, describe },
    hear(id) {
      waits.hear(id)
      keep.wake()
    },
    close: () => waits.close(),
  }
}
