/** The operations that look at rules before they bite. */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { listGroups } from '../../organizations/groups.ts'
import { countShadows } from '../../records/call-records.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { createPolicy } from '../../policy/compile.ts'
import { withDraft } from '../../policy/draft.ts'
import { listOrganizationRules } from '../../policy/stored/organization-rules.ts'
import { accessMap } from './access-map.ts'
import { callersOf, type Wanted } from './callers-of.ts'
import { checkDraft } from './check-draft.ts'
import { explainCall } from './explain-call.ts'
import { replayCalls } from './replay-calls.ts'
import { shadowsOf } from './shadows-of.ts'
import { draftedRules, runPolicyTests } from '../../policy/run-tests.ts'
import { toolsOf } from '../../snapshot/tools-of.ts'
import { knownTo } from './write-organization-rules.ts'

const { serveOrganization } = operationServers<OperationBase>()

/** Throws `thing.unknown`. */
function snapshotOf({ snapshots }: OperationBase, { id }: { readonly id: string }) {
  const snapshot = snapshots.find({ id })
  if (snapshot === undefined) throw new Fault('thing.unknown', { thing: 'organization' })
  return snapshot
}

const isPlatformAdmin =
  ({ accounts }: OperationBase) =>
  (id: Parameters<OperationBase['accounts']['find']>[0]): boolean =>
    accounts.find(id)?.platform_admin === true

export const policyTrialOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.getAccessMap, async ({ parts, organization, read, query }) => {
    const snapshot = snapshotOf(parts, organization)
    return read(async (sql: OrgSql) => {
      const { as, key } = query
      const people = as === undefined && key === undefined ? 'everybody' : [as, key]
      const callers = await callersOf({ snapshot, sql, isPlatformAdmin: isPlatformAdmin(parts) }, people)
      return accessMap({ snapshot, sql, callers, only: { as: query.as, key: query.key } })
    })
  }),

  serveOrganization(shapes.explainPolicy, async ({ parts, organization, read, body }) => {
    const snapshot = snapshotOf(parts, organization)
    const { as, key, draft, ...rest } = body
    const [callers, groups] = await read(
      async (sql: OrgSql) =>
        [
          await callersOf({ snapshot, sql, isPlatformAdmin: isPlatformAdmin(parts) }, [as, key]),
          await listGroups(sql),
        ] as const,
    )
    const drafted = draft === undefined ? undefined : createPolicy(withDraft(snapshot.rules.rules, draft))
    return explainCall({
      ...{ snapshot, drafted, ...rest, caller: callers.named(as, key), groups: groups.map(({ slug }) => slug) },
    })
  }),

  serveOrganization(shapes.checkDraftRule, async ({ parts, organization, read, body }) => {
    const snapshot = snapshotOf(parts, organization)
    const platform = parts.platformRules(organization).map(({ name }) => name)
    const known = await read(async (sql) => knownTo(sql, await listOrganizationRules(sql), platform))
    const { scope, of, words } = body
    return checkDraft(snapshot, { scope, of, words }, known)
  }),

  serveOrganization(shapes.testPolicy, async ({ parts, organization, read, body }) => {
    const snapshot = snapshotOf(parts, organization)
    const { rules: drafted, ...tests } = body
    const named = tests.cases.flatMap(({ as }) => (typeof as === 'string' ? as : []))
    const callers = await read((sql) => callersOf({ snapshot, sql, isPlatformAdmin: isPlatformAdmin(parts) }, named))
    const known = {
      called: toolsOf(snapshot).called,
      member: (address: string) => callers.named(address, undefined).facts,
    }
    const rules = drafted === undefined ? snapshot.rules.rules : draftedRules(drafted)
    return runPolicyTests({ tests, rules, organization: organization.slug, known })
  }),

  serveOrganization(shapes.listShadows, async ({ parts, organization, read, query }) => {
    const snapshot = snapshotOf(parts, organization)
    return read(async (sql) => {
      const callers = (ids: readonly string[]) =>
        callersOf({ snapshot, sql, isPlatformAdmin: isPlatformAdmin(parts) }, ids)
      return shadowsOf({ snapshot, callers, count: (since, limit) => countShadows(sql, since, limit) }, query.days)
    })
  }),

  serveOrganization(shapes.replayPolicy, async ({ parts, organization, read, body, signal }) => {
    const snapshot = snapshotOf(parts, organization)
    const callers = (ids: Wanted) =>
      read((sql) => callersOf({ snapshot, sql, isPlatformAdmin: isPlatformAdmin(parts) }, ids))
    return replayCalls({ snapshot, callers, read, now: Date.now(), signal }, body.draft, body.days)
  }),
]
