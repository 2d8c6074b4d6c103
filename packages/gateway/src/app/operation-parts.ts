/** The parts that operations find in every installation, whether its gateway runs here or not. */
import type { BaseWithDatabase } from '../base/base.ts'
import { platformRulesIn } from '../features/rules/index.ts'
import { createFindTxtRecords, environmentProviderOf } from '../features/identity-providers/index.ts'
import type { OrganizationRow } from '../organizations/organizations.ts'
import type { Installation } from './installation.ts'

export function operationPartsOf({ config, db, vault }: BaseWithDatabase, installation: Installation) {
  const { callers, web, people, offers, credentials, connect, approvals, rules, snapshots } = installation
  return {
    ...{ db, vault, accounts: callers.accounts, web, ...people, sync: offers.syncNow },
    forgetKeys: callers.identity.forget,
    publicUrl: installation.publicUrl,
    snapshots: { ...snapshots, find: snapshots.findAny },
    rules: { refresh: () => rules.platform.load().then(snapshots.reload) },
    platformRules: (organization: Pick<OrganizationRow, 'id' | 'slug'>) =>
      platformRulesIn(rules.platform.inForce.rules, organization),
    environmentProvider: environmentProviderOf(config),
    findTxtRecords: createFindTxtRecords(),
    requestsPerMinute: config.TOOLWAY_LIMIT_ORGANIZATION,
    traceUrl: config.TOOLWAY_TRACE_URL,
    connect: connect.admin,
    credentials: credentials.admin,
    approvals: approvals.admin,
  }
}
