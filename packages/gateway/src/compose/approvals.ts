/** Approvals of calls: what asks, who may answer, where that is done, and what ends in time. */
import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { type AdminApprovals, createKeepApprovals } from '../features/approvals/index.ts'
import { effectsOf } from '../snapshot/tools-of.ts'
import { createApprovals } from '../call/approvals/approvals.ts'
import { createApproverLookup, type ApproverLookup } from '../call/approvals/approver-lookup.ts'
import { createWaits } from '../call/approvals/waiting.ts'
import type { Approvals } from '../call/approvals/approval-port.ts'
import type { CallCredentials } from '../snapshot/ports/credentials.ts'
import { createApprovalsDoor } from '../http/approvals/approvals-door.ts'
import { createSignedAnswer } from '../http/approvals/signed-answer.ts'
import type { Clients } from '../http/client-address.ts'
import { createVisitors } from '../http/connect/visitor.ts'
import type { WebSession } from '../http/sign-in/web-session.ts'
import type { Accounts } from '../identity/accounts.ts'
import { findUser } from '../identity/users.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import type { Limits } from '../limits/limits.ts'
import type { BaseWithDatabase } from '../base/base.ts'

export interface ComposedApprovals {
  readonly approvals: Approvals
  readonly lookup: ApproverLookup
  readonly admin: AdminApprovals
  /** A question is another; without an id, any may be. */
  hear(id?: string): void
  close(): void
}

export interface ComposeApprovalsParts {
  readonly accounts: Pick<Accounts, 'find'>
  readonly snapshots: Pick<KeepSnapshots, 'find'>
  readonly credentials: Pick<CallCredentials, 'accounts'>
  publicUrl(): string
}

export function composeApprovals(
  { db, vault, log, opened }: BaseWithDatabase,
  parts: ComposeApprovalsParts,
): ComposedApprovals {
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

export interface ComposeApprovalsDoorParts {
  readonly composed: ComposedApprovals
  readonly accounts: Pick<Accounts, 'find'>
  readonly snapshots: Pick<KeepSnapshots, 'all'>
  readonly limits: Pick<Limits, 'address'>
  readonly clients: Clients
  readonly web: WebSession
  publicUrl(): string
}

export function composeApprovalsDoor(
  { config, db, vault }: BaseWithDatabase,
  { composed, accounts, snapshots, limits, clients, web, publicUrl }: ComposeApprovalsDoorParts,
): Hono<{ Bindings: HttpBindings }> {
  const prefix = () => new URL(publicUrl()).pathname.replace(/\/$/, '')
  const visitors = createVisitors({
    web,
    vault,
    isOpen: config.TOOLWAY_AUTH === 'off',
    emailOf: (id) => db.system(async (sql) => (await findUser(sql, id))?.email),
    clients,
    newCorrelationId: randomUUID,
    prefix,
  })
  const door = new Hono<{ Bindings: HttpBindings }>()
  const approvals = composed.admin
  door.route('/', createApprovalsDoor({ db, vault, accounts, approvals, visitors, all: snapshots.all, prefix }))
  door.route(
    '/',
    createSignedAnswer({
      db,
      vault,
      lookup: composed.lookup,
      limits,
      clients,
      newCorrelationId: randomUUID,
      now: Date.now,
    }),
  )
  return door
}
