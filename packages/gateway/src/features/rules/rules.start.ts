/** The rules that apply to all organizations, and the policy of each, as they are now. */
import type { BaseWithDatabase } from '../../base/base.ts'
import { withPreset } from '../../call/approvals/preset.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import { listPlatformRules } from '../../policy/stored/platform-rules.ts'
import { createPlatformRules, type PlatformRules } from '../../policy/stored/rules-in-force.ts'
import type { Policy } from '../../policy/verdict.ts'
import type { OrganizationRows } from '../../snapshot/organization-rows.ts'
import { createKeepRules, type KeepRules } from './keep-rules.ts'
import { alertOfTroubles } from './rule-alerts.rows.ts'

export interface StartedRules extends Pick<KeepRules, 'forget'> {
  readonly platform: PlatformRules
  policyOf(organization: OrganizationRow, rows: OrganizationRows): Policy
  /** The rules as they are now, soon in every organization; what cannot be loaded stays as it was. */
  reload(): Promise<void>
}

/** Milliseconds. */
const AGAIN = 1_000

/** @param onReload every organization is to be read anew */
export function startRules({ db, log, opened }: BaseWithDatabase, onReload: () => void): StartedRules {
  const platform = createPlatformRules({ list: () => db.system(listPlatformRules) })
  const keepRules = createKeepRules({
    platform,
    log,
    async tell(id, troubles) {
      for (const { id: rule, name, scope, problem } of troubles)
        log.error(
          { organization: id, rule, name, scope, problem },
          'a rule cannot be read; it blocks the tools that it matches',
        )
      await db.organization(id, (sql) => alertOfTroubles(sql, id, troubles))
    },
  })
  let again: NodeJS.Timeout | undefined
  opened.defer(() => clearTimeout(again))
  const reload = (): Promise<void> =>
    platform.load().then(onReload, (thrown: unknown) => {
      log.error({ err: thrown }, 'rules could not be loaded; the previous rules stay in use; retrying')
      clearTimeout(again)
      again = setTimeout(() => void reload(), AGAIN)
    })
  return { platform, policyOf: createPolicyOf(keepRules), forget: keepRules.forget, reload }
}

/** Compiled once for the same words: rules that the settings add are one for each connection. */
function createPolicyOf(keepRules: KeepRules) {
  const known = new WeakMap<Policy, { readonly words: string; readonly policy: Policy }>()
  return (organization: OrganizationRow, { rules, toolsets, connections }: OrganizationRows): Policy => {
    const own = keepRules.policyOf(organization, rules, toolsets)
    const words = JSON.stringify([organization.settings.approvals, connections.map(({ alias }) => alias)])
    const before = known.get(own)
    if (before?.words === words) return before.policy
    const policy = withPreset(own, organization, connections)
    known.set(own, { words, policy })
    return policy
  }
}
