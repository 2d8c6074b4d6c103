/** The record of a change: who changed what from where, written in the transaction that makes the change. */
import { newId, type OrganizationId } from '@toolway/contract'
import type { AuditAction } from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { storeRecords, type Entry } from './records.ts'

export interface Actor {
  /** `usr_…`, `key_…`, `operator`, or what acts by itself (`command line`, `declaration file`). */
  readonly id: string
  readonly type: Entry['actor_type']
  readonly keyId: string | undefined
  readonly address: string | undefined
  readonly userAgent: string | undefined
  readonly correlationId: string
}

/** The actor type of a caller. */
export const actorTypeOf = (principal: { readonly kind: string } | undefined): Entry['actor_type'] =>
  principal === undefined ? 'system' : principal.kind === 'key' ? 'api_key' : 'user'

export interface Change {
  /** A noun and what happened to it: `key.add`. */
  readonly action: AuditAction
  readonly resource: string
  readonly id: string
  /** The change in detail; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
  readonly kind?: Entry['kind']
  readonly outcome?: Entry['outcome']
  /** The fault, where it was refused. */
  readonly code?: string
}

/** A refused operation has no word of its own: it is on record by its id. */
type AnyChange = Omit<Change, 'action'> & { readonly action: string }

export const entryOfChange = (actor: Actor, organizationId: OrganizationId | undefined, change: AnyChange): Entry => ({
  id: newId('rec'),
  timestamp: new Date().toISOString(),
  kind: change.kind ?? 'change',
  org_id: organizationId,
  organization: undefined,
  principal: actor.id,
  key_id: actor.keyId,
  toolset: undefined,
  connection: undefined,
  method: change.action,
  tool_name: undefined,
  era_client: undefined,
  era_upstream: undefined,
  client: undefined,
  bytes_in: 0,
  bytes_out: 0,
  duration_ms: 0,
  outcome: change.outcome ?? 'ok',
  code: change.code,
  decision: change.outcome === 'refused' ? 'refuse' : 'allow',
  request_id: actor.correlationId,
  actor_type: actor.type,
  resource_type: change.resource,
  resource_id: change.id,
  ip_address: actor.address,
  user_agent: actor.userAgent?.slice(0, 512),
  detail: change.detail,
})

/** Undefined as organization: it concerns the platform. The last thing that a transaction does: it locks the head of the chain. */
export const recordChange = (
  sql: OrgSql | SystemSql,
  actor: Actor,
  organizationId: OrganizationId | undefined,
  change: Change,
): Promise<void> => storeRecords(sql, [entryOfChange(actor, organizationId, change)])
