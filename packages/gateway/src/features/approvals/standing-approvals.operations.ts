/** Lasting approvals, as people and programs are shown them: what each is for, and whether it still stands. Ended here, never given. */
import { Fault, permits } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { LastingApproval, Operation } from '@toolway/contract/admin'
import { canonicalJson } from '@toolway/protocol'
import { fits, isOwn } from '../../approvals/approvers.ts'
import {
  findStandingGrant,
  listStandingGrants,
  removeStandingGrants,
  type StandingGrantRow,
} from '../../approvals/standing-grants.ts'
import { wordsOfRule } from '../../call/approvals/standing-grants.ts'
import type { ApproverLookup } from '../../call/approvals/approver-lookup.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { effectsOf } from '../../snapshot/tools-of.ts'
import { hashTool } from '../../catalog/locks/tool-hash.ts'
import { newestPage } from '../../lib/page.ts'
import { operationServers, type OperationBase, type OrganizationRequest, type Served } from '../../operations/serve.ts'
import type { AdminApprovals } from './admin-approvals.ts'
import { rulesOf } from '../../call/approvals/answer-approval.ts'
import type { Change } from '../../records/change.ts'

/** The parts that operations on approvals work with. */
export interface ApprovalParts extends OperationBase {
  readonly approvals: AdminApprovals
}

const { serveOrganization } = operationServers<ApprovalParts>()

type GrantRequest = Pick<
  OrganizationRequest<Operation, ApprovalParts>,
  'parts' | 'organization' | 'principal' | 'role' | 'params'
>
type GrantSnapshot = Pick<Snapshot, 'organization' | 'connections' | 'catalogs' | 'rules'>
type EffectOf = ReturnType<typeof effectsOf>

/** Returns whether the principal administers rules, gave the grant, or is the caller that it is for. */
function maySee(row: StandingGrantRow, { principal, role }: Pick<GrantRequest, 'principal' | 'role'>): boolean {
  if (permits(role, 'policy_manage')) return true
  const id = principal.userId ?? principal.id
  return row.granted_by === id || isOwn({ principal: row.principal, userId: row.user_id ?? undefined }, { id })
}

/** The first reason for which it lets no call through; undefined where it does. */
export function endOf(
  row: StandingGrantRow,
  { connections, catalogs, rules }: GrantSnapshot,
  giver: Giver,
): LastingApproval['ended'] {
  const alias = connections.find(({ id }) => id === row.connection_id)?.alias
  const tool = catalogs.get(row.connection_id)?.tools?.find(({ name }) => name === row.tool)
  if (tool === undefined || hashTool(tool) !== row.tool_hash) return 'tool'
  const givenRules = rulesOf(row)
  const isThere = (rule: (typeof givenRules)[number]) =>
    rules.rules.some(
      (item) =>
        item.id === rule.id &&
        item.state === 'on' &&
        (item.scope !== 'connection' || item.of === alias) &&
        canonicalJson(wordsOfRule(item)) === canonicalJson(wordsOfRule(rule)),
    )
  if (!givenRules.every(isThere)) return 'rule'
  const caller = { principal: row.principal, userId: row.user_id ?? undefined }
  return giver !== undefined && givenRules.some((rule) => fits(rule, caller, giver)) ? null : 'giver'
}
type Giver = ReturnType<ApproverLookup['person']>

export function describeLasting(
  row: StandingGrantRow,
  snapshot: GrantSnapshot,
  lookup: ApproverLookup,
  effectOf: EffectOf,
): LastingApproval {
  const { id } = snapshot.organization
  const giver = lookup.person(id, row.granted_by)
  return {
    id: row.id,
    tool: row.tool,
    effect: row.effect,
    effect_from: effectOf(row.connection_id, row.tool)?.from ?? null,
    connection_id: row.connection_id,
    connection: snapshot.connections.find((connection) => connection.id === row.connection_id)?.alias ?? null,
    account: row.account,
    caller: row.caller,
    principal: row.principal,
    client: row.client,
    rules: rulesOf(row).map(({ name }) => name),
    granted_by: giver?.email ?? row.granted_by,
    note: row.note,
    approval_id: row.approval_id,
    created_at: row.created_at.toISOString(),
    used_at: row.used_at?.toISOString() ?? null,
    uses: row.uses,
    ended: endOf(row, snapshot, giver),
  }
}

function snapshotOf({ parts, organization }: GrantRequest): Snapshot {
  const snapshot = parts.snapshots.find({ id: organization.id })
  if (snapshot === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return snapshot
}

const list = serveOrganization(shapes.listLastingApprovals, async (request) => {
  const { read, query, parts, role, principal } = request
  const { from, of } = newestPage(query)
  const self = permits(role, 'policy_manage') ? null : (principal.userId ?? principal.id)
  const found = await read((sql) => listStandingGrants(sql, self, from))
  const snapshot = snapshotOf(request)
  const { lookup } = parts.approvals
  const effectOf = effectsOf(snapshot)
  return of(found, (row) => describeLasting(row, snapshot, lookup, effectOf))
})

/** Returns the audit entry for the end of a standing grant. */
const endOfStandingGrant = (row: StandingGrantRow): Change => ({
  action: 'lasting_approval.end',
  resource: 'lasting_approval',
  id: row.id,
  detail: { tool: row.tool, connection: row.connection_id, caller: row.principal, granted_by: row.granted_by },
})

const end = serveOrganization(shapes.endLastingApproval, async (request) => {
  const { change, params } = request
  await change(endOfStandingGrant, async (sql) => {
    const row = await findStandingGrant(sql, params['lasting'] ?? '')
    if (row === undefined || !maySee(row, request)) throw new Fault('thing.unknown', { thing: 'approval' })
    await removeStandingGrants(sql, row.id)
    return row
  })
  return undefined
})

export const lastingApprovalOperations: readonly Served<ApprovalParts>[] = [list, end]
